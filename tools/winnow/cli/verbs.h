// The verbs of the command line tool. A new verb NAME needs a folder NAME with verb_NAME.cc, and
// its name in tools/winnow/CMakeLists.txt.

#ifndef WINNOW_TOOLS_WINNOW_CLI_VERBS_H_
#define WINNOW_TOOLS_WINNOW_CLI_VERBS_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

#include "src/cli/flags.h"

ABSL_DECLARE_FLAG(bool, json);

namespace winnow::cli {

// The row of --json, which most verbs have.
extern const Flag kJsonFlag;

}  // namespace winnow::cli

namespace winnow::tools {

using cli::Flag;
using cli::FlagsOf;

// Exit codes of every verb.
inline constexpr int kAllGood = 0;
inline constexpr int kFaultFound = 1;    // or the answer is "no, because …"
inline constexpr int kCouldNotRead = 2;  // takes precedence over kFaultFound
inline constexpr int kWrongUsage = 2;

// Exit codes of a verb that executes another program, which may use the codes above; they follow
// env(1).
inline constexpr int kNotStarted = 125;  // the command line or a prerequisite of the verb is wrong
inline constexpr int kNoStart = 126;     // the program exists, but can't be executed
inline constexpr int kNoProgram = 127;

// A command line that tests run after they replace its placeholders: DB is a database's folder,
// FILE.sst an SST file, KEY a key, KEYS a file of keys, OPTIONS an OPTIONS file, PAGES a folder
// that `winnow pages` has made, STATE and COPY names of output files, PROGRAM a program, ARCHIVE a
// librocksdb.a.
struct Example {
  absl::string_view command;
  absl::string_view shows;  // a noun phrase or clause: "which filter each file has"
};

// An environment variable that a verb reads or sets.
struct Variable {
  absl::string_view name;
  absl::string_view says;  // a sentence
};

// A verb. Its flags are defined in the file of the verb (src/cli/flags.h).
struct Verb {
  absl::string_view name;
  // Usage line: "PATH... [FLAGS] [--json]". Flags are written without their values; flags that are
  // not listed replace [FLAGS], or follow at the end.
  absl::string_view arguments;
  absl::string_view summary;  // one line
  absl::string_view help;     // the full description; lines longer than cli::kHelpWidth are wrapped
  // Runs the verb with its arguments, without flags and the verb's name. Returns the exit code.
  int (*run)(const Verb& verb, const std::vector<std::string>& arguments);
  std::vector<Example> examples = {};
  // True if the verb executes another program, which is the first argument; all later arguments,
  // flags included, belong to the program.
  bool starts_program = false;
  std::vector<Variable> environment = {};

  int wrong_usage() const { return starts_program ? kNotStarted : kWrongUsage; }
};

// Returns the help on all verbs, a few lines each.
std::string OverallHelp();

// All verbs, in the order in which help lists them. SetVerbs() must be called first in main().
void SetVerbs(std::vector<Verb> verbs);
const std::vector<Verb>& Verbs();

// Returns the verb with this name, or null.
const Verb* FindVerb(absl::string_view name);

// Returns a message with the closest name: "there is no verb 'inspct'; did you mean 'inspect'?
// There are: inspect, …".
std::string NoSuchVerb(absl::string_view name);

// Returns the usage line after the verb's name: "PATH... [--samples=N]".
std::string ArgumentsOf(const Verb& verb);

// Returns whether the current value of the verb's flag differs from its default.
bool IsSet(const Verb& verb, absl::string_view name);

// Prints the problem and the usage line on stderr. Returns the verb's exit code for wrong usage.
int WrongUsage(const Verb& verb, absl::string_view problem);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_VERBS_H_
