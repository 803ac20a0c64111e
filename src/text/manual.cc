#include "src/text/manual.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include "src/text/text_table.h"

namespace winnow::inspect {
namespace roff {

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

std::string Item(const std::string& term, absl::string_view meaning) {
  return absl::StrCat(".TP\n", term, "\n", Roff(meaning), "\n");
}

std::string Head(const std::string& name, absl::string_view summary, absl::string_view version) {
  // The summary continues "winnow-verify - ".
  std::string continued(summary);
  continued.front() = absl::ascii_tolower(static_cast<unsigned char>(continued.front()));
  return absl::StrCat(".TH ", Roff(absl::AsciiStrToUpper(name)), " 1 \"\" \"Winnow ", version,
                      "\" \"User Commands\"\n", Section("NAME"), Roff(name), " \\- ",
                      Roff(continued), "\n");
}

}  // namespace roff

std::string Paragraph(const std::string& text, size_t indent, size_t more) {
  const std::string spaces(indent, ' ');
  return absl::StrCat(
      spaces,
      absl::StrReplaceAll(WrapText(text, kHelpWidth - indent, more), {{"\n", "\n" + spaces}}),
      "\n");
}

const absl::string_view kOfferChoices =
    "  mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
    "  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
    "    compopt -o nospace 2>/dev/null || :\n"
    "  fi\n"
    "  return 0\n"
    "}\n";

}  // namespace winnow::inspect
