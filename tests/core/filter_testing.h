// Helpers for tests of a filter: building one, and asking it for its keys.

#ifndef WINNOW_TESTS_CORE_FILTER_TESTING_H_
#define WINNOW_TESTS_CORE_FILTER_TESTING_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::testing {

// All kinds that a builder can be asked for; the option's last value means unset.
inline constexpr auto kKinds = [] {
  std::array<FilterKind, kKindOption.values.size() - 1> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = *kKindOption.values[i].second;
  return kinds;
}();

inline FilterOptions OptionsOf(FilterKind kind, double bits_per_key) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  return options;
}

inline FilterBlock Build(const FilterOptions& options, const std::vector<KeyHash>& hashes) {
  FilterBuilder builder(options);
  builder.Add(hashes.data(), hashes.size());
  return builder.Finish();
}

// Returns the number of hashes that the filter denies.
inline size_t FalseNegatives(const FilterView& view, const std::vector<KeyHash>& hashes) {
  return static_cast<size_t>(std::count_if(hashes.begin(), hashes.end(),
                                           [&](KeyHash hash) { return !view.MayContain(hash); }));
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_FILTER_TESTING_H_
