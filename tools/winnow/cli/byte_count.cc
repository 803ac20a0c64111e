#include "tools/winnow/cli/byte_count.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>

#include <cmath>
#include <string>

namespace winnow::tools {
namespace {

constexpr absl::string_view kPrefixes = "kmgt";

// Returns the bytes of the unit, or 0 if it is unknown.
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
  double number = 0;
  size_t digits = text.size();
  if (!absl::SimpleAtod(text, &number)) {
    digits = text.find_first_not_of("0123456789.");
    if (!absl::SimpleAtod(text.substr(0, digits), &number)) {
      return std::nullopt;
    }
  }
  const double unit =
      UnitOf(digits == absl::string_view::npos ? absl::string_view()
                                               : absl::StripAsciiWhitespace(text.substr(digits)));
  const double bytes = number * unit;
  return bytes >= 1 && std::isfinite(bytes) ? std::optional(bytes) : std::nullopt;
}

}  // namespace winnow::tools
