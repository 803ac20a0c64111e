#include "src/text/svg_text.h"

#include <algorithm>

#include "src/text/numbers.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

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

}  // namespace winnow::inspect
