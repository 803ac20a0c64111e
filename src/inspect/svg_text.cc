#include "src/inspect/svg_text.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace winnow::inspect {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Bytes of the UTF-8 character that the text begins with; 0 if that is none.
size_t CharacterSize(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool outside = (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
    return outside ? 0 : 4;
  }
  return 0;
}

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
    const size_t size = CharacterSize(text);
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
       {Unit{1ull << 30, "GiB"}, Unit{1ull << 20, "MiB"}, Unit{1ull << 10, "KiB"}}) {
    if (bytes >= unit.size) return absl::StrCat(Figure(bytes / unit.size), " ", unit.name);
  }
  return absl::StrCat(Figure(bytes), " bytes");
}

double TextWidth(size_t characters) { return 7.4 * static_cast<double>(characters); }

}  // namespace winnow::inspect
