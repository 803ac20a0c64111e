#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>

#include "src/text/manual.h"
#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/help_text.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {
namespace {

constexpr absl::string_view kHead =
    "# Completion of winnow's verbs and flags for bash, as winnow help --completion prints it.\n"
    "_winnow() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb='' i\n"
    "  local choices='' flags=''\n"
    "  COMPREPLY=()\n"
    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "    if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
    "      verb=${COMP_WORDS[i]}\n"
    "      break\n"
    "    fi\n"
    "  done\n"
    "  # What is behind a flag's = is known, or a file.\n"
    "  local flag=''\n"
    "  if [[ $word == '=' ]]; then\n"
    "    flag=$before word=''\n"
    "  elif [[ $before == '=' ]]; then\n"
    "    flag=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n";

// Completes the words of a verb that starts a program, up to the program's name; later words belong
// to the program. Bash splits values of flags at : and =.
constexpr absl::string_view kPrograms =
    "      for ((++i; i < COMP_CWORD; ++i)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "          = | :) ((++i)) ;;\n"
    "          -*) ;;\n"
    "          *) return 0 ;;\n"
    "        esac\n"
    "      done\n"
    "      if [[ $word != -* && -z $flag && $before != : ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
    "        return 0\n"
    "      fi\n";

constexpr absl::string_view kTail =
    "      *) return 0 ;;\n"
    "    esac\n"
    "  elif [[ $word == -* ]]; then\n"
    "    choices=$flags\n"
    "  fi\n";

// Returns a verb's flags with a space after each, and = after those that need a value: "--json
// --samples= ".
std::string FlagWords(const Verb& verb) {
  std::string words;
  for (const Flag* flag : FlagsOf(verb.name)) {
    absl::StrAppend(&words, "--", flag->name, flag->value.name.empty() ? "" : "=", " ");
  }
  return words + "--help";
}

}  // namespace

std::string BashCompletion() {
  std::string names;
  std::string cases;
  std::string values;
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(&names, names.empty() ? "" : " ", verb.name);
    const absl::string_view names_verbs = verb.name == "help" ? "choices=$verbs " : "";
    absl::StrAppend(&cases, "    ", verb.name, ") ", names_verbs, "flags='", FlagWords(verb), "'",
                    verb.starts_program ? absl::StrCat("\n", kPrograms, "      ;;\n") : " ;;\n");
    for (const Flag* flag : FlagsOf(verb.name)) {
      if (flag->value.choices.empty()) continue;
      absl::StrAppend(&values, "      ", verb.name, "--", flag->name, ") choices='",
                      flag->value.choices, "' ;;\n");
    }
  }
  return absl::StrCat(kHead, "  local verbs='", names, "'\n  case $verb in\n",
                      "    '') choices=$verbs flags='--help --version' ;;\n", cases,
                      "  esac\n  if [[ -n $flag ]]; then\n    case $verb$flag in\n", values, kTail,
                      inspect::kOfferChoices,
                      "# Files where there is nothing else.\n"
                      "complete -o default -F _winnow winnow\n");
}

}  // namespace winnow::tools
