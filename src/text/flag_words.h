// Messages about invalid command lines: the closest name, the range of a number.

#ifndef WINNOW_SRC_TEXT_FLAG_WORDS_H_
#define WINNOW_SRC_TEXT_FLAG_WORDS_H_

#include <absl/strings/string_view.h>
#include <absl/types/span.h>

#include <string>
#include <vector>

namespace winnow::inspect {

// Returns the name that was probably meant: one that begins with `written`, or is within one or two
// typing errors. Empty if there is none.
absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names);

// Returns "; did you mean --keys?" if a name is close, else an empty string. `dashes` precede the
// name.
std::string DidYouMean(absl::string_view written, const std::vector<absl::string_view>& names,
                       absl::string_view dashes = "");

// A flag of an earlier version.
struct EndedFlag {
  absl::string_view verb;     // empty: of a program without verbs
  absl::string_view name;     // without dashes
  absl::string_view instead;  // a sentence that says what to do
};

// Returns "the flag --use ended with 2.0: …" if a row is of this verb and name, in which - equals
// _; else an empty string.
std::string WhyEnded(absl::Span<const EndedFlag> rows, absl::string_view verb,
                     absl::string_view name);

// Returns whether the argument asks for help. Abseil's own --help has a nonzero exit code.
bool AsksForHelp(absl::string_view argument);

// Range of a numeric flag.
struct NumberRange {
  double least = 0;
  double most = 0;
  bool is_whole = false;

  // Returns false for NaN.
  bool Has(double number) const;

  // Returns the range as text: "0 to 1024", "1e-15 to 0.5".
  std::string Text() const;
};

// Returns "--jobs is x, but must be a whole number from 0 to 1024". `what` replaces the kind of
// number.
std::string OutOfRange(absl::string_view flag, absl::string_view written, const NumberRange& range,
                       absl::string_view what = "");

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_FLAG_WORDS_H_
