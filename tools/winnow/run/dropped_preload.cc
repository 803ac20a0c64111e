#include "tools/winnow/run/dropped_preload.h"

#include <absl/strings/match.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace winnow::inspect {
namespace {

using Words = std::vector<std::string>;

bool Always(const Words& /*arguments*/) { return true; }

bool HasNoScope(const Words& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--scope") == arguments.end();
}

// su is set-user-id, and clears the environment with "-", "-l", "-lc" or "--login".
bool IsOtherUserOrLogin(const Words& arguments) {
  return getuid() != 0 ||
         std::any_of(arguments.begin(), arguments.end(), [](absl::string_view word) {
           return word == "-" || word == "--login" ||
                  (absl::ConsumePrefix(&word, "-") && !absl::StartsWith(word, "-") &&
                   absl::StrContains(word, 'l'));
         });
}

// Returns true if env removes or sets LD_PRELOAD or WINNOW_POLICY.
bool ChangesVariables(const Words& arguments) {
  constexpr option kLongOptions[] = {
      {"ignore-environment", no_argument, nullptr, 'i'}, {"unset", required_argument, nullptr, 'u'},
      {"split-string", required_argument, nullptr, 'S'}, {"chdir", required_argument, nullptr, 'C'},
      {"argv0", required_argument, nullptr, 'a'},        {}};
  Words words = arguments;
  words.insert(words.begin(), "env");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const auto is_ours = [](absl::string_view name) {
    return name == "LD_PRELOAD" || name == "WINNOW_POLICY";
  };
  opterr = 0;
  optind = 0;  // restarts the scan, in glibc and musl
  for (int found = 0; (found = getopt_long(static_cast<int>(words.size()), pointers.data(),
                                           "+iu:S:C:a:", kLongOptions, nullptr)) != -1;) {
    if (found == 'i' || (found == 'u' && is_ours(optarg))) return true;
    if (found != 'S') continue;
    Words split = absl::StrSplit(optarg, absl::ByAnyChar(" \t\"'"), absl::SkipEmpty());
    split.insert(split.end(), words.begin() + optind, words.end());
    return ChangesVariables(split);
  }
  for (auto word = words.begin() + optind; word != words.end(); ++word) {
    if (*word == "-") return true;  // the same as -i
    const size_t equals = word->find('=');
    if (equals == std::string::npos) return false;
    if (is_ours(word->substr(0, equals))) return true;
  }
  return false;
}

struct Starter {
  absl::string_view name;
  bool (*drops)(const Words& arguments);
  absl::string_view starts_winnow;
};
constexpr Starter kStarters[] = {
    {"doas", Always, "doas winnow run PROGRAM"},
    {"env", ChangesVariables, "env -i winnow run PROGRAM"},
    {"pkexec", Always, "pkexec winnow run PROGRAM"},
    {"run0", Always, "run0 winnow run PROGRAM"},
    {"runuser", IsOtherUserOrLogin, "runuser USER -c 'winnow run PROGRAM'"},
    {"su", IsOtherUserOrLogin, "su USER -c 'winnow run PROGRAM'"},
    {"sudo", Always, "sudo winnow run PROGRAM"},
    {"systemd-run", HasNoScope, "systemd-run winnow run PROGRAM"},
};

}  // namespace

std::string WinnowBehind(absl::string_view name, const Words& arguments) {
  for (const Starter& starter : kStarters) {
    if (starter.name == name && starter.drops(arguments)) return std::string(starter.starts_winnow);
  }
  return std::string();
}

}  // namespace winnow::inspect
