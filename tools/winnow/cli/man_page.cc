#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/types/span.h>

#include <vector>

#include "src/text/manual.h"
#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/help_text.h"
#include "winnow/version.h"

namespace winnow::tools {
namespace {

using inspect::roff::Bold;
using inspect::roff::Item;
using inspect::roff::Roff;
using inspect::roff::Section;

std::string Head(const std::string& name, absl::string_view summary) {
  return inspect::roff::Head(name, summary, Version());
}

std::string ExitStatus(absl::Span<const ExitCodeText> codes) {
  std::string text = Section("EXIT STATUS");
  for (const ExitCodeText& code : codes) {
    absl::StrAppend(&text, Item(Bold(code.code), code.meaning));
  }
  return text;
}

std::string Environment(absl::Span<const Variable> variables) {
  std::string text = variables.empty() ? "" : Section("ENVIRONMENT");
  for (const Variable& variable : variables) {
    absl::StrAppend(&text, Item(Bold(variable.name), variable.says));
  }
  return text;
}

std::string Name(const Verb& verb) { return absl::StrCat("winnow-", verb.name); }

// Returns references to all manual pages except the page `own`.
std::string SeeAlso(absl::string_view own) {
  std::string text = own == "winnow" ? "" : "\\fBwinnow\\fR(1)";
  for (const Verb& verb : Verbs()) {
    if (Name(verb) != own) {
      absl::StrAppend(&text, text.empty() ? "" : ",\n", Bold(Name(verb)), "(1)");
    }
  }
  return absl::StrCat(Section("SEE ALSO"), text, "\n");
}

std::string Synopsis(const Verb& verb) {
  const std::string arguments = ArgumentsOf(verb);
  return absl::StrCat(Bold(absl::StrCat("winnow ", verb.name)), arguments.empty() ? "" : " ",
                      Roff(absl::StripLeadingAsciiWhitespace(arguments)), "\n");
}

std::string Options(const Verb& verb) {
  const std::vector<const Flag*>& flags = FlagsOf(verb.name);
  std::string text = flags.empty() ? "" : Section("OPTIONS");
  for (const Flag* flag : flags) {
    const absl::string_view value = flag->value.name;
    const std::string limits = LimitsOf(*flag);
    const std::string term =
        absl::StrCat(Bold(absl::StrCat("--", flag->name)),
                     value.empty() ? "" : absl::StrCat("=\\fI", Roff(value), "\\fR"),
                     limits.empty() ? "" : absl::StrCat(" ", Roff(limits)));
    absl::StrAppend(&text, Item(term, flag->abseil().Help()));
  }
  return text;
}

}  // namespace

std::string OverallManPage() {
  std::string text =
      absl::StrCat(Head("winnow", absl::StrCat("shows and checks ", kPurpose)), Section("SYNOPSIS"),
                   Bold("winnow"), " \\fIVERB\\fR [\\fIARGUMENTS\\fR]\n", Section("VERBS"));
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(&text, Item(Bold(verb.name), absl::StrCat(verb.summary, ".")));
  }
  constexpr Variable kKernel = {
      "WINNOW_KERNEL",
      "portable, avx2, gfni, avx512 or neon forces this kernel where the machine has it; else the "
      "fastest is taken."};
  absl::StrAppend(&text, Environment({kKernel}), ExitStatus(kExitCodes), SeeAlso("winnow"));
  return text;
}

std::string VerbManPage(const Verb& verb) {
  std::string text = absl::StrCat(
      Head(Name(verb), verb.summary), Section("SYNOPSIS"), Synopsis(verb), Section("DESCRIPTION"),
      Roff(absl::StripTrailingAsciiWhitespace(verb.help)), "\n", Options(verb));
  if (!verb.examples.empty()) {
    absl::StrAppend(&text, Section("EXAMPLES"));
  }
  for (const Example& example : verb.examples) {
    absl::StrAppend(&text, Item(Bold(example.command), example.shows));
  }
  return absl::StrCat(text, Environment(verb.environment), ExitStatus(ExitCodesOf(verb)),
                      SeeAlso(Name(verb)));
}

}  // namespace winnow::tools
