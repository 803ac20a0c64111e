// A command as text for a shell.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace winnow::bench {

// Returns the words joined by spaces and quoted where necessary, so that a shell parses them back.
// Words with bytes that are not printable ASCII are written as $'\xc3\xa4', which bash, zsh and ksh
// support, so that the result is ASCII. Words must not contain null bytes.
std::string ShellCommand(const std::vector<std::string>& words);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_
