#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/report_page.h"

namespace winnow::inspect {

// The series colors, c0 to c7, are those of M. Okabe and K. Ito, "Color Universal Design", 2008,
// darkened for white and lightened for black, so that marks have a contrast of at least 3 to 1.
const char kLightColours[] = R"(
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --grid: #e7ebef;
  --focus: #0b57d0; --inside: #ffffff;
  --c0: #6e7781; --c1: #0072b2; --c2: #c24e00; --c3: #00805d; --c4: #a64d83; --c5: #8a6a00;
  --c6: #2f7ea8; --c7: #9a3412;)";

// Style sheet for charts with these colors.
const char kChartStyle[] =
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

namespace {

constexpr double kChartWidth = 480;  // in units of its own; charts are scaled to the page

constexpr double kHeight = 320;
constexpr double kLeft = 58;
constexpr double kTop = 30;
constexpr double kBottom = 46;
constexpr double kLineHeight = 16;
constexpr double kBetweenTicks = 6;

// Returns a coordinate with at most one decimal.
std::string Coordinate(double value) { return Decimals(value, 1); }

// Returns the approximate width in pixels of a text of this many characters at 13 pixels.
double TextWidth(size_t characters) { return 7.4 * static_cast<double>(characters); }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

// Maps values to coordinates along one side of the plot.
struct Scale {
  Range range;
  bool logarithmic = false;
  double from = 0;
  double to = 0;

  double Share(double value) const {
    const double v = std::clamp(value, range.low, range.high);
    return logarithmic ? std::log(v / range.low) / std::log(range.high / range.low)
                       : (v - range.low) / (range.high - range.low);
  }
  double operator()(double value) const { return from + Share(value) * (to - from); }
};

// Widens the range to round numbers, and to a nonempty one if all values are equal.
Range Rounded(Range range, const ChartAxis& axis) {
  if (!axis.ticks.empty()) {
    range.Add(axis.ticks.front().first);
    range.Add(axis.ticks.back().first);
    if (range.low == range.high) return {range.low - 0.5, range.high + 0.5};
    return range;
  }
  if (axis.logarithmic) {
    // 1, 2 or 5 times a power of ten; `way` is -1 for the next one below, 1 above.
    const auto next = [](double value, int way) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      std::vector<double> steps = {1, 2, 5, 10};
      if (way < 0) std::reverse(steps.begin(), steps.end());
      return power * *std::find_if(steps.begin(), steps.end(), [&](double step) {
               return way * (step * power / value - 1) >= -1e-9;
             });
    };
    range = {next(range.low, -1), next(range.high, 1)};
    return range.low == range.high ? Range{range.low / 2, range.high * 2} : range;
  }
  if (range.low == range.high) return {range.low - 0.5, range.high + 0.5};
  const double margin = (range.high - range.low) / 20;
  return {range.low - margin, range.high + margin};
}

Range RangeOfX(const Chart& chart) {
  Range range;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!chart.x.logarithmic || point.x > 0) range.Add(point.x);
    }
  }
  return Rounded(range, chart.x);
}

Range RangeOfY(const Chart& chart) {
  Range range;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      const Interval drawn = point.y_interval.value_or(Interval{point.y, point.y});
      for (const double value : {point.y, drawn.low, drawn.high}) {
        if (!chart.y.logarithmic || value > 0) range.Add(value);
      }
    }
  }
  if (chart.y.logarithmic) return range.empty() ? Range{0.1, 1} : Rounded(range, chart.y);
  if (range.empty()) return {0, 1};
  range.Add(0);
  Range rounded = Rounded(range, chart.y);
  if (range.low == 0) rounded.low = 0;
  return rounded;
}

std::string Line(double x1, double y1, double x2, double y2, const char* style) {
  return absl::StrCat("<line class=\"", style, "\" x1=\"", Coordinate(x1), "\" y1=\"",
                      Coordinate(y1), "\" x2=\"", Coordinate(x2), "\" y2=\"", Coordinate(y2),
                      "\"/>\n");
}

