// Help, manual pages and bash completion of commands, from one description of each.

#ifndef WINNOW_SRC_CLI_HELP_H_
#define WINNOW_SRC_CLI_HELP_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::cli {

inline constexpr size_t kHelpWidth = 90;

// An entry of a list: a flag, an example, an exit code, a variable of the environment.
struct Entry {
  std::string term;
  std::string meaning;
  std::string value = {};   // placeholder of a flag's value: "N"
  std::string limits = {};  // "(0 to 1024; default: 0)"
};

struct Section {
  std::string title;  // "Flags"
  std::vector<Entry> entries;
  bool is_for_manual_only = false;
};

// A verb, or a program.
struct Command {
  std::string name;       // "winnow inspect"
  std::string arguments;  // usage line after the name: "PATH... [--samples=N]"
  std::string summary;    // a sentence without its period
  std::string about;      // the full description; in help, lines longer than kHelpWidth are wrapped
  std::vector<Section> sections;
  std::vector<std::string> see_also;  // manual pages: "winnow-verify"
};

// Returns the flags of a group (flags.h), with their limits.
Section FlagSection(const std::string& title, absl::string_view group);

// Returns lines of help, wrapped, indented by `indent` spaces, and by `more` additional ones after
// the first line.
std::string Paragraph(const std::string& text, size_t indent, size_t more = 0);

// Return the help, and the manual page in roff with the macros of man(7).
std::string HelpText(const Command& command);
std::string ManPage(const Command& command);

// A verb in a completion, or a program without verbs.
struct CompletedVerb {
  std::string name;                 // empty: of the program
  std::vector<std::string> groups;  // of its flags
  bool starts_program = false;      // its first argument is a program; later words are that one's
  bool takes_verb = false;          // its argument is a verb
};

// Returns a completion script for bash, which completes verbs, flags, their values, and files.
// `flags` are those of the program itself. `printed_by` is the command that prints the script.
std::string BashCompletion(const std::string& program, const std::string& flags,
                           const std::string& printed_by, const std::vector<CompletedVerb>& verbs);

}  // namespace winnow::cli

#endif  // WINNOW_SRC_CLI_HELP_H_
