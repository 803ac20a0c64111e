#include "src/text/report_page.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <string_view>

#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

// Maximum number of characters of a cell's text without a line break.
constexpr size_t kLongestPiece = 24;

// Style sheet of a page, in addition to kLightColours and kChartStyle, which standalone charts use
// too.
constexpr char kStyle[] = R"(
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1419; --ink: #e6edf3; --soft: #9da7b1; --rule: #30363d; --grid: #232a32;
    --focus: #8ab4ff; --inside: #0f1419;
    --c0: #8b949e; --c1: #56a9e0; --c2: #f2854a; --c3: #2fc295; --c4: #e39bc4; --c5: #e0b83a;
    --c6: #8ccbf2; --c7: #f0a58a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 112rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: clamp(1.4rem, 4.5vw, 2rem); line-height: 1.25; margin: 0 0 1rem; max-width: 46rem;
     text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 3rem 0 .25rem; padding-top: 1rem;
     border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p, li { margin: 0 0 .75rem; max-width: 46rem; }
.title, .says, figcaption p { color: var(--soft); font-size: .9rem; }
.figures { display: grid; gap: 2.5rem 3rem; margin-top: 1.25rem;
           grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
figure { margin: 0; min-width: 0; }
figure:has(details[open]) { grid-column: 1 / -1; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; overflow: visible; }
.mark:hover { opacity: .8; }
.mark:focus { outline: none; }
.mark:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
details { margin-top: .75rem; font-size: .9rem; }
details .scroll { margin: .5rem 0; }
summary { cursor: pointer; color: var(--soft); width: fit-content; }
summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--focus);
                                               outline-offset: 2px; }
/* An edge beyond which there is more has a shadow, which the table's own paper covers at its end. */
.scroll { overflow: auto; max-height: 85vh; width: fit-content; max-width: 100%; margin: 1.25rem 0;
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left / 2rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) right / 2rem 100% no-repeat local,
    linear-gradient(to right, var(--rule), transparent) left / .75rem 100% no-repeat scroll,
    linear-gradient(to left, var(--rule), transparent) right / .75rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .25rem 1rem .25rem 0; text-align: right; vertical-align: top;
         border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:last-child, td:last-child { padding-right: .25rem; }
th { font-weight: 600; }
thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; white-space: normal;
           position: sticky; top: 0; background: var(--paper);
           box-shadow: inset 0 -1px var(--rule); }
.words, .facts th, .facts td, .long { text-align: left; }
.long { white-space: normal; min-width: 11rem; }
.flag { white-space: nowrap; }
code { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.files { font-size: .875rem; }
/* The last cell has few lines: out of sight, they would be white space. */
@media screen and (max-width: 60rem) { .files td.long:last-child { min-width: 48rem; } }
@media (max-width: 30rem) { svg text { font-size: 14.5px; } }
@media print {
  :root { --ink: #000; --soft: #444; --rule: #bbb; --grid: #ddd; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; gap: 1.25rem; }
  .scroll { overflow: visible; max-height: none; background: none; }
  table { font-size: 7pt; } th, td { padding-right: .5rem; }
  thead th { position: static; box-shadow: none; }
  .long { min-width: 7rem; }
  * { print-color-adjust: exact; }
}
)";

// Keeps the names of flags in escaped text together, since a line could break after their dashes.
std::string KeepFlags(const std::string& html) {
  std::string kept;
  size_t done = 0;
  for (size_t at = 0; (at = html.find("--", done)) != std::string::npos;) {
    const size_t end =
        std::min(html.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 2), html.size());
    absl::StrAppend(&kept, html.substr(done, at - done), "<span class=\"flag\">",
                    html.substr(at, end - at), "</span>");
    done = end;
  }
  return kept + html.substr(done);
}

std::string Paragraph(const std::string& text, const char* attributes) {
  return text.empty() ? "" : absl::StrCat("<p", attributes, ">", Prose(text), "</p>\n");
}

// Returns the figure; without a chart, its table is not collapsed.
std::string ToHtml(const HtmlFigure& figure) {
  const std::string svg = ToSvg(figure.chart);
  if (svg.empty() && figure.table.rows.empty()) return "";
  const std::string table = ToHtml(figure.table);
  return absl::StrCat("<figure>\n<figcaption><h3>", EscapeHtml(figure.chart.title), "</h3>\n",
                      Paragraph(figure.says, ""), "</figcaption>\n", svg,
                      svg.empty() ? table : Details("The figures as a table", table),
                      "</figure>\n");
}

