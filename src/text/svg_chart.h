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

struct LineChart {
  std::string id;  // unique in the page; letters, digits and '-'
  std::string title;
  std::string description;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
};

// On a logarithmic y axis, a point of 0 is drawn on the lower edge. Higher for many series, whose
// names stand one below the other. Empty with fewer than two points, which compare nothing.
std::string ToSvg(const LineChart& chart);

// Round numbers that cover low to high: about `count` of them on a linear axis, powers of ten, and
// 2 and 5 times these where there are few, on a logarithmic one. low < high, above 0 if
// logarithmic.
std::vector<double> Ticks(double low, double high, bool logarithmic, int count);

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

struct BarChart {
  std::string id;  // unique in the page; letters, digits and '-'
  std::string title;
  std::string description;
  std::vector<Bar> bars;
};

// All bars have one scale, which begins at 0. Empty without bars.
std::string ToSvg(const BarChart& chart);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_CHART_H_
