#include "tools/winnow/cli/help_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/text/manual.h"

namespace winnow::tools {
namespace {

using inspect::Paragraph;

constexpr size_t kDeeper = 4;

std::string UsageLine(const Verb& verb) {
  return absl::StrCat("winnow ", verb.name, ArgumentsOf(verb));
}

std::string FlagHelp(const Flag& flag) {
  const std::string limits = LimitsOf(flag);
  return absl::StrCat("  --", flag.name, flag.value_text(), limits.empty() ? "" : " ", limits, "\n",
                      Paragraph(flag.abseil().Help(), 2 + kDeeper));
}

}  // namespace

std::string LimitsOf(const Flag& flag) {
  if (flag.value.form == FlagValue::Form::kNone) return std::string();
  const std::string range = flag.value.is_number() ? flag.value.range.Text() : std::string();
  const std::string preset = flag.abseil().DefaultValue();
  if (range.empty() && preset.empty()) return std::string();
  return absl::StrCat("(", range, range.empty() || preset.empty() ? "" : "; ",
                      preset.empty() ? "" : "default: ", preset, ")");
}

absl::Span<const ExitCodeText> ExitCodesOf(const Verb& verb) {
  if (verb.starts_program) return kStartExitCodes;
  return kExitCodes;
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
    absl::StrAppend(&text, line.size() <= inspect::kHelpWidth
                               ? absl::StrCat(line, "\n")
                               : Paragraph(std::string(line.substr(indent)), indent));
  }
  const std::vector<const Flag*>& flags = FlagsOf(verb.name);
  absl::StrAppend(&text, flags.empty() ? "" : "\nFlags:\n");
  for (const Flag* flag : flags) {
    absl::StrAppend(&text, FlagHelp(*flag));
  }
  if (!verb.examples.empty()) {
    absl::StrAppend(&text, "\nExamples:\n");
  }
  for (const Example& example : verb.examples) {
    absl::StrAppend(&text, "  ", example.command, "\n",
                    Paragraph(std::string(example.shows), 2 + kDeeper));
  }
  absl::StrAppend(&text, "\nExit codes:\n");
  for (const ExitCodeText& code : ExitCodesOf(verb)) {
    absl::StrAppend(&text, Paragraph(absl::StrFormat("%-3s  %s", code.code, code.meaning), 2));
  }
  return text;
}

}  // namespace winnow::tools
