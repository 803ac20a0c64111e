// Charts as SVG: points and lines, and horizontal bars with a name above each and the figure behind
// it.

#ifndef WINNOW_SRC_TEXT_SVG_CHART_H_
#define WINNOW_SRC_TEXT_SVG_CHART_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/text/rate_interval.h"

namespace winnow::inspect {

// CSS variables of `:root`, or of the root of a chart: for white paper. A dark page gives the
// variables values of its own. The colours of series, c0 to c7, are those of M. Okabe and K. Ito,
// "Color Universal Design", 2008, made darker for white and lighter for black, so that a mark has a
// contrast of 3 to 1 at least.
inline constexpr char kLightColours[] = R"(
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --grid: #e7ebef;
  --focus: #0b57d0; --inside: #ffffff;
  --c0: #6e7781; --c1: #0072b2; --c2: #c24e00; --c3: #00805d; --c4: #a64d83; --c5: #8a6a00;
  --c6: #2f7ea8; --c7: #9a3412;)";

// Style sheet that charts need, with these colours.
inline constexpr char kChartStyle[] =
    R"(.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); }
.c3 { color: var(--c3); } .c4 { color: var(--c4); } .c5 { color: var(--c5); }
.c6 { color: var(--c6); } .c7 { color: var(--c7); }
svg text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
           fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .tick, svg .axis-title { fill: var(--soft); }
svg .name { font-weight: 600; }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .inside { fill: var(--inside); font-size: 12px; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--soft); }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.d1 { stroke-dasharray: 6 3; }
.d2 { stroke-dasharray: 2 3; }
.leader { stroke: currentColor; stroke-width: 1; opacity: .55; }
.mark { fill: currentColor; }
.mark .whisker { stroke: currentColor; stroke-width: 1.5; }
.series .mark > :not(.whisker) { stroke: var(--paper); stroke-width: 1; }
.odd rect { opacity: .72; }
.pale rect { fill-opacity: .35; stroke: currentColor; }
.pale .inside { fill: var(--ink); }
)";

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<Interval> y_interval;  // drawn as a bar
  std::string says;                    // what the mark is, for the pointer and for screen readers
  bool large = false;                  // one that was asked for, among others
};

struct ChartSeries {
  std::string label;  // written beside the last point; empty: none
  size_t colour = 0;  // of html_page.h; also chooses the shape of the marks
  std::vector<ChartPoint> points;
  std::optional<size_t> dashes{};  // of the line, classes d0 to d2; unset: by the colour
};

struct ChartAxis {
  std::string title;  // with the unit
  bool logarithmic = false;
  std::function<std::string(double)> format;          // of a tick
  std::vector<std::pair<double, std::string>> ticks;  // instead of those by the range; ascending
};

struct BarPart {
  double value = 0;   // at least 0
  std::string label;  // written into the part where there is room
  std::string says;   // what the mark is, for the pointer and for screen readers
};

struct Bar {
  std::string name;  // above the bar; empty for none, as for the second bar of a policy
  std::string figure;
  size_t colour = 0;           // of html_page.h
  bool pale = false;           // for a second figure of the same policy
  std::vector<BarPart> parts;  // one after the other
};

// A bar that is not cut.
Bar WholeBar(const std::string& name, const std::string& figure, size_t colour, double value,
             const std::string& says);

// A chart of lines over two axes, or of bars.
struct Chart {
  std::string id;  // unique in the page; letters, digits and '-'
  std::string title;
  std::string description;
  ChartAxis x{};
  ChartAxis y{};
  std::vector<ChartSeries> series{};
  std::vector<Bar> bars{};
};

// Lines: on a logarithmic y axis, a point of 0 is drawn on the lower edge; higher for many series,
// whose names stand one below the other; empty with fewer than two points, which compare nothing.
// Bars: all have one scale, which begins at 0. Empty without any of the two.
std::string ToSvg(const Chart& chart);

// The same as a file of its own, in colours for white paper, and without the variables of CSS,
// which browsers know and many viewers don't: on a page they are the page's. Empty for an empty
// one.
std::string StandaloneSvg(const Chart& chart);

// Round numbers that cover low to high: about `count` of them on a linear axis, powers of ten, and
// 2 and 5 times these where there are few, on a logarithmic one. low < high, above 0 if
// logarithmic.
std::vector<double> Ticks(double low, double high, bool logarithmic, int count);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_CHART_H_
