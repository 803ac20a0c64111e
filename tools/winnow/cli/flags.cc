#include "tools/winnow/cli/flags.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <map>

WINNOW_SHARED_FLAG(kJsonFlag, bool, json, false, FlagValue(),
                   "write one JSON document to standard output");

namespace winnow::tools {
namespace {

std::map<absl::string_view, std::vector<const Flag*>>& AllFlags() {
  static auto* const all = new std::map<absl::string_view, std::vector<const Flag*>>;
  return *all;
}

}  // namespace

std::string Flag::value_text() const {
  return absl::StrCat(value.name.empty() ? "" : "=", value.name);
}

absl::CommandLineFlag& Flag::abseil() const { return *absl::FindCommandLineFlag(in_abseil); }

const std::vector<const Flag*>& FlagsOf(absl::string_view verb) { return AllFlags()[verb]; }

const Flag* FindFlag(absl::string_view verb, absl::string_view name) {
  const std::vector<const Flag*>& flags = FlagsOf(verb);
  const std::string written = absl::StrReplaceAll(name, {{"-", "_"}});
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [&written](const Flag* flag) { return flag->name == written; });
  return found == flags.end() ? nullptr : *found;
}

bool AddFlag(absl::string_view verb, const Flag* flag) {
  AllFlags()[verb].push_back(flag);
  return true;
}

}  // namespace winnow::tools
