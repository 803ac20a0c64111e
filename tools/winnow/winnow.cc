// The main program of the command line tool: finds the verb, checks its flags and runs it.

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/interruption.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// Constructors of the verbs, in verb_NAME.cc. CMakeLists.txt sets WINNOW_VERBS to "InspectVerb(),
// VerifyVerb(), …".
Verb WINNOW_VERBS, HelpVerb(), VersionVerb();

namespace {

// Returns the arguments with the verbs `help` and `version` in place of --help and --version.
std::vector<std::string> WithoutSwitchesForVerbs(std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (std::any_of(arguments.begin(), end, cli::AsksForHelp)) {
    const auto verb = std::find_if(arguments.begin(), end, [](const std::string& name) {
      return name != "help" && FindVerb(name) != nullptr;
    });
    return verb == end ? std::vector<std::string>{"help"} : std::vector<std::string>{"help", *verb};
  }
  if (std::find(arguments.begin(), end, "--version") != end) {
    return {"version"};
  }
  return arguments;
}

// Returns the first argument before "--" that is not a flag, or null.
const std::string* NameOfVerb(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto name = std::find_if(arguments.begin(), end, [](const std::string& argument) {
    return !absl::StartsWith(argument, "-");
  });
  return name == end ? nullptr : &*name;
}

// Inserts "--" before the program that a verb executes, so that the program's arguments are not
// parsed.
std::vector<std::string> WithProgramApart(std::vector<std::string> arguments) {
  const auto is_none = [](const std::string& argument) {
    return argument == "--" || !absl::StartsWith(argument, "-");
  };
  const auto name = std::find_if(arguments.begin(), arguments.end(), is_none);
  const Verb* const verb = name == arguments.end() ? nullptr : FindVerb(*name);
  if (verb != nullptr && verb->starts_program) {
    const auto program = std::find_if(name + 1, arguments.end(), is_none);
    if (program != arguments.end() && *program != "--") arguments.insert(program, "--");
  }
  return arguments;
}

// Replaces "-o FILE" by "--output=FILE".
std::vector<std::string> WithOutputInFull(std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto output = std::find(arguments.begin(), end, "-o");
  if (output == end) return arguments;
  *output = "--output";
  if (output + 1 != end) {
    absl::StrAppend(&*output, "=", output[1]);
    arguments.erase(output + 1);
  }
  return arguments;
}

// Without a verb, no flag is valid.
cli::FlagSyntax SyntaxOf(const Verb* verb) {
  return verb == nullptr ? cli::FlagSyntax() : cli::FlagSyntax{verb->name, {verb->name}};
}

int Run(const std::vector<std::string>& words) {
  const std::string* const name = NameOfVerb(words);
  const Verb* const verb = name == nullptr ? nullptr : FindVerb(*name);
  if (name != nullptr && verb == nullptr) {
    absl::FPrintF(stderr, "winnow: %s (see winnow help)\n", NoSuchVerb(*name));
    return kWrongUsage;
  }
  cli::CommandLine line = cli::ReadFlags(SyntaxOf(verb), words);
  if (!line.problem.empty()) {
    absl::FPrintF(stderr, "winnow: %s (see winnow help%s%s)\n", line.problem,
                  verb == nullptr ? "" : " ", verb == nullptr ? "" : verb->name);
    return verb == nullptr ? kWrongUsage : verb->wrong_usage();
  }
  if (verb == nullptr) {
    absl::FPrintF(stderr, "%s", OverallHelp());
    return kWrongUsage;
  }
  line.arguments.erase(line.arguments.begin());  // the verb
  return verb->run(*verb, line.arguments);
}

}  // namespace
}  // namespace winnow::tools

#if defined(WINNOW_HAS_ROCKSDB)
// Tells the plugin that WINNOW_METRICS is that of a service, whose file this program must not
// overwrite (src/rocksdb/metrics_file.h).
extern "C" __attribute__((visibility("default"))) const char winnow_keeps_no_metrics;
extern "C" const char winnow_keeps_no_metrics = 1;
#endif

int main(int argc, char** argv) {
  using namespace winnow::tools;
  PrepareStandardStreams();
  winnow::cli::EndInOrderWhenInterrupted();
  SetVerbs({WINNOW_VERBS, HelpVerb(), VersionVerb()});
  return Run(WithoutSwitchesForVerbs(WithOutputInFull(WithProgramApart({argv + 1, argv + argc}))));
}
