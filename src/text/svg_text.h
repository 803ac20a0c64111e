// Text and coordinates for HTML and SVG.

#ifndef WINNOW_SRC_TEXT_SVG_TEXT_H_
#define WINNOW_SRC_TEXT_SVG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Width of every chart in its own units; charts are scaled to the page.
inline constexpr double kChartWidth = 480;

// Escapes a text for HTML content and quoted attributes. Invalid UTF-8 and control characters,
// which are not allowed in a page, become U+FFFD.
std::string EscapeHtml(std::string_view text);

// Returns a coordinate with at most one decimal.
std::string Coordinate(double value);

// Returns the approximate width in pixels of a text of this many characters at 13 pixels.
double TextWidth(size_t characters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_TEXT_H_
