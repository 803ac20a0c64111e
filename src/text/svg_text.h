// Text and coordinates for HTML and SVG.

#ifndef WINNOW_SRC_TEXT_SVG_TEXT_H_
#define WINNOW_SRC_TEXT_SVG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Width of every chart, in units of its own: it is scaled to the page.
inline constexpr double kChartWidth = 480;

// The text as it stands between tags and in quoted attributes. What is no UTF-8, and control
// characters, which no page may have, become U+FFFD.
std::string EscapeHtml(std::string_view text);

// A coordinate: at most one decimal.
std::string Coordinate(double value);

// About how wide a text of this many characters is at 13 pixels, in pixels.
double TextWidth(size_t characters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_TEXT_H_
