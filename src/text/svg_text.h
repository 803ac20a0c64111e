// Text and numbers for HTML and SVG.

#ifndef WINNOW_SRC_TEXT_SVG_TEXT_H_
#define WINNOW_SRC_TEXT_SVG_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Of every chart, in units of its own: it is scaled to the page.
inline constexpr double kChartWidth = 480;

// The text as it stands between tags and in quoted attributes. What is no UTF-8, and control
// characters, which no page may have, become U+FFFD.
std::string EscapeHtml(std::string_view text);

// A coordinate: at most one decimal.
std::string Coordinate(double value);

// A figure for people, with three significant digits and no exponent: "0.0286", "1234567", "0".
std::string Figure(double value);

// "1,234,567".
std::string Count(uint64_t count);

// "850 ns", "12.3 µs", "1.5 ms", "2 s".
std::string Duration(double nanoseconds);

// "512 bytes", "12.5 KiB", "3.2 MiB", "1.1 GiB".
std::string ByteSize(double bytes);

// About how wide a text of this many characters is at 13 pixels, in pixels.
double TextWidth(size_t characters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_SVG_TEXT_H_
