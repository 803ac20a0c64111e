#include "tools/winnow/cli/help_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/text/text_table.h"
#include "tools/winnow/cli/flag_check.h"

namespace winnow::tools {
namespace {

constexpr size_t kWidth = 90;
constexpr size_t kDeeper = 4;

// Lines that begin with `indent` spaces, those after the first with `more` in addition.
std::string Paragraph(const std::string& text, size_t indent, size_t more = 0) {
  const std::string spaces(indent, ' ');
  return absl::StrCat(
      spaces,
      absl::StrReplaceAll(inspect::WrapText(text, kWidth - indent, more), {{"\n", "\n" + spaces}}),
      "\n");
}

// What the usage line has behind "--name=", as N; empty: the flag is not in it.
std::string ValueIn(absl::string_view usage, absl::string_view flag) {
  const std::string start = absl::StrCat("--", flag, "=");
  const size_t at = usage.find(start);
  if (at == absl::string_view::npos) {
    return std::string();
  }
  const absl::string_view rest = usage.substr(at + start.size());
  return std::string(rest.substr(0, std::min(rest.find_first_of(" ])"), rest.find("|--"))));
}

// As the verb's usage line says, or else, where that is short, that of another verb.
std::string ValueOf(const Verb& verb, absl::string_view flag, const absl::CommandLineFlag& found) {
  std::string value = ValueIn(verb.arguments, flag);
  const std::vector<Verb>& verbs = Verbs();
  for (auto other = verbs.begin(); value.empty() && other != verbs.end(); ++other) {
    if (FindFlag(*other, flag) == &found) {
      value = ValueIn(other->arguments, flag);
    }
  }
  const bool is_number = found.IsOfType<int>() || found.IsOfType<uint64_t>();
  return !value.empty() ? value : is_number ? "N" : "VALUE";
}

std::string LimitsOf(const absl::CommandLineFlag& flag) {
  const std::optional<inspect::NumberRange> range = RangeOf(flag);
  const std::string preset = flag.DefaultValue();
  if (!range && preset.empty()) return std::string();
  return absl::StrCat("(", range ? range->Text() : "", range && !preset.empty() ? "; " : "",
                      preset.empty() ? "" : absl::StrCat("default: ", preset), ")");
}

std::string FlagHelp(const FlagText& flag) {
  return absl::StrCat("  --", flag.name, flag.value.empty() ? "" : "=", flag.value,
                      flag.limits.empty() ? "" : " ", flag.limits, "\n",
                      Paragraph(flag.help, 2 + kDeeper));
}

}  // namespace

FlagText TextOfFlag(const Verb& verb, absl::string_view flag) {
  FlagText text;
  text.name = std::string(flag);
  if (const absl::CommandLineFlag* found = FindFlag(verb, flag)) {
    const bool is_switch = found->IsOfType<bool>();
    text.value = is_switch ? std::string() : ValueOf(verb, flag, *found);
    text.help = found->Help();
    text.limits = is_switch ? std::string() : LimitsOf(*found);
  }
  return text;
}

std::string UsageLine(const Verb& verb) {
  return absl::StrCat("winnow ", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments);
}

std::string OverallHelp() {
  std::string text = absl::StrCat("winnow: ", kPurpose, "\n\n");
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(&text, Paragraph(UsageLine(verb), 2, kDeeper),
                    Paragraph(std::string(verb.summary), 2 + kDeeper));
  }
  return text;
}

std::string VerbHelp(const Verb& verb) {
  std::string text =
      absl::StrCat(Paragraph(UsageLine(verb), 0, kDeeper), "\n", verb.summary, ".\n\n");
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(verb.help, "\n"), '\n')) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    absl::StrAppend(&text, line.size() <= kWidth
                               ? absl::StrCat(line, "\n")
                               : Paragraph(std::string(line.substr(indent)), indent));
  }
  if (!verb.flags.empty()) {
    absl::StrAppend(&text, "\nFlags:\n");
  }
  for (const absl::string_view flag : verb.flags) {
    absl::StrAppend(&text, FlagHelp(TextOfFlag(verb, flag)));
  }
  if (!verb.examples.empty()) {
    absl::StrAppend(&text, "\nExamples:\n");
  }
  for (const Example& example : verb.examples) {
    absl::StrAppend(&text, "  ", example.command, "\n",
                    Paragraph(std::string(example.shows), 2 + kDeeper));
  }
  absl::StrAppend(&text, "\nExit codes:\n");
  for (const ExitCodeText& code : kExitCodes) {
    absl::StrAppend(&text, Paragraph(absl::StrFormat("%-3s  %s", code.code, code.meaning), 2));
  }
  return text;
}

}  // namespace winnow::tools
