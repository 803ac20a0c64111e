#include "tools/winnow/cli/man_page.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <vector>

#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/help_text.h"
#include "winnow/version.h"

namespace winnow::tools {
namespace {

// Text as roff has it: a dash that may be copied, and no line that begins as a request does.
std::string Roff(absl::string_view text) {
  std::string roff;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool looks_like_request = absl::StartsWith(line, ".") || absl::StartsWith(line, "'");
    absl::StrAppend(&roff, roff.empty() ? "" : "\n", looks_like_request ? "\\&" : "",
                    absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}}));
  }
  return roff;
}

std::string Bold(absl::string_view text) { return absl::StrCat("\\fB", Roff(text), "\\fR"); }

std::string Section(absl::string_view title) { return absl::StrCat(".SH ", title, "\n"); }

// A term and what it means.
std::string Item(const std::string& term, absl::string_view meaning) {
  return absl::StrCat(".TP\n", term, "\n", Roff(meaning), "\n");
}

// A summary goes on from "winnow-verify - ".
std::string Continued(absl::string_view summary) {
  std::string text(summary);
  text.front() = absl::ascii_tolower(static_cast<unsigned char>(text.front()));
  return text;
}

std::string Head(const std::string& name, absl::string_view summary) {
  return absl::StrCat(".TH ", Roff(absl::AsciiStrToUpper(name)), " 1 \"\" \"Winnow ", Version(),
                      "\" \"User Commands\"\n", Section("NAME"), Roff(name), " \\- ",
                      Roff(Continued(summary)), "\n");
}

std::string ExitStatus() {
  std::string text = Section("EXIT STATUS");
  for (const ExitCodeText& code : kExitCodes) {
    absl::StrAppend(&text, Item(Bold(code.code), code.meaning));
  }
  return text;
}

std::string Name(const Verb& verb) { return absl::StrCat("winnow-", verb.name); }

// The pages but the one of this name.
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
  absl::StrAppend(&text, Section("ENVIRONMENT"),
                  Item(Bold("WINNOW_KERNEL"),
                       "portable, avx2, avx512 or neon forces this kernel where the machine has "
                       "it; else the fastest is taken."),
                  ExitStatus(), SeeAlso("winnow"));
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
  return absl::StrCat(text, ExitStatus(), SeeAlso(Name(verb)));
}

}  // namespace winnow::tools
