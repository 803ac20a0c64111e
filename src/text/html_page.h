// The look of our pages: one file that needs no network and no script, light and dark, on screens
// from 400 pixels on and on paper.

#ifndef WINNOW_SRC_TEXT_HTML_PAGE_H_
#define WINNOW_SRC_TEXT_HTML_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/text/svg_chart.h"

namespace winnow::inspect {

// Colours of series, classes c0 to c7: c0 is grey, for what is no filter; the others can be told
// apart by people who don't see all colours, on white and on black.
inline constexpr size_t kColours = 8;

struct HtmlTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // the first cell names the row
};

// A chart with what it shows, and the same as a table that opens; without a chart the table alone.
// Left out of the page where neither has anything.
struct HtmlFigure {
  Chart chart;         // may have neither lines nor bars
  std::string says{};  // a sentence or two, true without the chart too; may be empty
  HtmlTable table{};
};

struct HtmlSection {
  std::string title;
  std::string says;  // may be empty
  std::vector<HtmlFigure> figures;
  std::string html;  // more, as it goes into the page
};

struct HtmlPage {
  std::string title;              // of the window, and above the headline: what the page is about
  std::string headline;           // the finding, a sentence with a number
  std::vector<std::string> lead;  // paragraphs below it
  std::vector<HtmlSection> sections;
};

// All texts are escaped; only `html` is taken as it is. Cells of up to 24 characters
// stay on one line; a table wider than its place is scrolled there.
std::string ToHtml(const HtmlTable& table);
std::string ToHtml(const HtmlPage& page);

// Text for `html`, escaped, in which no line ends within the name of a flag; in prose neither
// between a number and its unit.
std::string Prose(const std::string& text);
std::string Command(const std::string& text);

// A line that opens to what is below it, `html` as it goes into the page.
std::string Details(const std::string& summary, const std::string& html);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_HTML_PAGE_H_