std::string Text(double x, double y, const char* anchor, const char* style,
                 const std::string& text) {
  return absl::StrCat("<text class=\"", style, "\" x=\"", Coordinate(x), "\" y=\"", Coordinate(y),
                      "\" text-anchor=\"", anchor, "\">", EscapeHtml(text), "</text>\n");
}

// Returns a mark, whose shape distinguishes series if colors don't.
std::string Mark(double x, double y, size_t colour, bool large) {
  const double r = large ? 5.5 : 3.5;
  if (colour % 4 == 1) {
    return absl::StrCat("<circle cx=\"", Coordinate(x), "\" cy=\"", Coordinate(y), "\" r=\"",
                        Coordinate(r), "\"/>");
  }
  using Steps = std::vector<std::pair<double, double>>;  // from the center, in units of r
  const Steps steps = colour % 4 == 0   ? Steps{{-1, -1}, {2, 0}, {0, 2}, {-2, 0}}
                      : colour % 4 == 2 ? Steps{{0, -1.3}, {1.2, 2.2}, {-2.4, 0}}
                                        : Steps{{0, -1.4}, {1.4, 1.4}, {-1.4, 1.4}, {-1.4, -1.4}};
  std::string path = absl::StrCat("<path d=\"M", Coordinate(x), " ", Coordinate(y), "m");
  for (const auto& [right, down] : steps) {
    absl::StrAppend(&path, Coordinate(right * r), " ", Coordinate(down * r), " ");
  }
  return path + "z\"/>";
}

std::string Axes(const Chart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double tick : Ticks(y.range.low, y.range.high, y.logarithmic, 5)) {
    absl::StrAppend(&svg, Line(kLeft, y(tick), x.to, y(tick), "grid"),
                    Text(kLeft - 8, y(tick) + 4.5, "end", "tick", chart.y.format(tick)));
  }
  std::vector<std::pair<double, std::string>> ticks = chart.x.ticks;
  if (ticks.empty()) {
    for (const double tick : Ticks(x.range.low, x.range.high, x.logarithmic, 6)) {
      ticks.emplace_back(tick, chart.x.format(tick));
    }
  }
  double free = 0;  // x coordinate from which no text has been placed yet
  for (const auto& [value, text] : ticks) {
    absl::StrAppend(&svg, Line(x(value), y.from, x(value), y.from + 4, "axis"));
    const double half = TextWidth(Width(text)) / 2;
    if (x(value) - half < free) continue;
    absl::StrAppend(&svg, Text(x(value), y.from + 18, "middle", "tick", text));
    free = x(value) + half + kBetweenTicks;
  }
  absl::StrAppend(&svg, Line(kLeft, y.from, x.to, y.from, "axis"),
                  Text(0, 14, "start", "axis-title", chart.y.title),
                  Text(x.to, y.from + kBottom - 6, "end", "axis-title", chart.x.title));
  return svg;
}

std::string Curve(const ChartSeries& series, const Scale& x, const Scale& y) {
  std::string path;
  for (const ChartPoint& point : series.points) {
    absl::StrAppend(&path, path.empty() ? "M" : "L", Coordinate(x(point.x)), " ",
                    Coordinate(y(point.y)));
  }
  std::string svg = absl::StrCat("<g class=\"series c", series.colour, "\">\n");
  if (series.points.size() > 1) {
    absl::StrAppend(&svg, "<path class=\"line d", series.colour / 4, "\" d=\"", path, "\"/>\n");
  }
  for (const ChartPoint& point : series.points) {
    const std::string says = EscapeHtml(point.says);
    absl::StrAppend(&svg, "<g class=\"mark\" tabindex=\"0\" role=\"img\" aria-label=\"", says,
                    "\"><title>", says, "</title>");
    if (point.y_interval) {
      absl::StrAppend(&svg, Line(x(point.x), y(point.y_interval->low), x(point.x),
                                 y(point.y_interval->high), "whisker"));
    }
    absl::StrAppend(&svg, Mark(x(point.x), y(point.y), series.colour, point.large), "</g>\n");
  }
  return svg + "</g>\n";
}

