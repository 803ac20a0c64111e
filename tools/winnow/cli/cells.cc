#include "tools/winnow/cli/cells.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace winnow::tools {

std::string Count(uint64_t number) { return absl::StrCat(number); }

std::string Bits(double bits_per_key) {
  return bits_per_key == 0 ? "-" : absl::StrFormat("%.2f", bits_per_key);
}

std::string Percent(const std::optional<double>& share) {
  return share ? absl::StrFormat("%.3g %%", 100 * *share) : "-";
}

std::string Number(uint64_t number, const char* noun) {
  return absl::StrCat(number, " ", noun, number == 1 ? "" : "s");
}

}  // namespace winnow::tools
