#include "tools/winnow/closest_name.h"

#include <absl/strings/match.h>

#include <algorithm>
#include <cstddef>

#include "src/inspect/suggest_policy.h"

namespace winnow::tools {

absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names) {
  constexpr size_t kShortestStart = 3;
  absl::string_view closest;
  // Two letters exchanged are two slips, which is half of a short name.
  size_t smallest = std::min<size_t>(2, written.size() / 2) + 1;
  for (const absl::string_view name : names) {
    const bool begins =
        written.size() >= kShortestStart && absl::StartsWithIgnoreCase(name, written);
    const size_t distance = begins ? 0 : inspect::EditDistance(written, name);
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest;
}

}  // namespace winnow::tools
