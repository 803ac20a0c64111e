#include "src/text/svg_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>

#include "src/text/numbers.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

constexpr char kStyleOfFile[] =
    "<style>\n"
    "svg { background: #fff; --paper: #fff; }\n"
    "text { font: 13px sans-serif; fill: #1b1f24; }\n"
    ".tick, .axis-title { fill: #57606a; } .name { font-weight: 600; }\n"
    ".grid { stroke: #e7ebef; } .axis { stroke: #57606a; }\n"
    ".c0 { --c: #6e7781; } .c1 { --c: #0072b2; } .c2 { --c: #c24e00; } .c3 { --c: #00805d; }\n"
    ".c4 { --c: #a64d83; } .c5 { --c: #8a6a00; } .c6 { --c: #2f7ea8; } .c7 { --c: #9a3412; }\n"
    ".line { fill: none; stroke: var(--c); stroke-width: 2; } .d1 { stroke-dasharray: 6 3; }\n"
    ".d2 { stroke-dasharray: 2 3; }\n"
    ".leader { stroke: var(--c); opacity: .55; } .mark { fill: var(--c); }\n"
    "</style>\n";

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::string_view Entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    const std::string_view entity = Entity(text[0]);
    if (size == 0 || IsControl(text[0])) {
      escaped += kReplacement;
    } else if (!entity.empty()) {
      escaped += entity;
    } else {
      escaped += text.substr(0, size);
    }
    text.remove_prefix(std::max<size_t>(1, size));
  }
  return escaped;
}

std::string Coordinate(double value) { return Decimals(value, 1); }

double TextWidth(size_t characters) { return 7.4 * static_cast<double>(characters); }

std::string StandaloneSvg(const std::string& chart) {
  if (chart.empty()) {
    return chart;
  }
  const size_t end = chart.find('>') + 1;
  return absl::StrCat(
      absl::StrReplaceAll(chart.substr(0, end),
                          {{"<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" "}}),
      "\n", kStyleOfFile, chart.substr(end));
}

}  // namespace winnow::inspect
