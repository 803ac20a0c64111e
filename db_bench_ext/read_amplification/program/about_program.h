// The texts of --help, of the manual page and of the completion for bash.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

namespace winnow::bench {

// The flags that one source file defines.
struct FlagGroup {
  std::string title;
  std::string file;  // the end of its name
};

// Texts that a program says of itself.
struct AboutProgram {
  std::string name;
  std::string summary;  // a sentence without its full stop
  std::string about;    // ends with a line's end
  std::vector<std::string> examples;
  std::vector<FlagGroup> groups;
  std::vector<std::pair<std::string, std::string>> exit_codes;
};

// The flags that the file whose name ends with `file` defines, by name, with what they mean.
std::string FlagHelp(const std::string& file);

// For --help: each flag by name, with what it means and what it is if it is not given.
std::string HelpText(const AboutProgram& program);

// The same as a manual page in roff, and a script for bash that completes the flags.
std::string ManPage(const AboutProgram& program);
std::string BashCompletion(const AboutProgram& program);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_ABOUT_PROGRAM_H_
