// The text of --help.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_FLAG_HELP_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_FLAG_HELP_H_

#include <string>

namespace winnow::bench {

// Whether an argument asks for help. Abseil's own --help ends with an exit code other than 0.
bool AsksForHelp(const std::string& argument);

// The flags that the file whose name ends with `file` defines, with what they mean and what they
// are if they are not given; by name.
std::string FlagHelp(const std::string& file);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_FLAG_HELP_H_
