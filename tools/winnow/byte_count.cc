#include "tools/winnow/byte_count.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <cmath>
#include <iterator>

namespace winnow::tools {
namespace {

constexpr absl::string_view kPrefixes = "kmgt";

// 0: there is no such unit.
double UnitOf(absl::string_view text) {
  const std::string unit = absl::AsciiStrToLower(text);
  if (unit.empty() || unit == "b") {
    return 1;
  }
  const size_t power = kPrefixes.find(unit.front());
  const absl::string_view rest = absl::string_view(unit).substr(1);
  if (power == absl::string_view::npos || (rest != "b" && rest != "ib")) {
    return 0;
  }
  return std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<double> ParseByteCount(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const size_t digits = text.find_first_not_of("0123456789.");
  double number = 0;
  if (!absl::SimpleAtod(text.substr(0, digits), &number)) {
    return std::nullopt;
  }
  const double unit =
      UnitOf(digits == absl::string_view::npos ? absl::string_view()
                                               : absl::StripAsciiWhitespace(text.substr(digits)));
  const double bytes = number * unit;
  return bytes >= 1 && std::isfinite(bytes) ? std::optional(bytes) : std::nullopt;
}

std::string ByteCount(double bytes) {
  constexpr absl::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) {
    return absl::StrFormat("%.0f B", bytes);
  }
  size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < std::size(kUnits); bytes /= 1024) {
    ++unit;
  }
  return absl::StrFormat("%.*f %s", bytes < 10 ? 2 : bytes < 100 ? 1 : 0, bytes, kUnits[unit]);
}

}  // namespace winnow::tools
