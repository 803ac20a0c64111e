#include "tools/flag_check.h"

#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>

#include "tools/closest_name.h"

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
    return NoSuchFlag(verb, argument, name);
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

}  // namespace

std::string CheckFlags(const Verb* verb, const std::vector<std::string>& arguments) {
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

}  // namespace winnow::tools
