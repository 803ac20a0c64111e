#include "src/cli/help.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>

#include "src/cli/flags.h"
#include "src/text/text_table.h"
#include "winnow/version.h"

namespace winnow::cli {
namespace {

constexpr size_t kDeeper = 4;

// Returns the range and the default of a flag's value, or an empty string.
std::string LimitsOf(const Flag& flag) {
  const std::string range = flag.value.is_number() ? flag.value.RangeText() : "";
  const std::string preset = flag.abseil().DefaultValue();
  if (flag.value.form == FlagValue::Form::kNone && preset != "true") return "";
  if (range.empty() && preset.empty()) return "";
  return absl::StrCat("(", range, range.empty() || preset.empty() ? "" : "; ",
                      preset.empty() ? "" : "default: ", preset, ")");
}

// Returns the text in roff: dashes can be copied, and no line begins like a request.
std::string Roff(absl::string_view text) {
  const std::string roff =
      absl::StrReplaceAll(absl::StrCat("\n", text),
                          {{"\\", "\\e"}, {"-", "\\-"}, {"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  return roff.substr(1);
}

std::string Bold(absl::string_view text) { return absl::StrCat("\\fB", Roff(text), "\\fR"); }

std::string RoffEntry(const Entry& entry) {
  return absl::StrCat(".TP\n", Bold(entry.term),
                      entry.value.empty() ? "" : absl::StrCat("=\\fI", Roff(entry.value), "\\fR"),
                      entry.limits.empty() ? "" : " ", Roff(entry.limits), "\n",
                      Roff(entry.meaning), "\n");
}

std::string HelpEntry(const Entry& entry) {
  constexpr size_t kShort = 3;  // an exit code
  if (entry.term.size() <= kShort) {
    return Paragraph(absl::StrFormat("%-3s  %s", entry.term, entry.meaning), 2);
  }
  return absl::StrCat("  ", entry.term, entry.value.empty() ? "" : "=", entry.value,
                      entry.limits.empty() ? "" : " ", entry.limits, "\n",
                      Paragraph(entry.meaning, 2 + kDeeper));
}

constexpr absl::string_view kCompletion =
    R"(# Completion of flags for bash, as @printed_by prints it.
_@program() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb='' i
  local choices='' flags='' flag=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      verb=${COMP_WORDS[i]}
      break
    fi
  done
  # What is behind a flag's = is known, or a file.
  if [[ $word == '=' ]]; then
    flag=$before word=''
  elif [[ $before == '=' ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local verbs='@verbs'
  case $verb in
@cases  esac
  if [[ -n $flag ]]; then
    case $verb$flag in
@values      *) return 0 ;;
    esac
  elif [[ $word == -* ]]; then
    choices=$flags
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null || :
  fi
  return 0
}
# Files where there is nothing else.
complete -o default -F _@program @program
)";

// Completes the words of a verb that starts a program, up to the program's name. Bash splits values
// of flags at : and =.
constexpr absl::string_view kProgramCompletion = R"(
      for ((++i; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
          = | :) ((++i)) ;;
          -*) ;;
          *) return 0 ;;
        esac
      done
      if [[ $word != -* && -z $flag && $before != : ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
        return 0
      fi
     )";

}  // namespace

Section FlagSection(const std::string& title, absl::string_view group) {
  Section section{title, {}};
  for (const Flag* const flag : FlagsOf(group)) {
    section.entries.push_back({absl::StrCat("--", flag->name), flag->abseil().Help(),
                               std::string(flag->value.name), LimitsOf(*flag)});
  }
  return section;
}

std::string Paragraph(const std::string& text, size_t indent, size_t more) {
  const std::string spaces(indent, ' ');
  const std::string lines = inspect::WrapText(std::string(absl::StripTrailingAsciiWhitespace(text)),
                                              kHelpWidth - indent, more);
  return absl::StrCat(spaces, absl::StrReplaceAll(lines, {{"\n", "\n" + spaces}}), "\n");
}

std::string HelpText(const Command& command) {
  std::string text =
      absl::StrCat(Paragraph(absl::StrCat(command.name, " ", command.arguments), 0, kDeeper), "\n",
                   command.summary, ".\n\n");
  for (const absl::string_view line :
       absl::StrSplit(absl::StripSuffix(command.about, "\n"), '\n')) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    absl::StrAppend(&text, line.size() <= kHelpWidth
                               ? absl::StrCat(line, "\n")
                               : Paragraph(std::string(line.substr(indent)), indent));
  }
  for (const Section& section : command.sections) {
    if (section.is_for_manual_only || section.entries.empty()) continue;
    absl::StrAppend(&text, "\n", section.title, ":\n");
    for (const Entry& entry : section.entries) absl::StrAppend(&text, HelpEntry(entry));
  }
  return text;
}

std::string ManPage(const Command& command) {
  const std::string name = absl::StrReplaceAll(command.name, {{" ", "-"}});
  std::string summary = command.summary;  // continues "winnow-verify - "
  summary.front() = absl::ascii_tolower(static_cast<unsigned char>(summary.front()));
  std::string page = absl::StrCat(
      ".TH ", Roff(absl::AsciiStrToUpper(name)), " 1 \"\" \"Winnow ", Version(),
      "\" \"User Commands\"\n.SH NAME\n", Roff(name), " \\- ", Roff(summary), "\n.SH SYNOPSIS\n",
      Bold(command.name), command.arguments.empty() ? "" : " ", Roff(command.arguments), "\n");
  if (!command.about.empty()) {
    absl::StrAppend(&page, ".SH DESCRIPTION\n",
                    Roff(absl::StripTrailingAsciiWhitespace(command.about)), "\n");
  }
  for (const Section& section : command.sections) {
    if (section.entries.empty()) continue;
    absl::StrAppend(&page, ".SH ", Roff(absl::AsciiStrToUpper(section.title)), "\n");
    for (const Entry& entry : section.entries) absl::StrAppend(&page, RoffEntry(entry));
  }
  absl::StrAppend(&page, ".SH SEE ALSO\n");
  for (const std::string& other : command.see_also) {
    absl::StrAppend(&page, Bold(other), other == command.see_also.back() ? "(1)\n" : "(1),\n");
  }
  return page;
}

std::string BashCompletion(const std::string& program, const std::string& flags,
                           const std::string& printed_by, const std::vector<CompletedVerb>& verbs) {
  std::string names, cases, values;
  for (const CompletedVerb& verb : verbs) {
    std::string words;
    for (const std::string& group : verb.groups) {
      for (const Flag* const flag : FlagsOf(group)) {
        absl::StrAppend(&words, "--", flag->name, flag->value.name.empty() ? " " : "= ");
        if (flag->value.choices.empty()) continue;
        absl::StrAppend(&values, "      ", verb.name.empty() ? "*" : verb.name, "--", flag->name,
                        ") choices='", flag->value.choices, "' ;;\n");
      }
    }
    absl::StrAppend(&names, names.empty() ? "" : " ", verb.name);
    absl::StrAppend(&cases, "    ", verb.name.empty() ? "*" : verb.name, ") ",
                    verb.takes_verb ? "choices=$verbs " : "", "flags='", words,
                    verb.name.empty() ? flags : "--help", "'",
                    verb.starts_program ? kProgramCompletion : "", " ;;\n");
  }
  const std::string none = absl::StrCat("    '') choices=$verbs flags='", flags, "' ;;\n");
  return absl::StrReplaceAll(kCompletion, {{"@program", program},
                                           {"@printed_by", printed_by},
                                           {"@verbs", names},
                                           {"@cases", names.empty() ? cases : none + cases},
                                           {"@values", values}});
}

}  // namespace winnow::cli
