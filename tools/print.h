// Writing a verb's output, all of it.

#ifndef WINNOW_TOOLS_PRINT_H_
#define WINNOW_TOOLS_PRINT_H_

#include <absl/strings/string_view.h>

namespace winnow::tools {

// Writes the text to standard output. False if that did not take all of it, as on a full disk; said
// on stderr then.
bool Print(absl::string_view verb, absl::string_view text);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_PRINT_H_
