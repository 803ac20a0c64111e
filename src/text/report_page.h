// Reports as HTML pages with tables and charts of lines or bars, which need no script and no
// network.

#ifndef WINNOW_SRC_TEXT_REPORT_PAGE_H_
#define WINNOW_SRC_TEXT_REPORT_PAGE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/text/rate_interval.h"

namespace winnow::inspect {

// Style of charts, in a page and alone: CSS variables of `:root` for white paper, which a dark page
// overrides, and a style sheet with them.
extern const char kLightColours[];
extern const char kChartStyle[];

// Number of series colors, classes c0 to c7. c0 is gray, for "no filter"; the others are
// distinguishable for people with color blindness, on white and on black.
inline constexpr size_t kColours = 8;

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<Interval> y_interval;  // drawn as an error bar
  std::string says;                    // description of the mark, for tooltips and screen readers
  bool large = false;                  // emphasized among other points
};

struct ChartSeries {
  std::string label;  // written beside the last point; may be empty
  size_t colour = 0;  // index from 0 to kColours - 1; also determines the shape of the marks
  std::vector<ChartPoint> points;
};

struct ChartAxis {
  std::string title;  // includes the unit
  bool logarithmic = false;
  std::function<std::string(double)> format;          // formats a tick
  std::vector<std::pair<double, std::string>> ticks;  // overrides the computed ticks; ascending
};

struct BarPart {
  double value = 0;   // nonnegative
  std::string label;  // written into the part if there is room
  std::string says;   // description of the mark, for tooltips and screen readers
};

struct Bar {
  std::string name;  // above the bar; may be empty, as for the second bar of a policy
  std::string figure;
  size_t colour = 0;           // index of a color from 0 to kColours - 1
  bool pale = false;           // second figure of the same policy
  std::vector<BarPart> parts;  // from left to right
};

// Returns a bar with a single part.
Bar WholeBar(const std::string& name, const std::string& figure, size_t colour, double value,
             const std::string& says);

// A chart of lines with two axes, or of bars.
struct Chart {
  std::string id;  // unique in the page; letters, digits and '-'
  std::string title;
  std::string description;
  ChartAxis x{};
  ChartAxis y{};
  std::vector<ChartSeries> series{};
  std::vector<Bar> bars{};
};

// Returns the chart as SVG. Lines: with a logarithmic y axis, a point of 0 is drawn at the lower
// edge. The height grows with the number of series, whose names may be in one column. Empty with
// fewer than two points. Bars: all have one scale, which begins at 0. Empty if the chart has
// neither.
std::string ToSvg(const Chart& chart);

// Returns the chart as a separate file, in colors for white paper and without CSS variables, which
// many viewers don't support. Empty for an empty chart.
std::string StandaloneSvg(const Chart& chart);

// Returns round numbers that cover [low, high]: about `count` on a linear axis; powers of ten on a
// logarithmic axis, and 2 and 5 times these if there are few. low < high, and low > 0 if
// logarithmic.
std::vector<double> Ticks(double low, double high, bool logarithmic, int count);

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

// Escapes a text for HTML content and quoted attributes. Invalid UTF-8 and control characters,
// which are not allowed in a page, become U+FFFD.
std::string EscapeHtml(std::string_view text);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_REPORT_PAGE_H_