std::string ToHtml(const HtmlSection& section) {
  std::string html = absl::StrCat("<section>\n<h2>", EscapeHtml(section.title), "</h2>\n",
                                  Paragraph(section.says, " class=\"says\""));
  std::string figures;
  for (const HtmlFigure& figure : section.figures) figures += ToHtml(figure);
  if (!figures.empty()) absl::StrAppend(&html, "<div class=\"figures\">\n", figures, "</div>\n");
  return absl::StrCat(html, section.html, "</section>\n");
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Returns whether a line of a long name may break before the character at `at`: after a separator,
// but not in a number such as 0.957 or before a file name extension, as in 000012.sst.
bool MayEndBefore(std::string_view text, size_t at) {
  const char last = text[at - 1];
  if (std::string_view("/_;=").find(last) != std::string_view::npos) return true;
  return std::string_view(".:-").find(last) != std::string_view::npos && at > 1 &&
         !IsDigit(text[at - 2]) && !IsDigit(text[at]);
}

// Escapes the text and inserts line break opportunities into long names.
std::string Breakable(std::string_view text) {
  std::string html;
  size_t begin = 0, since = 0;  // begin of the piece; characters since the last opportunity
  for (size_t at = 0; at < text.size();) {
    since = text[at] == ' ' ? 0 : since + 1;
    at += std::max<size_t>(1, CharacterBytes(text.substr(at)));
    if (at >= text.size() || text[at] == ' ') continue;
    if (since < kLongestPiece && !MayEndBefore(text, at)) continue;
    absl::StrAppend(&html, EscapeHtml(text.substr(begin, at - begin)), "<wbr>");
    begin = at;
    since = 0;
  }
  return html + EscapeHtml(text.substr(begin));
}

bool IsLong(const std::string& cell) { return Width(cell) > kLongestPiece; }

// Returns whether most cells of the column are words, which are left-aligned, and not numbers.
bool IsOfWords(const HtmlTable& table, size_t column) {
  size_t words = 0;
  for (const std::vector<std::string>& row : table.rows) {
    if (column >= row.size()) continue;
    const std::string& cell = row[column];
    words += IsLong(cell) || (!cell.empty() && cell != "-" && !IsDigit(cell[0])) ? 1 : 0;
  }
  return 2 * words > table.rows.size();
}

// Returns a table cell. Short texts are not wrapped, so that no number or word is split; long ones
// are.
std::string Cell(const std::string& text, bool of_words, const char* tag, const char* attributes) {
  const char* const style = IsLong(text) ? " class=\"long\"" : of_words ? " class=\"words\"" : "";
  return absl::StrCat("<", tag, attributes, style, ">",
                      IsLong(text) ? Breakable(text) : EscapeHtml(text), "</", tag, ">");
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    const bool is_valid = size != 0 && !IsControl(text[0]);
    valid += is_valid ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(std::max<size_t>(1, size));
  }
  return absl::StrReplaceAll(
      valid, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string Prose(const std::string& text) {
  return absl::StrReplaceAll(
      Command(text),
      {{" %", "&nbsp;%"}, {" KiB", "&nbsp;KiB"}, {" MiB", "&nbsp;MiB"}, {" GiB", "&nbsp;GiB"}});
}

std::string Command(const std::string& text) { return KeepFlags(EscapeHtml(text)); }

std::string ToHtml(const HtmlTable& table) {
  // Wide tables scroll, which must be possible from the keyboard.
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
      "<table>\n<thead><tr>";
  std::vector<bool> of_words;
  for (size_t i = 0; i < table.head.size(); ++i) {
    of_words.push_back(i == 0 || IsOfWords(table, i));
    absl::StrAppend(&html, "<th scope=\"col\"", of_words[i] ? " class=\"words\">" : ">",
                    EscapeHtml(table.head[i]), "</th>");
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      html += i == 0 ? Cell(row[i], true, "th", " scope=\"row\"")
                     : Cell(row[i], i < of_words.size() && of_words[i], "td", "");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string Details(const std::string& summary, const std::string& html) {
  return absl::StrCat("<details><summary>", EscapeHtml(summary), "</summary>\n", html,
                      "</details>\n");
}

std::string ToHtml(const HtmlPage& page) {
  std::string html = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>",
      EscapeHtml(page.title), "</title>\n<style>\n:root { color-scheme: light dark; ",
      kLightColours, " }\n", kChartStyle, kStyle, "</style>\n</head>\n<body>\n<main>\n",
      Paragraph(page.title, " class=\"title\""), "<h1>", Prose(page.headline), "</h1>\n");
  for (const std::string& paragraph : page.lead) html += Paragraph(paragraph, "");
  for (const HtmlSection& section : page.sections) html += ToHtml(section);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace winnow::inspect
