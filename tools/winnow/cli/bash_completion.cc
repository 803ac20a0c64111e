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
    "  # The value of a flag is a file, if anything that is known.\n"
    "  [[ $word != '=' && $before != '=' ]] || return 0\n";

constexpr absl::string_view kTail =
    "  esac\n"
    "  [[ $word != -* ]] || choices=$flags\n";

// "--json --samples= "; a value comes behind the second.
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
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(&names, names.empty() ? "" : " ", verb.name);
    const absl::string_view names_verbs = verb.name == "help" ? "choices=$verbs " : "";
    absl::StrAppend(&cases, "    ", verb.name, ") ", names_verbs, "flags='", FlagWords(verb),
                    "' ;;\n");
  }
  return absl::StrCat(kHead, "  local verbs='", names, "'\n  case $verb in\n",
                      "    '') choices=$verbs flags='--help --version' ;;\n", cases, kTail,
                      inspect::kOfferChoices,
                      "# Files where there is nothing else.\n"
                      "complete -o default -F _winnow winnow\n");
}

}  // namespace winnow::tools
