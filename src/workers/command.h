// Other programs, and what they say.

#ifndef WINNOW_SRC_WORKERS_COMMAND_H_
#define WINNOW_SRC_WORKERS_COMMAND_H_

#include <string>
#include <vector>

namespace winnow::inspect {

struct CommandResult {
  int status = -1;     // as waitpid has it; 0: all is well
  std::string output;  // what it wrote, or why it was not started
  bool ok() const { return status == 0; }
};

enum class CommandErrors { kWithOutput, kDropped };

// Runs the command, whose first word is looked for in PATH unless it has a slash, and waits for it.
// What it writes to stderr is a part of the output, or dropped.
CommandResult RunCommand(const std::vector<std::string>& words,
                         CommandErrors errors = CommandErrors::kWithOutput);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_COMMAND_H_
