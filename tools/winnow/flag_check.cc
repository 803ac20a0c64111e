#include "tools/winnow/flag_check.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>

#include "tools/winnow/closest_name.h"

namespace winnow::tools {
namespace {

std::string NoSuchFlag(const Verb* verb, absl::string_view argument, absl::string_view name) {
  const absl::string_view meant =
      verb == nullptr ? absl::string_view() : ClosestName(name, verb->flags);
  return absl::StrCat("there is no flag ", argument,
                      verb == nullptr ? "" : absl::StrCat(" for ", verb->name),
                      meant.empty() ? "" : absl::StrCat("; did you mean --", meant, "?"),
                      meant.empty() ? "; after -- arguments may begin with -"
                                    : " After -- arguments may begin with -");
}

bool IsFlag(absl::string_view argument) {
  return absl::StartsWith(argument, "-") && argument != "-";
}

absl::string_view WithoutDashes(absl::string_view argument) {
  while (absl::ConsumePrefix(&argument, "-")) {
  }
  return argument;
}

std::string CheckFlag(const Verb* verb, absl::string_view argument) {
  absl::string_view name = WithoutDashes(argument);
  const size_t equals = name.find('=');
  const absl::string_view value =
      equals == absl::string_view::npos ? "true" : name.substr(equals + 1);
  name = name.substr(0, equals);
  absl::CommandLineFlag* flag = verb == nullptr ? nullptr : FindFlag(*verb, name);
  if (flag == nullptr) {
    return NoSuchFlag(verb, argument, name);
  }
  const bool has_value = equals != absl::string_view::npos && !value.empty();
  if (!has_value && !flag->IsOfType<bool>()) {
    return absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE");
  }
  std::string error;
  const bool parsed = flag->ParseFrom(value, &error);
  // Of several verbs' flags of one name, Abseil knows each by a name of its own.
  error = absl::StrReplaceAll(
      error, {{absl::StrCat("'", flag->Name(), "'"), absl::StrCat("'", name, "'")}});
  return parsed ? std::string()
                : absl::StrCat("the flag --", name, " can't be '", value, "'",
                               error.empty() ? "" : ": ", error);
}

}  // namespace

absl::CommandLineFlag* FindFlag(const Verb& verb, absl::string_view name) {
  if (std::find(verb.flags.begin(), verb.flags.end(), name) == verb.flags.end()) {
    return nullptr;
  }
  absl::CommandLineFlag* const own = absl::FindCommandLineFlag(absl::StrCat(verb.name, "_", name));
  return own != nullptr ? own : absl::FindCommandLineFlag(name);
}

std::vector<std::string> ForAbseil(const Verb& verb, std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    const absl::string_view flag = WithoutDashes(*argument);
    const size_t equals = std::min(flag.find('='), flag.size());
    const absl::CommandLineFlag* const found =
        IsFlag(*argument) ? FindFlag(verb, flag.substr(0, equals)) : nullptr;
    if (found != nullptr) {
      *argument = absl::StrCat("--", found->Name(), flag.substr(equals));
    }
  }
  return arguments;
}

std::string CheckFlags(const Verb* verb, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      break;
    }
    const std::string problem = IsFlag(argument) ? CheckFlag(verb, argument) : "";
    if (!problem.empty()) {
      return problem;
    }
  }
  return std::string();
}

}  // namespace winnow::tools
