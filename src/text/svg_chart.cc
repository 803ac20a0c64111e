#include "src/text/svg_chart.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "src/text/printable.h"
#include "src/text/svg_text.h"

namespace winnow::inspect {
namespace {

constexpr double kHeight = 320;
constexpr double kLeft = 58;
constexpr double kTop = 30;
constexpr double kBottom = 46;
constexpr double kLineHeight = 16;
constexpr double kBetweenTicks = 6;

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
    const auto step = [](double value, bool up) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      double best = up ? 10 * power : power;
      for (const double m : {1.0, 2.0, 5.0, 10.0}) {
        if (up && m * power >= value * (1 - 1e-9)) return m * power;
        if (!up && m * power <= value * (1 + 1e-9)) best = m * power;
      }
      return best;
    };
    range = {step(range.low, false), step(range.high, true)};
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
      for (const double value : {point.y, point.y_interval ? point.y_interval->low : point.y,
                                 point.y_interval ? point.y_interval->high : point.y}) {
        if (!chart.y.logarithmic || value > 0) range.Add(value);
      }
    }
  }
  if (range.empty()) return chart.y.logarithmic ? Range{0.1, 1} : Range{0, 1};
  if (!chart.y.logarithmic) range.Add(0);
  Range rounded = Rounded(range, chart.y);
  if (!chart.y.logarithmic && range.low == 0) rounded.low = 0;
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
  switch (colour % 4) {
    case 0:
      return absl::StrCat("<rect x=\"", Coordinate(x - r), "\" y=\"", Coordinate(y - r),
                          "\" width=\"", Coordinate(2 * r), "\" height=\"", Coordinate(2 * r),
                          "\"/>");
    case 1:
      return absl::StrCat("<circle cx=\"", Coordinate(x), "\" cy=\"", Coordinate(y), "\" r=\"",
                          Coordinate(r), "\"/>");
    case 2:
      return absl::StrCat("<path d=\"M", Coordinate(x), " ", Coordinate(y - 1.3 * r), "l",
                          Coordinate(1.2 * r), " ", Coordinate(2.2 * r), "h", Coordinate(-2.4 * r),
                          "z\"/>");
    default:
      return absl::StrCat("<path d=\"M", Coordinate(x), " ", Coordinate(y - 1.4 * r), "l",
                          Coordinate(1.4 * r), " ", Coordinate(1.4 * r), "l", Coordinate(-1.4 * r),
                          " ", Coordinate(1.4 * r), "l", Coordinate(-1.4 * r), " ",
                          Coordinate(-1.4 * r), "z\"/>");
  }
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

struct Label {
  const ChartSeries* series;
  double end;  // x coordinate of the line's end
  double x;    // x coordinate of the text
  double wanted;
  double at;
};

// Moves labels apart that share a column and overlap, first downward.
void MoveApart(double lowest, std::vector<Label>* labels) {
  constexpr double kColumn = 90;  // texts whose begins are closer than this share a column
  const auto meet = [&](const Label& a, const Label& b) { return std::abs(a.x - b.x) < kColumn; };
  std::stable_sort(labels->begin(), labels->end(),
                   [](const Label& a, const Label& b) { return a.wanted < b.wanted; });
  for (size_t i = 0; i < labels->size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      Label& label = (*labels)[i];
      if (meet(label, (*labels)[j])) label.at = std::max(label.at, (*labels)[j].at + kLineHeight);
    }
  }
  for (size_t i = labels->size(); i-- > 0;) {
    Label& label = (*labels)[i];
    label.at = std::min(label.at, lowest);
    for (size_t j = i + 1; j < labels->size(); ++j) {
      if (meet(label, (*labels)[j])) label.at = std::min(label.at, (*labels)[j].at - kLineHeight);
    }
  }
}

// Returns whether a line or mark crosses one of the texts.
bool AnyIsCrossed(const std::vector<Label>& labels, const Chart& chart, const Scale& x,
                  const Scale& y) {
  constexpr int kSteps = 16;  // steps per line segment
  const auto inside = [&](double px, double py) {
    return std::any_of(labels.begin(), labels.end(), [&](const Label& label) {
      return px > label.x - 4 && px < label.x + TextWidth(Width(label.series->label)) &&
             std::abs(py - label.at) < kLineHeight / 2;
    });
  };
  for (const ChartSeries& series : chart.series) {
    for (size_t i = 0; i < series.points.size(); ++i) {
      const ChartPoint& to = series.points[i];
      const ChartPoint& from = series.points[i == 0 ? 0 : i - 1];
      for (int step = 1; step <= kSteps; ++step) {
        const double share = static_cast<double>(step) / kSteps;
        if (inside(x(from.x) + share * (x(to.x) - x(from.x)),
                   y(from.y) + share * (y(to.y) - y(from.y)))) {
          return true;
        }
      }
    }
  }
  return false;
}

// Places names beside the ends of the lines, or all in a column beside the plot if they would
// collide with lines.
std::string Labels(const Chart& chart, const Scale& x, const Scale& y) {
  constexpr double kBeside = 20;
  std::vector<Label> labels;
  for (const ChartSeries& series : chart.series) {
    if (series.points.empty() || series.label.empty()) continue;
    const double end = x(series.points.back().x);
    const double height = y(series.points.back().y);
    labels.push_back({&series, end, end + kBeside, height, height});
  }
  const double lowest = y.from - kLineHeight / 2;  // above the texts below the axis
  MoveApart(lowest, &labels);
  if (AnyIsCrossed(labels, chart, x, y)) {
    for (Label& label : labels) {
      label.x = x.to + kBeside;
      label.at = label.wanted;
    }
    MoveApart(lowest, &labels);
  }
  std::string svg;
  for (const Label& label : labels) {
    absl::StrAppend(&svg, "<g class=\"c", label.series->colour, "\">",
                    Line(label.end + 6, label.wanted, label.x - 2, label.at, "leader"), "</g>\n",
                    Text(label.x, label.at + 4.5, "start", "label", label.series->label));
  }
  return svg;
}

constexpr double kNameHeight = 21;
constexpr double kBarHeight = 18;
constexpr double kGap = 5;
constexpr double kGroupGap = 9;
constexpr double kLargest = 1.12;  // scale of letters on narrow screens, from html_page.cc

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
    absl::StrAppend(&svg, "<text class=\"inside\" x=\"", Coordinate(x + 4), "\" y=\"",
                    Coordinate(y + 13.5), "\">", EscapeHtml(part.label), "</text>");
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
      absl::StrAppend(&body, "<text class=\"name\" x=\"0\" y=\"", Coordinate(y + 15), "\">",
                      EscapeHtml(bar.name), "</text>\n");
      y += kNameHeight;
    }
    absl::StrAppend(&body, "<g class=\"bar c", bar.colour, bar.pale ? " pale" : "", "\">\n");
    double x = 0;
    for (size_t i = 0; i < bar.parts.size(); ++i) {
      const double width = most == 0 ? 0 : bar.parts[i].value / most * room;
      body += Part(bar.parts[i], x, y, width, i % 2 == 1);
      x += std::max(width, bar.parts[i].value > 0 ? 2.5 : 1.5);
    }
    absl::StrAppend(&body, "</g>\n<text class=\"figure\" x=\"", Coordinate(x + 6), "\" y=\"",
                    Coordinate(y + 13.5), "\">", EscapeHtml(bar.figure), "</text>\n");
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
