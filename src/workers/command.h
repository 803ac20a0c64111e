// Execution of other programs.

#ifndef WINNOW_SRC_WORKERS_COMMAND_H_
#define WINNOW_SRC_WORKERS_COMMAND_H_

#include <string>
#include <vector>

namespace winnow::inspect {

struct CommandResult {
  int status = -1;     // result of waitpid; 0: success
  std::string output;  // output of the command, or the reason why it was not started
  bool ok() const { return status == 0; }
};

enum class CommandErrors { kWithOutput, kDropped };

// Runs a command and waits for it. The first word is searched for in PATH unless it has a slash.
// stderr is a part of the output, or dropped.
CommandResult RunCommand(const std::vector<std::string>& words,
                         CommandErrors errors = CommandErrors::kWithOutput);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_COMMAND_H_
