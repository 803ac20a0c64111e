// A chart of horizontal bars as SVG: a name above each bar, the figure behind it.

#ifndef WINNOW_SRC_TEXT_SVG_BARS_H_
#define WINNOW_SRC_TEXT_SVG_BARS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace winnow::inspect {

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

#endif  // WINNOW_SRC_TEXT_SVG_BARS_H_
