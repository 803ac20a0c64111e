// The programs of binutils, which are run by their names.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// Those of `names` that are in no folder of PATH.
std::vector<std::string> MissingPrograms(const std::vector<std::string>& names);

struct ProgramResult {
  int status = -1;     // as waitpid has it; 0: all is well
  std::string output;  // what it wrote to stdout, and to stderr
  bool ok() const { return status == 0; }
};

// Runs the command, whose first word is looked for in PATH unless it has a slash, and waits for it.
ProgramResult RunCommand(const std::vector<std::string>& words);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
