// Messages about a command line that is wrong: the name that was meant, the range of a number.

#ifndef WINNOW_SRC_TEXT_FLAG_WORDS_H_
#define WINNOW_SRC_TEXT_FLAG_WORDS_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::inspect {

// The number of characters to insert, remove or replace to make one string of the other, without
// regard to upper and lower case.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The name that was probably meant: one that begins with what was written, or that is a slip of the
// finger or two away. Empty if none is near.
absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names);

// "; did you mean --keys?", where the name is near to one of these, else nothing; `dashes` come
// before it.
std::string DidYouMean(absl::string_view written, const std::vector<absl::string_view>& names,
                       absl::string_view dashes = "");

// Returns whether this asks for help. Abseil's own --help ends with an exit code other than 0.
bool AsksForHelp(absl::string_view argument);

// Range of the numbers that a flag can have.
struct NumberRange {
  double least = 0;
  double most = 0;
  bool is_whole = false;

  // False for NaN.
  bool Has(double number) const;

  // "0 to 1024", "1e-15 to 0.5".
  std::string Text() const;
};

// "--jobs is x, but must be a whole number from 0 to 1024"; `what` says it where it is another kind
// of number.
std::string OutOfRange(absl::string_view flag, absl::string_view written, const NumberRange& range,
                       absl::string_view what = "");

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_FLAG_WORDS_H_
