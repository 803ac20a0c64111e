// The text of --help.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_

#include <string>
#include <vector>

namespace winnow::bench {

// Whether an argument asks for help. Abseil's own --help ends with an exit code other than 0.
bool AsksForHelp(const std::string& argument);

// The flags that the file whose name ends with `file` defines, with what they mean and what they
// are if they are not given; by name.
std::string FlagHelp(const std::string& file);

// The flags that one source file defines.
struct FlagGroup {
  std::string title;
  std::string file;  // the end of its name
};

// FlagHelp of each group under its title.
std::string GroupedFlagHelp(const std::vector<FlagGroup>& groups);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_
