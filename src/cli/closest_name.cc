#include "src/cli/closest_name.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace winnow::cli {
namespace {

// Returns the edit distance: the number of characters to insert, remove or replace.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

absl::string_view ClosestName(absl::string_view written,
                              const std::vector<absl::string_view>& names) {
  constexpr size_t kShortestStart = 3;
  absl::string_view closest;
  // Two swapped letters are two edits, which is half of a short name.
  size_t smallest = std::min<size_t>(2, written.size() / 2) + 1;
  for (const absl::string_view name : names) {
    const bool begins =
        written.size() >= kShortestStart && absl::StartsWithIgnoreCase(name, written);
    const size_t distance =
        begins ? 0 : EditDistance(absl::AsciiStrToLower(written), absl::AsciiStrToLower(name));
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest;
}

std::string DidYouMean(absl::string_view written, const std::vector<absl::string_view>& names,
                       absl::string_view dashes) {
  const absl::string_view meant = ClosestName(written, names);
  return meant.empty() ? "" : absl::StrCat("; did you mean ", dashes, meant, "?");
}

}  // namespace winnow::cli
