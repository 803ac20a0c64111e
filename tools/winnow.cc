// The command line of Winnow: finds the verb, and says what there is.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "src/inspect/active_kernel.h"
#include "tools/flags.h"
#include "tools/verbs.h"
#include "winnow/version.h"

ABSL_FLAG(bool, json, false, "write one JSON document to standard output");

namespace winnow::tools {
namespace {

const std::vector<Verb>& Verbs() {
  static const auto* verbs =
      new std::vector<Verb>{InspectVerb(), VerifyVerb(), ProbeVerb(), AdviseVerb(), PolicyVerb()};
  return *verbs;
}

const Verb* FindVerb(absl::string_view name) {
  const auto found = std::find_if(Verbs().begin(), Verbs().end(),
                                  [name](const Verb& verb) { return verb.name == name; });
  return found == Verbs().end() ? nullptr : &*found;
}

std::string VerbNames() {
  return absl::StrJoin(Verbs(), ", ",
                       [](std::string* out, const Verb& verb) { absl::StrAppend(out, verb.name); });
}

void PrintHelp(std::FILE* to) {
  absl::FPrintF(to, "winnow: the filters of RocksDB databases, Winnow's and RocksDB's own\n\n");
  for (const Verb& verb : Verbs()) {
    absl::FPrintF(to, "  winnow %s %s\n      %s\n", verb.name, verb.arguments, verb.summary);
  }
  absl::FPrintF(to,
                "  winnow help VERB\n      what the verb does, its flags and its exit codes\n"
                "  winnow --version\n      versions, and the kernel that runs on this machine\n");
}

void PrintVerbHelp(const Verb& verb) {
  absl::PrintF("winnow %s %s\n\n%s.\n\n%s\n", verb.name, verb.arguments, verb.summary, verb.help);
  for (const absl::string_view flag : verb.flags) {
    if (const absl::CommandLineFlag* found = absl::FindCommandLineFlag(flag)) {
      absl::PrintF("  --%s: %s\n", flag, found->Help());
    }
  }
  absl::PrintF(
      "\nExit codes: 0 all good; 1 a fault was found, or the answer is no; 2 something could not "
      "be\n"
      "read, or the command line is wrong.\n");
}

std::string VersionText() {
  return absl::StrCat(
      "winnow ", Version(), "\nRocksDB ", ROCKSDB_NAMESPACE::GetRocksVersionAsString(),
      " (compiled with ", ROCKSDB_MAJOR, ".", ROCKSDB_MINOR, ".", ROCKSDB_PATCH, ")\nkernel ",
      inspect::ActiveKernel(), " (WINNOW_KERNEL=portable|avx2|avx512|neon forces one)\n");
}

int Help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    PrintHelp(stdout);
    return kAllGood;
  }
  const Verb* verb = FindVerb(arguments.front());
  if (verb == nullptr) {
    absl::FPrintF(stderr, "winnow: there is no verb '%s'; there are: %s\n", arguments.front(),
                  VerbNames());
    return kWrongUsage;
  }
  PrintVerbHelp(*verb);
  return kAllGood;
}

bool IsHelp(absl::string_view argument) {
  return argument == "--help" || argument == "-help" || argument == "-h";
}

// Abseil's own help and version flags speak of files and libraries: these come before it.
int RunBeforeFlags(const std::vector<std::string>& arguments, bool* done) {
  *done = true;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (std::any_of(arguments.begin(), end, IsHelp)) {
    const auto verb =
        std::find_if(arguments.begin(), end, [](const auto& name) { return FindVerb(name); });
    return Help(verb == end ? std::vector<std::string>() : std::vector<std::string>{*verb});
  }
  if (std::find(arguments.begin(), end, "--version") != end) {
    std::fputs(VersionText().c_str(), stdout);
    return kAllGood;
  }
  *done = false;
  return kAllGood;
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    PrintHelp(stderr);
    return kWrongUsage;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments.front() == "help") {
    return Help(rest);
  }
  const Verb* verb = FindVerb(arguments.front());
  if (verb == nullptr) {
    absl::FPrintF(stderr, "winnow: there is no verb '%s'; there are: %s (see winnow --help)\n",
                  arguments.front(), VerbNames());
    return kWrongUsage;
  }
  return verb->run(*verb, rest);
}

// The first argument that is neither a flag nor behind "--".
const Verb* VerbOf(const std::vector<std::string>& arguments) {
  const auto name = std::find_if(arguments.begin(), arguments.end(), [](const auto& argument) {
    return !absl::StartsWith(argument, "-");
  });
  return name == arguments.end() ? nullptr : FindVerb(*name);
}

// Abseil ends the program with 1 on a flag that it does not know, and knows more flags than ours.
std::string CheckFlag(const Verb* verb, absl::string_view argument) {
  absl::string_view name = argument;
  while (absl::ConsumePrefix(&name, "-")) {
  }
  const size_t equals = name.find('=');
  const absl::string_view value =
      equals == absl::string_view::npos ? "true" : name.substr(equals + 1);
  name = name.substr(0, equals);
  if (verb == nullptr ||
      std::find(verb->flags.begin(), verb->flags.end(), name) == verb->flags.end()) {
    return absl::StrCat("there is no flag ", argument,
                        verb == nullptr ? "" : absl::StrCat(" for ", verb->name),
                        "; after -- arguments may begin with -");
  }
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  const bool has_value = equals != absl::string_view::npos && !value.empty();
  if (!has_value && !flag->IsOfType<bool>()) {
    return absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE");
  }
  std::string error;
  return flag->ParseFrom(value, &error) ? std::string()
                                        : absl::StrCat("the flag --", name, " can't be '", value,
                                                       "'", error.empty() ? "" : ": ", error);
}

std::string CheckFlags(const std::vector<std::string>& arguments) {
  const Verb* verb = VerbOf(arguments);
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      break;
    }
    const std::string problem =
        absl::StartsWith(argument, "-") && argument != "-" ? CheckFlag(verb, argument) : "";
    if (!problem.empty()) {
      return problem;
    }
  }
  return std::string();
}

}  // namespace

int WrongUsage(const Verb& verb, absl::string_view problem) {
  absl::FPrintF(stderr, "winnow %s: %s\nright is: winnow %s %s (see winnow help %s)\n", verb.name,
                problem, verb.name, verb.arguments, verb.name);
  return kWrongUsage;
}

}  // namespace winnow::tools

int main(int argc, char** argv) {
  using namespace winnow::tools;
  const std::vector<std::string> raw(argv + 1, argv + argc);
  bool done = false;
  const int code = RunBeforeFlags(raw, &done);
  if (done) {
    return code;
  }
  const std::string problem = CheckFlags(raw);
  if (!problem.empty()) {
    absl::FPrintF(stderr, "winnow: %s (see winnow --help)\n", problem);
    return kWrongUsage;
  }
  const std::vector<char*> positional = absl::ParseCommandLine(argc, argv);
  return Run(std::vector<std::string>(positional.begin() + 1, positional.end()));
}
