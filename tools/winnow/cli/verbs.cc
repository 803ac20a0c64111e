#include "tools/winnow/cli/verbs.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include "src/cli/closest_name.h"

WINNOW_SHARED_FLAG(kJsonFlag, bool, json, false, FlagValue(),
                   "write one JSON document to standard output");

namespace winnow::tools {
namespace {

std::vector<Verb>& AllVerbs() {
  static auto* const all = new std::vector<Verb>;
  return *all;
}

}  // namespace

void SetVerbs(std::vector<Verb> verbs) { AllVerbs() = std::move(verbs); }

const std::vector<Verb>& Verbs() { return AllVerbs(); }

const Verb* FindVerb(absl::string_view name) {
  const auto found = std::find_if(Verbs().begin(), Verbs().end(),
                                  [name](const Verb& verb) { return verb.name == name; });
  return found == Verbs().end() ? nullptr : &*found;
}

std::string NoSuchVerb(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Verb& verb : Verbs()) {
    names.push_back(verb.name);
  }
  const absl::string_view meant = cli::ClosestName(name, names);
  return absl::StrCat(
      "there is no verb '", name, "'; ",
      meant.empty() ? "there are: " : absl::StrCat("did you mean '", meant, "'? There are: "),
      absl::StrJoin(names, ", "));
}

std::string ArgumentsOf(const Verb& verb) {
  std::string text = absl::StrCat(" ", verb.arguments);
  std::vector<const Flag*> named;
  for (size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    const size_t name = at + 2;
    at = std::min(text.find_first_of(" |])", name), text.size());
    named.push_back(cli::FindFlag(verb.name, absl::string_view(text).substr(name, at - name)));
    if (named.back() != nullptr) text.insert(at, named.back()->value_text());
  }
  std::string others;
  for (const Flag* flag : FlagsOf(verb.name)) {
    if (std::find(named.begin(), named.end(), flag) == named.end()) {
      absl::StrAppend(&others, " [--", flag->name, flag->value_text(), "]");
    }
  }
  constexpr std::string_view kPlace = " [FLAGS]";
  const size_t place = text.find(kPlace);
  text.replace(std::min(place, text.size()), kPlace.size(), others);
  return std::string(absl::StripAsciiWhitespace(text));
}

bool IsSet(const Verb& verb, absl::string_view name) {
  const Flag* const flag = cli::FindFlag(verb.name, name);
  return flag != nullptr && flag->abseil().CurrentValue() != flag->abseil().DefaultValue();
}

int WrongUsage(const Verb& verb, absl::string_view problem) {
  absl::FPrintF(stderr, "winnow %s: %s\nright is: winnow %s %s (see winnow help %s)\n", verb.name,
                problem, verb.name, ArgumentsOf(verb), verb.name);
  return verb.wrong_usage();
}

}  // namespace winnow::tools
