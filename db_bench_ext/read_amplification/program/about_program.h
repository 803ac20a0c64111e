// Texts of --help, the manual page and the bash completion.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

namespace winnow::bench {

// Flags defined in one source file.
struct FlagGroup {
  std::string title;
  std::string file;  // suffix of its path
};

// Texts in which a program describes itself.
struct AboutProgram {
  std::string name;
  std::string summary;  // a sentence without its period
  std::string about;    // ends with a newline
  std::vector<std::string> examples;
  std::vector<FlagGroup> groups;
  std::vector<std::pair<std::string, std::string>> exit_codes;
};

// Returns the help of all flags defined in the file whose path ends with `file`, by name.
std::string FlagHelp(const std::string& file);

// Returns the text of --help: each flag by name, with its meaning and default.
std::string HelpText(const AboutProgram& program);

// Return the manual page in roff, and a bash script that completes the flags.
std::string ManPage(const AboutProgram& program);
std::string BashCompletion(const AboutProgram& program);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_
