// What a script says of who reads it, and what `env` starts.

#ifndef WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
#define WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

constexpr size_t kLineBytes = 256;  // Linux looks no further for an interpreter

// What the first line of a script says.
struct FirstLine {
  std::string interpreter;
  std::string argument;  // all the rest is one
};

// Of a file's first kLineBytes, as Linux reads it; none: this is no script.
std::optional<FirstLine> FirstLineOf(absl::string_view head);

// What `env` makes of its words.
struct EnvCommand {
  std::string program;  // empty: it could not be followed
  std::string clears;   // what Winnow needs and it takes away: LD_PRELOAD or WINNOW_POLICY
};
EnvCommand EnvCommandOf(const std::vector<std::string>& words);

// What `env` splits the rest of a script's first line into; empty: by quotes and the like, which
// are not looked at here.
std::vector<std::string> EnvWordsOf(absl::string_view argument);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
