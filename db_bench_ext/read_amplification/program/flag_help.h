// What flags say of themselves.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_

#include <string>
#include <vector>

namespace winnow::bench {

// Whether an argument asks for help. Abseil's own --help ends with an exit code other than 0.
bool AsksForHelp(const std::string& argument);

struct FlagText {
  std::string name;
  std::string value;  // what it is if it is not given; may be empty
  std::string help;

  // "--keys" or, with a value, "--num=1000000".
  std::string Word() const;
};

// The flags that the file whose name ends with `file` defines, by name.
std::vector<FlagText> FlagsOf(const std::string& file);

// These with what they mean, for --help.
std::string FlagHelp(const std::string& file);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_HELP_H_
