// Completion of verbs and flags in a shell.

#ifndef WINNOW_TOOLS_WINNOW_CLI_BASH_COMPLETION_H_
#define WINNOW_TOOLS_WINNOW_CLI_BASH_COMPLETION_H_

#include <string>

namespace winnow::tools {

// A script for bash to source: names of verbs, the flags of each, and files.
std::string BashCompletion();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_BASH_COMPLETION_H_
