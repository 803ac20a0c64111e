// SVG charts: points and lines, and horizontal bars with the name above and the figure behind each
// bar.

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

// CSS variables of `:root`, or of a chart's root, for white paper. A dark page overrides them. The
// series colors, c0 to c7, are those of M. Okabe and K. Ito, "Color Universal Design", 2008,
// darkened for white and lightened for black, so that marks have a contrast of at least 3 to 1.
inline constexpr char kLightColours[] = R"(
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --grid: #e7ebef;
  --focus: #0b57d0; --inside: #ffffff;
  --c0: #6e7781; --c1: #0072b2; --c2: #c24e00; --c3: #00805d; --c4: #a64d83; --c5: #8a6a00;
  --c6: #2f7ea8; --c7: #9a3412;)";

// Style sheet for charts with these colors.
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
  std::optional<Interval> y_interval;  // drawn as an error bar
  std::string says;                    // description of the mark, for tooltips and screen readers
  bool large = false;                  // emphasized among other points
};

struct ChartSeries {
  std::string label;  // written beside the last point; may be empty
  size_t colour = 0;  // index of a color of html_page.h; also determines the shape of the marks
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
  size_t colour = 0;           // index of a color of html_page.h
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

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_CHART_H_
