#include "src/text/svg_bars.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "src/text/printable.h"
#include "src/text/svg_text.h"

namespace winnow::inspect {
namespace {

constexpr double kNameHeight = 21;
constexpr double kBarHeight = 18;
constexpr double kGap = 5;
constexpr double kGroupGap = 9;
constexpr double kLargest = 1.12;  // letters on narrow screens, by html_page.cc

double Total(const Bar& bar) {
  double total = 0;
  for (const BarPart& part : bar.parts) total += part.value;
  return total;
}

std::string Part(const BarPart& part, double x, double y, double width, bool odd) {
  const std::string says = EscapeHtml(part.says);
  // Something is to be seen, and to be reached, of the smallest part too.
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

}  // namespace

std::string ToSvg(const BarChart& chart) {
  if (chart.bars.empty()) return "";
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
  return absl::StrCat("<svg viewBox=\"0 0 ", kChartWidth, " ", Coordinate(y),
                      "\" role=\"group\" aria-labelledby=\"", chart.id, "-title ", chart.id,
                      "-description\">\n<title id=\"", chart.id, "-title\">",
                      EscapeHtml(chart.title), "</title>\n<desc id=\"", chart.id, "-description\">",
                      EscapeHtml(chart.description), "</desc>\n", body, "</svg>\n");
}

}  // namespace winnow::inspect
