// Programs that do not pass LD_PRELOAD on to what they start: sudo, env -i and the like.

#ifndef WINNOW_TOOLS_WINNOW_RUN_DROPPED_PRELOAD_H_
#define WINNOW_TOOLS_WINNOW_RUN_DROPPED_PRELOAD_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

namespace winnow::inspect {

// Returns the command that makes a program of this name, with these arguments, start winnow in its
// turn: "sudo winnow run PROGRAM". Empty if the program passes LD_PRELOAD and WINNOW_POLICY on.
std::string WinnowBehind(absl::string_view name, const std::vector<std::string>& arguments);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_DROPPED_PRELOAD_H_
