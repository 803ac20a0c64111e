// Texts of `winnow help`, for all verbs and for each.

#ifndef WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_
#define WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_

#include <absl/strings/string_view.h>
#include <absl/types/span.h>

#include <string>

#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// One-sentence description of the program.
inline constexpr absl::string_view kPurpose =
    "the filters of RocksDB databases, Winnow's and RocksDB's own";

// Meanings of exit codes: of every verb, and of verbs that exec another program.
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

// Returns the range and the default of a flag's value, "(0 to 1024; default: 0)", or an empty
// string.
std::string LimitsOf(const Flag& flag);

// Returns the help on all verbs, with one line per verb.
std::string OverallHelp();

// Returns the help on one verb: usage, description, flags, examples and exit codes.
std::string VerbHelp(const Verb& verb);

// Manual pages winnow(1) and winnow-VERB(1), in roff with the macros of man(7).
std::string OverallManPage();
std::string VerbManPage(const Verb& verb);

// Returns a completion script for bash, which completes verbs, flags and files.
std::string BashCompletion();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_HELP_TEXT_H_
