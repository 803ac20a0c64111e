// The verbs of the command line tool. To add one: a folder NAME with verb_NAME.cc, and its name in
// the CMakeLists.txt above.

#ifndef WINNOW_TOOLS_WINNOW_CLI_VERBS_H_
#define WINNOW_TOOLS_WINNOW_CLI_VERBS_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

namespace winnow::tools {

// Exit codes of every verb.
inline constexpr int kAllGood = 0;
inline constexpr int kFaultFound = 1;    // or the answer is "no, because …"
inline constexpr int kCouldNotRead = 2;  // also when faults were found elsewhere
inline constexpr int kWrongUsage = 2;

// Exit codes of a verb that another program takes the place of, which has those above: as env(1)
// and others have them.
inline constexpr int kNotStarted = 125;  // the command line, or what the verb needs, is wrong
inline constexpr int kNoStart = 126;     // the program is there, and can't be started so
inline constexpr int kNoProgram = 127;

// A command line that works as it stands, but for names in capitals: DB is a database's folder,
// FILE.sst an SST file, KEY a key, KEYS a file of keys, OPTIONS an OPTIONS file, PAGES a folder
// that `winnow pages` has made, STATE and COPY names for files that are made, PROGRAM a program,
// ARCHIVE a librocksdb.a. Tests run it.
struct Example {
  absl::string_view command;
  absl::string_view shows;  // a clause: "which filter each file has"
};

// A variable of the environment that a verb heeds or sets.
struct Variable {
  absl::string_view name;
  absl::string_view says;  // a sentence
};

// Its flags are the rows of its file (flags.h).
struct Verb {
  absl::string_view name;
  // For the usage line: "PATH... [FLAGS] [--json]". Flags stand there without their values; those
  // that it does not name come in the place of [FLAGS], or else at the end.
  absl::string_view arguments;
  absl::string_view summary;  // one line
  absl::string_view help;     // the rest; longer lines than kHelpWidth are wrapped
  // Called with the arguments that are neither flags nor the verb; gives the exit code.
  int (*run)(const Verb& verb, const std::vector<std::string>& arguments);
  std::vector<Example> examples = {};
  // Another program takes the verb's place. Its name is the first argument, and all behind that is
  // its own, flags too.
  bool starts_program = false;
  std::vector<Variable> environment = {};

  int wrong_usage() const { return starts_program ? kNotStarted : kWrongUsage; }
};

// All verbs, in the order in which help has them: the program sets them before anything else.
void SetVerbs(std::vector<Verb> verbs);
const std::vector<Verb>& Verbs();

// Null without one of that name.
const Verb* FindVerb(absl::string_view name);

// "there is no verb 'inspct'; did you mean 'inspect'? There are: inspect, …".
std::string NoSuchVerb(absl::string_view name);

// A usage line's text behind the verb's name, with a blank before it: " PATH... [--samples=N]".
std::string ArgumentsOf(const Verb& verb);

// Says on stderr what is wrong and what is right; gives the exit code of that.
int WrongUsage(const Verb& verb, absl::string_view problem);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_VERBS_H_
