#include "src/text/svg_text.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

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

// Without zeros at the end.
std::string Trimmed(double value, int decimals) {
  std::string text = absl::StrFormat("%.*f", decimals, value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
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

std::string Coordinate(double value) { return Trimmed(value, 1); }

std::string Figure(double value) {
  if (value == 0 || !std::isfinite(value)) return "0";
  const int digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return Trimmed(value, std::clamp(digits, 0, 9));
}

std::string Count(uint64_t count) {
  std::string text = absl::StrCat(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string Duration(double nanoseconds) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit& unit : {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "µs"}}) {
    if (nanoseconds >= unit.size) {
      return absl::StrCat(Figure(nanoseconds / unit.size), " ", unit.name);
    }
  }
  return absl::StrCat(Figure(nanoseconds), " ns");
}

std::string ByteSize(double bytes) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit& unit :
       {Unit{1ull << 50, "PiB"}, Unit{1ull << 40, "TiB"}, Unit{1ull << 30, "GiB"},
        Unit{1ull << 20, "MiB"}, Unit{1ull << 10, "KiB"}}) {
    if (bytes >= unit.size) return absl::StrCat(Figure(bytes / unit.size), " ", unit.name);
  }
  return absl::StrCat(Figure(bytes), bytes == 1 ? " byte" : " bytes");
}

double TextWidth(size_t characters) { return 7.4 * static_cast<double>(characters); }

}  // namespace winnow::inspect
