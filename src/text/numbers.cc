#include "src/text/numbers.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>

namespace winnow::inspect {
namespace {

std::string Noun(uint64_t number, std::string_view noun) {
  return absl::StrCat(std::string(noun), number == 1 ? "" : "s");
}

}  // namespace

std::string Decimals(double value, int most) {
  std::string text = absl::StrFormat("%.*f", most, value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string Figure(double value) {
  if (value == 0 || !std::isfinite(value)) return "0";
  const int digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return Decimals(value, std::clamp(digits, 0, 9));
}

std::string Count(uint64_t count) {
  std::string text = absl::StrCat(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string Number(uint64_t number, std::string_view noun) {
  return absl::StrCat(number, " ", Noun(number, noun));
}

std::string NumberWithCommas(uint64_t number, std::string_view noun) {
  return absl::StrCat(Count(number), " ", Noun(number, noun));
}

std::string Bits(double bits_per_key) {
  return bits_per_key == 0 ? "-" : absl::StrFormat("%.2f", bits_per_key);
}

std::string Percent(double share) { return absl::StrFormat("%.3g %%", 100 * share); }

std::string Percent(const std::optional<double>& share, std::string_view unknown) {
  return share ? Percent(*share) : std::string(unknown);
}

std::string PartOfAll(double share) {
  const double percent = 100 * share;
  if (share > 0 && percent < 0.1) return "less than 0.1 %";
  if (share < 1 && percent > 99.9) return "more than 99.9 %";
  return absl::StrFormat("%.1f %%", percent);
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

}  // namespace winnow::inspect
