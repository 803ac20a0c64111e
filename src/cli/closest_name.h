// The name that was probably meant by one that does not exist.

#ifndef WINNOW_SRC_CLI_CLOSEST_NAME_H_
#define WINNOW_SRC_CLI_CLOSEST_NAME_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

namespace winnow::cli {

// Returns the name that was probably meant: one that begins with `written`, or is within one or two
// typing errors. Empty if there is none.
absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names);

// Returns "; did you mean --keys?" if a name is close, else an empty string. `dashes` precede the
// name.
std::string DidYouMean(absl::string_view written, const std::vector<absl::string_view>& names,
                       absl::string_view dashes = "");

}  // namespace winnow::cli

#endif  // WINNOW_SRC_CLI_CLOSEST_NAME_H_
