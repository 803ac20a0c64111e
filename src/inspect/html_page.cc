#include "src/inspect/html_page.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "src/inspect/svg_text.h"

namespace winnow::inspect {
namespace {

// The colours are those of M. Okabe and K. Ito, "Color Universal Design", 2008, made darker for
// white and lighter for black, so that a mark has a contrast of 3 to 1 at least.
constexpr char kStyle[] = R"(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --grid: #e7ebef;
  --focus: #0b57d0; --inside: #ffffff;
  --c0: #6e7781; --c1: #0072b2; --c2: #c24e00; --c3: #00805d; --c4: #a64d83; --c5: #8a6a00;
  --c6: #2f7ea8; --c7: #9a3412;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1419; --ink: #e6edf3; --soft: #9da7b1; --rule: #30363d; --grid: #232a32;
    --focus: #8ab4ff; --inside: #0f1419;
    --c0: #8b949e; --c1: #56a9e0; --c2: #f2854a; --c3: #2fc295; --c4: #e39bc4; --c5: #e0b83a;
    --c6: #8ccbf2; --c7: #f0a58a;
  }
}
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); }
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 70rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1 { font-size: clamp(1.4rem, 4.5vw, 2rem); line-height: 1.25; margin: 0 0 1rem; max-width: 46rem;
     text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 3rem 0 .25rem; padding-top: 1rem;
     border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; max-width: 46rem; overflow-wrap: anywhere; }
.says, figcaption p { color: var(--soft); font-size: .9rem; }
.figures { display: grid; gap: 2.5rem 3rem; margin-top: 1.25rem;
           grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
figure { margin: 0; min-width: 0; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; overflow: visible; }
svg text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
           fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .tick, svg .axis-title { fill: var(--soft); }
svg .name { font-weight: 600; }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .inside { fill: var(--inside); font-size: 12px; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--soft); }
.line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.d1 { stroke-dasharray: 6 3; }
.leader { stroke: var(--c); stroke-width: 1; opacity: .55; }
.mark { fill: var(--c); }
.mark .whisker { stroke: var(--c); stroke-width: 1.5; }
.series .mark > :not(.whisker) { stroke: var(--paper); stroke-width: 1; }
.odd rect { opacity: .72; }
.pale rect { fill-opacity: .35; stroke: var(--c); }
.pale .inside { fill: var(--ink); }
.mark:hover { opacity: .8; }
.mark:focus { outline: none; }
.mark:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
details { margin-top: .75rem; font-size: .9rem; }
summary { cursor: pointer; color: var(--soft); width: fit-content; }
summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--focus);
                                               outline-offset: 2px; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem .25rem 0; text-align: right; vertical-align: top;
         border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
th { font-weight: 600; } thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
.facts td { text-align: left; }
.files th, .files td { overflow-wrap: normal; white-space: nowrap; }
.files td:last-child { white-space: normal; text-align: left; min-width: 20rem; }
code { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
@media (max-width: 30rem) { svg text { font-size: 14.5px; } }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --grid: #ddd; --inside: #fff;
    --c0: #6e7781; --c1: #0072b2; --c2: #c24e00; --c3: #00805d; --c4: #a64d83; --c5: #8a6a00;
    --c6: #2f7ea8; --c7: #9a3412; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; gap: 1.25rem; }
  .scroll { overflow: visible; }
  * { print-color-adjust: exact; }
}
)";

// Escaped, with no end of line between a number and its percent sign.
std::string Prose(const std::string& text) {
  return absl::StrReplaceAll(EscapeHtml(text), {{" %", "&nbsp;%"}});
}

std::string Paragraph(const std::string& text, const char* attributes) {
  return text.empty() ? "" : absl::StrCat("<p", attributes, ">", Prose(text), "</p>\n");
}

std::string ToHtml(const HtmlFigure& figure) {
  return absl::StrCat("<figure>\n<figcaption><h3>", EscapeHtml(figure.title), "</h3>\n",
                      Paragraph(figure.says, ""), "</figcaption>\n", figure.svg,
                      Details("The figures as a table", ToHtml(figure.table)), "</figure>\n");
}

std::string ToHtml(const HtmlSection& section) {
  std::string html = absl::StrCat("<section>\n<h2>", EscapeHtml(section.title), "</h2>\n",
                                  Paragraph(section.says, " class=\"says\""));
  if (!section.figures.empty()) {
    html += "<div class=\"figures\">\n";
    for (const HtmlFigure& figure : section.figures) html += ToHtml(figure);
    html += "</div>\n";
  }
  return absl::StrCat(html, section.html, "</section>\n");
}

}  // namespace

std::string ToHtml(const HtmlTable& table) {
  // A wide table is scrolled, which has to be possible from the keyboard.
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
      "<table>\n<thead><tr>";
  for (const std::string& cell : table.head) {
    absl::StrAppend(&html, "<th scope=\"col\">", EscapeHtml(cell), "</th>");
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&html, i == 0 ? "<th scope=\"row\">" : "<td>", EscapeHtml(row[i]),
                      i == 0 ? "</th>" : "</td>");
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
      EscapeHtml(page.title), "</title>\n<style>", kStyle,
      "</style>\n</head>\n<body>\n<main>\n<h1>", Prose(page.headline), "</h1>\n");
  for (const std::string& paragraph : page.lead) html += Paragraph(paragraph, "");
  for (const HtmlSection& section : page.sections) html += ToHtml(section);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace winnow::inspect