// Writes the names of the lines beside the plot, each at the height of its line's end or, where
// they would overlap, further down or up.
std::string Labels(const Chart& chart, const Scale& x, const Scale& y) {
  struct Label {
    const ChartSeries* series;
    double wanted;  // y coordinate of the line's end
    double at;      // y coordinate of the text
  };
  std::vector<Label> labels;
  for (const ChartSeries& series : chart.series) {
    if (series.points.empty() || series.label.empty()) continue;
    const double height = y(series.points.back().y);
    labels.push_back({&series, height, height});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.wanted < b.wanted; });
  for (size_t i = 1; i < labels.size(); ++i) {
    labels[i].at = std::max(labels[i].at, labels[i - 1].at + kLineHeight);
  }
  double lowest = y.from - kLineHeight / 2;  // above the texts below the axis
  std::string svg;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label, lowest -= kLineHeight) {
    lowest = std::min(label->at, lowest);
    absl::StrAppend(
        &svg, "<g class=\"c", label->series->colour, "\">",
        Line(x(label->series->points.back().x) + 6, label->wanted, x.to + 18, lowest, "leader"),
        "</g>\n", Text(x.to + 20, lowest + 4.5, "start", "label", label->series->label));
  }
  return svg;
}

constexpr double kNameHeight = 21;
constexpr double kBarHeight = 18;
constexpr double kGap = 5;
constexpr double kGroupGap = 9;
constexpr double kLargest = 1.12;  // scale of letters on narrow screens, from report_page.cc

double Total(const Bar& bar) {
  double total = 0;
  for (const BarPart& part : bar.parts) total += part.value;
  return total;
}

std::string Part(const BarPart& part, double x, double y, double width, bool odd) {
  const std::string says = EscapeHtml(part.says);
  // Even the smallest part must be visible and focusable.
  const double drawn = std::max(width - 1, 1.5);
  std::string svg = absl::StrCat(
      "<g class=\"mark", odd ? " odd" : "", "\" tabindex=\"0\" role=\"img\" aria-label=\"", says,
      "\"><title>", says, "</title><rect x=\"", Coordinate(x), "\" y=\"", Coordinate(y),
      "\" width=\"", Coordinate(drawn), "\" height=\"", Coordinate(kBarHeight), "\"/>");
  if (!part.label.empty() && width > TextWidth(Width(part.label)) + 6) {
    svg += Text(x + 4, y + 13.5, "start", "inside", part.label);
  }
  return svg + "</g>\n";
}

std::string Framed(const Chart& chart, double height, const std::string& body) {
  return absl::StrCat("<svg viewBox=\"0 0 ", kChartWidth, " ", Coordinate(height),
                      "\" role=\"group\" aria-labelledby=\"", chart.id, "-title ", chart.id,
                      "-description\">\n<title id=\"", chart.id, "-title\">",
                      EscapeHtml(chart.title), "</title>\n<desc id=\"", chart.id, "-description\">",
                      EscapeHtml(chart.description), "</desc>\n", body, "</svg>\n");
}

std::string LinesSvg(const Chart& chart) {
  size_t longest = 0, points = 0, labels = 0;
  for (const ChartSeries& series : chart.series) {
    longest = std::max(longest, Width(series.label));
    points += series.points.size();
    labels += series.label.empty() ? 0 : 1;
  }
  if (points < 2) return "";
  const double right = std::min(170.0, TextWidth(longest) + 24);
  const double names = kLineHeight * static_cast<double>(labels);
  const double height = std::max(kHeight, kTop + names + kBottom);
  const Scale x{RangeOfX(chart), chart.x.logarithmic, kLeft, kChartWidth - right};
  const Scale y{RangeOfY(chart), chart.y.logarithmic, height - kBottom, kTop};
  std::string body = Axes(chart, x, y);
  for (const ChartSeries& series : chart.series) body += Curve(series, x, y);
  return Framed(chart, height, body + Labels(chart, x, y));
}

