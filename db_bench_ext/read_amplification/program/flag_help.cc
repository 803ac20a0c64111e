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

std::string FlagText::Word() const {
  return absl::StrCat("--", name, value.empty() ? "" : "=", value);
}

std::vector<FlagText> FlagsOf(const std::string& file) {
  std::map<std::string, FlagText> texts;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::EndsWith(flag->Filename(), file)) continue;
    texts[std::string(name)] = {std::string(name), flag->DefaultValue(), flag->Help()};
  }
  std::vector<FlagText> flags;
  for (const auto& [name, text] : texts) flags.push_back(text);
  return flags;
}

std::string FlagHelp(const std::string& file) {
  std::string help;
  for (const FlagText& flag : FlagsOf(file)) {
    absl::StrAppend(&help, "  ", flag.Word(), "\n", Wrapped(flag.help));
  }
  return help;
}

bool AsksForHelp(const std::string& argument) {
  return argument == "--help" || argument == "-help" || argument == "-h";
}

}  // namespace winnow::bench
