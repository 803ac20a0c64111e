#include "db_bench_ext/read_amplification/program/flag_help.h"

#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <map>

namespace winnow::bench {
namespace {

constexpr size_t kHelpWidth = 90;
constexpr char kIndent[] = "      ";

// Lines of words, indented.
std::string Wrapped(const std::string& text) {
  std::string lines, line = kIndent;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > kHelpWidth) {
      absl::StrAppend(&lines, line, "\n");
      line = kIndent;
    }
    absl::StrAppend(&line, line == kIndent ? "" : " ", word);
  }
  return absl::StrCat(lines, line, "\n");
}

}  // namespace

bool AsksForHelp(const std::string& argument) {
  return argument == "--help" || argument == "-help" || argument == "-h";
}

std::string FlagHelp(const std::string& file) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::EndsWith(flag->Filename(), file)) continue;
    const std::string value = flag->DefaultValue();
    texts[std::string(name)] =
        absl::StrCat("  --", name, value.empty() ? "" : "=", value, "\n", Wrapped(flag->Help()));
  }
  std::string help;
  for (const auto& [name, text] : texts) help += text;
  return help;
}

std::string GroupedFlagHelp(const std::vector<FlagGroup>& groups) {
  std::string help;
  for (const FlagGroup& group : groups) {
    absl::StrAppend(&help, help.empty() ? "" : "\n", group.title, "\n\n", FlagHelp(group.file));
  }
  return help;
}

}  // namespace winnow::bench