std::string BarsSvg(const Chart& chart) {
  double most = 0;
  size_t longest = 0;
  for (const Bar& bar : chart.bars) {
    most = std::max(most, Total(bar));
    longest = std::max(longest, Width(bar.figure));
  }
  const double room = kChartWidth - std::min(0.6 * kChartWidth, kLargest * TextWidth(longest) + 12);
  double y = 0;
  std::string body;
  for (const Bar& bar : chart.bars) {
    if (!bar.name.empty()) {
      y += y == 0 ? 0 : kGroupGap;
      body += Text(0, y + 15, "start", "name", bar.name);
      y += kNameHeight;
    }
    absl::StrAppend(&body, "<g class=\"bar c", bar.colour, bar.pale ? " pale" : "", "\">\n");
    double x = 0;
    for (size_t i = 0; i < bar.parts.size(); ++i) {
      const double width = most == 0 ? 0 : bar.parts[i].value / most * room;
      body += Part(bar.parts[i], x, y, width, i % 2 == 1);
      x += std::max(width, bar.parts[i].value > 0 ? 2.5 : 1.5);
    }
    absl::StrAppend(&body, "</g>\n", Text(x + 6, y + 13.5, "start", "figure", bar.figure));
    y += kBarHeight + kGap;
  }
  return Framed(chart, y, body);
}

// Replaces each CSS variable by its value in kLightColours.
std::string WithoutVariables(std::string style) {
  std::vector<std::pair<std::string, absl::string_view>> values;
  for (const absl::string_view colour : absl::StrSplit(kLightColours, ';', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(colour, absl::MaxSplits(':', 1));
    values.emplace_back(absl::StrCat("var(", absl::StripAsciiWhitespace(parts.first), ")"),
                        absl::StripAsciiWhitespace(parts.second));
  }
  return absl::StrReplaceAll(style, values);
}

}  // namespace

std::vector<double> Ticks(double low, double high, bool logarithmic, int count) {
  std::vector<double> ticks;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    const std::vector<double> steps = decades > 3.2   ? std::vector<double>{1}
                                      : decades > 1.6 ? std::vector<double>{1, 3}
                                                      : std::vector<double>{1, 2, 5};
    for (double exponent = std::floor(std::log10(low) + 1e-9);; ++exponent) {
      const double power = std::pow(10, exponent);
      if (power > high * (1 + 1e-9)) return ticks;
      for (const double step : steps) {
        const double tick = step * power;
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
  }
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough <= 1.5 * power   ? power
                      : rough <= 3.5 * power ? 2 * power
                      : rough <= 7.5 * power ? 5 * power
                                             : 10 * power;
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) {
    ticks.push_back(n * step);
  }
  return ticks;
}

Bar WholeBar(const std::string& name, const std::string& figure, size_t colour, double value,
             const std::string& says) {
  return {name, figure, colour, false, {{value, "", says}}};
}

std::string ToSvg(const Chart& chart) {
  return chart.bars.empty() ? LinesSvg(chart) : BarsSvg(chart);
}

std::string StandaloneSvg(const Chart& chart) {
  const std::string svg = ToSvg(chart);
  if (svg.empty()) return svg;
  const size_t end = svg.find('>') + 1;
  return absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" ", svg.substr(5, end - 5), "\n<style>\n",
      WithoutVariables(absl::StrCat("svg { background: var(--paper); }\n", kChartStyle)),
      "</style>\n", svg.substr(end));
}

}  // namespace winnow::inspect
