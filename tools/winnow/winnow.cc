// The command line of Winnow: finds the verb and checks its flags.

#include <absl/flags/parse.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "src/text/flag_words.h"
#include "tools/winnow/cli/flag_check.h"
#include "tools/winnow/cli/help_text.h"
#include "tools/winnow/cli/interruption.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// verb_NAME.cc: WINNOW_VERBS is "InspectVerb(), VerifyVerb(), …", those of the CMakeLists.txt here.
Verb WINNOW_VERBS, HelpVerb(), VersionVerb();

namespace {

// Abseil's own help and version flags speak of files and libraries: these come before it. The
// arguments with verbs in the place of such flags.
std::vector<std::string> WithoutAbseilFlags(std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (std::any_of(arguments.begin(), end, inspect::AsksForHelp)) {
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

// The first argument that is neither a flag nor behind "--"; null if there is none.
const std::string* NameOfVerb(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto name = std::find_if(arguments.begin(), end, [](const std::string& argument) {
    return !absl::StartsWith(argument, "-");
  });
  return name == end ? nullptr : &*name;
}

// With "--" before the program that a verb starts: what comes behind it is not ours to read.
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

// With "-o FILE", as compilers have it, in the form of the other flags.
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

int Run(const char* program, const std::vector<std::string>& arguments) {
  const std::string* const name = NameOfVerb(arguments);
  const Verb* const verb = name == nullptr ? nullptr : FindVerb(*name);
  if (name != nullptr && verb == nullptr) {
    absl::FPrintF(stderr, "winnow: %s (see winnow help)\n", NoSuchVerb(*name));
    return kWrongUsage;
  }
  if (const std::string problem = CheckFlags(verb, arguments); !problem.empty()) {
    absl::FPrintF(stderr, "winnow: %s (see winnow help%s%s)\n", problem, verb == nullptr ? "" : " ",
                  verb == nullptr ? "" : verb->name);
    return verb == nullptr ? kWrongUsage : verb->wrong_usage();
  }
  if (verb == nullptr) {
    absl::FPrintF(stderr, "%s", OverallHelp());
    return kWrongUsage;
  }
  std::vector<char*> raw = {const_cast<char*>(program)};
  const std::vector<std::string> named = ForAbseil(*verb, arguments);
  for (const std::string& argument : named) {
    raw.push_back(const_cast<char*>(argument.c_str()));
  }
  const std::vector<char*> positional =
      absl::ParseCommandLine(static_cast<int>(raw.size()), raw.data());
  return verb->run(*verb, std::vector<std::string>(positional.begin() + 2, positional.end()));
}

}  // namespace
}  // namespace winnow::tools

int main(int argc, char** argv) {
  using namespace winnow::tools;
  PrepareStandardStreams();
  EndInOrderWhenInterrupted();
  SetVerbs({WINNOW_VERBS, HelpVerb(), VersionVerb()});
  return Run(argv[0],
             WithoutAbseilFlags(WithOutputInFull(WithProgramApart({argv + 1, argv + argc}))));
}
