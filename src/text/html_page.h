// Style of the HTML pages: one file without network access or scripts, with a light and a dark
// theme, for screens of at least 400 pixels and for print.

#ifndef WINNOW_SRC_TEXT_HTML_PAGE_H_
#define WINNOW_SRC_TEXT_HTML_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/text/svg_chart.h"

namespace winnow::inspect {

// Number of series colors, classes c0 to c7. c0 is gray, for "no filter"; the others are
// distinguishable for people with color blindness, on white and on black.
inline constexpr size_t kColours = 8;

struct HtmlTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // the first cell is the row's name
};

// A chart with its text, and an expandable table of its data; without a chart, the table alone. A
// figure without either is left out of the page.
struct HtmlFigure {
  Chart chart;         // may have neither lines nor bars
  std::string says{};  // one or two sentences, which must be true without the chart too; may be
                       // empty
  HtmlTable table{};
};

struct HtmlSection {
  std::string title;
  std::string says;  // may be empty
  std::vector<HtmlFigure> figures;
  std::string html;  // further content, inserted as is
};

struct HtmlPage {
  std::string title;              // title of the window and above the headline: the subject of the
                                  // page
  std::string headline;           // the finding, a sentence with a number
  std::vector<std::string> lead;  // paragraphs below the headline
  std::vector<HtmlSection> sections;
};

// Return HTML. All texts are escaped, except `html`. Cells of up to 24 characters are not wrapped;
// a table that is too wide scrolls.
std::string ToHtml(const HtmlTable& table);
std::string ToHtml(const HtmlPage& page);

// Return escaped text for `html` that does not break within the name of a flag; Prose also keeps a
// number and its unit on one line.
std::string Prose(const std::string& text);
std::string Command(const std::string& text);

// Returns an expandable summary line for `html`, which is inserted as is.
std::string Details(const std::string& summary, const std::string& html);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_HTML_PAGE_H_
