// Programs that execute a command given by their arguments: env, nice, timeout and the like.

#ifndef WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_
#define WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_

#include <absl/strings/string_view.h>

#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// The command in a wrapper's arguments.
struct WrappedCommand {
  std::vector<std::string> words;  // the command's program and arguments
  // LD_PRELOAD or WINNOW_POLICY, if the wrapper removes it from the environment.
  std::string clears;
  bool is_known = true;  // false if the arguments could not be parsed
};

// Returns the command of a wrapper with this name that passes LD_PRELOAD on; nullopt if it is no
// such wrapper. Shells are none, as they don't execute one command given by words.
std::optional<WrappedCommand> CommandBehind(absl::string_view name,
                                            const std::vector<std::string>& words);

// Returns the command line that makes a program such as sudo, which removes LD_PRELOAD, execute
// winnow: "sudo winnow run PROGRAM". Empty for other programs.
std::string WinnowBehind(absl::string_view name, const std::vector<std::string>& words);

// Returns the words that `env` makes of the rest of a script's first line; empty if it has quotes
// or other special characters, which are not parsed.
std::vector<std::string> EnvWordsOf(absl::string_view argument);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_
