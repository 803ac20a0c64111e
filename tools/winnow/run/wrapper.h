// Programs that start another one, which is named by their words: env, nice, timeout and the like.

#ifndef WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_
#define WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_

#include <absl/strings/string_view.h>

#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Command that such a program makes of its words.
struct WrappedCommand {
  std::vector<std::string> words;  // the program that it starts, and what stands behind it
  std::string clears;    // what Winnow needs and it takes away: LD_PRELOAD or WINNOW_POLICY
  bool is_known = true;  // else its words could not be followed
};

// Returns the command of a program with this name, which gives LD_PRELOAD on; none: it starts no
// other one, or not by its words alone, as a shell.
std::optional<WrappedCommand> CommandBehind(absl::string_view name,
                                            const std::vector<std::string>& words);

// How winnow is to be started by a program that gives LD_PRELOAD to nothing, as sudo: "sudo winnow
// run PROGRAM". Empty: this is none.
std::string WinnowBehind(absl::string_view name, const std::vector<std::string>& words);

// Words that `env` makes of the rest of a script's first line; empty: by quotes and the like, which
// are not looked at here.
std::vector<std::string> EnvWordsOf(absl::string_view argument);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_WRAPPER_H_
