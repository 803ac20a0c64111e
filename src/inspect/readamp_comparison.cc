#include "src/inspect/readamp_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace winnow::inspect {
namespace {

size_t Reference(const std::vector<PolicyResult>& policies) {
  const auto first = [&](auto&& wanted) {
    return std::find_if(policies.begin(), policies.end(), wanted);
  };
  auto found = first([](const PolicyResult& policy) { return policy.in_force == "bloomfilter"; });
  if (found == policies.end()) {
    found = first([](const PolicyResult& policy) { return policy.filter_bytes > 0; });
  }
  return found == policies.end() ? 0 : static_cast<size_t>(found - policies.begin());
}

}  // namespace

double LevelDifference(const std::vector<LevelShape>& a, const std::vector<LevelShape>& b) {
  std::map<int, std::pair<double, double>> keys;
  for (const LevelShape& level : a) keys[level.level].first += static_cast<double>(level.keys);
  for (const LevelShape& level : b) keys[level.level].second += static_cast<double>(level.keys);
  double largest = 0;
  for (const auto& [level, both] : keys) {
    const double more = std::max(both.first, both.second);
    if (more > 0) largest = std::max(largest, std::abs(both.first - both.second) / more);
  }
  return largest;
}

Comparison Compare(const std::vector<PolicyResult>& policies) {
  Comparison comparison;
  comparison.reference = Reference(policies);
  for (const PolicyResult& policy : policies) {
    comparison.largest_level_difference =
        std::max(comparison.largest_level_difference,
                 LevelDifference(policy.tree, policies[comparison.reference].tree));
  }
  return comparison;
}

}  // namespace winnow::inspect
