// Texts of `winnow help`, for all verbs and for each.

#ifndef WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_
#define WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_

#include <absl/strings/string_view.h>
#include <absl/types/span.h>

#include <string>

#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// One sentence that says what the program is for.
inline constexpr absl::string_view kPurpose =
    "the filters of RocksDB databases, Winnow's and RocksDB's own";

// Meanings of exit codes: of every verb, and of those that another program takes the place of.
struct ExitCodeText {
  absl::string_view code;
  absl::string_view meaning;
};
inline constexpr ExitCodeText kExitCodes[] = {
    {"0", "all good"},
    {"1", "a fault was found, or the answer is no"},
    {"2", "something could not be read or written, or the command line is wrong"},
    {"130", "it was interrupted by Ctrl-C (SIGINT); 143 by SIGTERM"},
    {"141", "the pipe that it wrote to was closed (SIGPIPE)"},
};
inline constexpr ExitCodeText kStartExitCodes[] = {
    {"any", "what the program ends with"},
    {"125", "the command line, the policy or the library is wrong, and nothing was started"},
    {"126", "the program can't be started, or would run without Winnow: nothing was started"},
    {"127", "there is no such program"},
    {"2", "what it says in place of starting the program could not be written in full"},
};

absl::Span<const ExitCodeText> ExitCodesOf(const Verb& verb);

// "(0 to 1024; default: 0)": the range of a flag's values, and what it is if not given; or empty.
std::string LimitsOf(const Flag& flag);

// Help on all verbs: each with a line.
std::string OverallHelp();

// Help on one: usage, what it does, its flags, examples and exit codes.
std::string VerbHelp(const Verb& verb);

// In roff, with the macros of man(7): winnow(1), and winnow-VERB(1).
std::string OverallManPage();
std::string VerbManPage(const Verb& verb);

// A script for bash to source: names of verbs, the flags of each, and files.
std::string BashCompletion();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_
