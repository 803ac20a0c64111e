// A command as text that a shell takes.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace winnow::bench {

// The words with spaces between, quoted where they need it, so that a shell makes the same words of
// it. Words with bytes that are not printable ASCII are written as $'\xc3\xa4', which bash, zsh and
// ksh know: the text is ASCII, whatever the words are. They have no zero bytes.
std::string ShellCommand(const std::vector<std::string>& words);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_COMMAND_LINE_H_
