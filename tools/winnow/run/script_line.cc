#include "tools/winnow/run/script_line.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

namespace winnow::inspect {
namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kPolicy[] = "WINNOW_POLICY";

}  // namespace

std::optional<FirstLine> FirstLineOf(absl::string_view head) {
  if (!absl::ConsumePrefix(&head, "#!")) return std::nullopt;
  const bool is_cut = head.find('\n') == absl::string_view::npos && head.size() + 2 == kLineBytes;
  head = head.substr(0, head.find('\n'));
  head = absl::StripLeadingAsciiWhitespace(head.substr(0, head.find('\0')));
  const size_t end = head.find_first_of(" \t");
  if (head.empty() || (is_cut && end == absl::string_view::npos)) return std::nullopt;
  FirstLine line;
  line.interpreter = std::string(head.substr(0, end));
  if (end != absl::string_view::npos) {
    line.argument = std::string(absl::StripAsciiWhitespace(head.substr(end)));
  }
  return line;
}

EnvCommand EnvCommandOf(const std::vector<std::string>& words) {
  EnvCommand command;
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
    if (absl::StartsWith(word, "-") || changes_it) return command;
    if (!absl::StrContains(word, '=')) {
      command.program = std::string(word);
      return command;
    }
  }
  return command;
}

std::vector<std::string> EnvWordsOf(absl::string_view argument) {
  // Else all of it is one word.
  const bool is_split =
      absl::ConsumePrefix(&argument, "-S") || absl::ConsumePrefix(&argument, "--split-string=");
  if (!is_split) return {std::string(argument)};
  if (argument.find_first_of("\"'\\$#") != argument.npos) return {};
  return absl::StrSplit(argument, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

}  // namespace winnow::inspect
