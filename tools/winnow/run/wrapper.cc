#include "tools/winnow/run/wrapper.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace winnow::inspect {
namespace {

using Words = std::vector<std::string>;

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kPolicy[] = "WINNOW_POLICY";

// Options of a program that come before the command that it executes, in the form of getopt_long();
// options with a value end with a colon. Options with which it executes no command, such as -p for
// a process ID, are left out.
struct Wrapper {
  absl::string_view name;
  const char* options;
  absl::string_view long_options;
  size_t operands;  // number of operands before the command
};
constexpr Wrapper kWrappers[] = {
    {"chrt", "+abdfiorRvT:P:D:",
     "all-tasks batch deadline fifo idle other rr reset-on-fork verbose sched-runtime: "
     "sched-period: sched-deadline:",
     1},
    {"ionice", "+c:n:t", "class: classdata: ignore", 0},
    {"nice", "+n:0123456789", "adjustment:", 0},
    {"nohup", "+", "", 0},
    {"numactl", "+i:w:N:C:m:p:P:lab",
     "interleave: weighted-interleave: cpunodebind: physcpubind: membind: preferred: "
     "preferred-many: localalloc all balancing",
     0},
    {"setsid", "+cfw", "ctty fork wait", 0},
    {"stdbuf", "+i:o:e:", "input: output: error:", 0},
    {"taskset", "+ac", "all-tasks cpu-list", 1},
    {"time", "+o:f:apvq", "output: format: append portability verbose quiet", 0},
    {"timeout", "+k:s:fpv", "kill-after: signal: foreground preserve-status verbose", 1},
};

// Returns the index of the first word after the options; nullopt if an option is unknown.
std::optional<size_t> EndOfOptions(const Wrapper& wrapper, Words words) {
  std::vector<std::string> names = absl::StrSplit(wrapper.long_options, ' ', absl::SkipEmpty());
  std::vector<option> long_options;
  for (std::string& name : names) {
    const bool has_value = absl::EndsWith(name, ":");
    if (has_value) name.pop_back();
    long_options.push_back({name.c_str(), has_value ? required_argument : no_argument, nullptr, 1});
  }
  long_options.push_back({});
  words.insert(words.begin(), std::string(wrapper.name));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  opterr = 0;
  optind = 0;  // restarts the scan, in glibc and musl
  for (int found = 0; found != -1;) {
    found = getopt_long(static_cast<int>(words.size()), pointers.data(), wrapper.options,
                        long_options.data(), nullptr);
    if (found == '?') return std::nullopt;
  }
  return static_cast<size_t>(optind) - 1;
}

WrappedCommand BehindOptions(const Wrapper& wrapper, const Words& words) {
  const std::optional<size_t> end = EndOfOptions(wrapper, words);
  WrappedCommand command;
  if (!end) {
    command.is_known = false;
    return command;
  }
  size_t operands = wrapper.operands;
  // Some scheduling policies of chrt need no priority.
  if (wrapper.name == "chrt" && *end < words.size() && !absl::ascii_isdigit(words[*end][0])) {
    operands = 0;
  }
  command.words.assign(words.begin() + std::min(*end + operands, words.size()), words.end());
  return command;
}

WrappedCommand BehindEnv(const Words& words) {
  WrappedCommand command;
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view word = words[i];
    const bool unsets = absl::ConsumePrefix(&word, "--unset=") || absl::ConsumePrefix(&word, "-u");
    if (unsets && word.empty() && i + 1 < words.size()) word = words[++i];
    const bool clears_all =
        !unsets && (word == "-i" || word == "-" || word == "--ignore-environment");
    if (clears_all || (unsets && (word == kPreload || word == kPolicy))) {
      command.clears = clears_all ? kPreload : std::string(word);
      return command;
    }
    if (unsets || word == "--") continue;
    const bool changes_it = absl::StartsWith(word, "PATH=") ||
                            absl::StartsWith(word, absl::StrCat(kPreload, "=")) ||
                            absl::StartsWith(word, absl::StrCat(kPolicy, "="));
    if (absl::StartsWith(word, "-") || changes_it) {
      command.is_known = false;
      return command;
    }
    if (!absl::StrContains(word, '=')) {
      command.words.assign(words.begin() + i, words.end());
      return command;
    }
  }
  return command;
}

bool Has(const Words& words, absl::string_view searched) {
  return std::find(words.begin(), words.end(), searched) != words.end();
}

// Returns true for options of su and runuser that clear the environment: "-", "-l", "-lc",
// "--login".
bool IsLogin(absl::string_view word) {
  return word == "-" || word == "--login" ||
         (absl::ConsumePrefix(&word, "-") && !absl::StartsWith(word, "-") &&
          absl::StrContains(word, 'l'));
}

}  // namespace

std::optional<WrappedCommand> CommandBehind(absl::string_view name, const Words& words) {
  if (name == "env") return BehindEnv(words);
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.name == name) return BehindOptions(wrapper, words);
  }
  return std::nullopt;
}

std::string WinnowBehind(absl::string_view name, const Words& words) {
  constexpr absl::string_view kRun = "winnow run PROGRAM";
  if (name == "sudo" || name == "doas" || name == "pkexec" || name == "run0" ||
      (name == "systemd-run" && !Has(words, "--scope"))) {
    return absl::StrCat(name, " ", kRun);
  }
  if ((name == "su" || name == "runuser") &&
      (getuid() != 0 || std::any_of(words.begin(), words.end(), IsLogin))) {
    return absl::StrCat(name, " USER -c '", kRun, "'");
  }
  return std::string();
}

Words EnvWordsOf(absl::string_view argument) {
  // env takes the argument as one word without -S.
  const bool is_split =
      absl::ConsumePrefix(&argument, "-S") || absl::ConsumePrefix(&argument, "--split-string=");
  if (!is_split) return {std::string(argument)};
  if (argument.find_first_of("\"'\\$#") != argument.npos) return {};
  return absl::StrSplit(argument, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

}  // namespace winnow::inspect
