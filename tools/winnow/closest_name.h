// "Did you mean …?" for what is written on a command line.

#ifndef WINNOW_TOOLS_WINNOW_CLOSEST_NAME_H_
#define WINNOW_TOOLS_WINNOW_CLOSEST_NAME_H_

#include <absl/strings/string_view.h>

#include <vector>

namespace winnow::tools {

// The name that was probably meant: one that begins with what was written, or that is a slip of the
// finger or two away. Empty if none is near.
absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLOSEST_NAME_H_
