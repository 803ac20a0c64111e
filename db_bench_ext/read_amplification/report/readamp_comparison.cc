#include "db_bench_ext/read_amplification/report/readamp_comparison.h"

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

double FilesConsideredDifference(const PolicyResult& a, const PolicyResult& b) {
  double largest = 0;
  for (size_t w = 0; w < std::min(a.workloads.size(), b.workloads.size()); ++w) {
    const double ours = a.workloads[w].files_considered_per_lookup;
    const double theirs = b.workloads[w].files_considered_per_lookup;
    const double more = std::max(ours, theirs);
    if (more > 0) largest = std::max(largest, std::abs(ours - theirs) / more);
  }
  return largest;
}

bool SpeedsDiffer(const WorkloadTimes& a, const WorkloadTimes& b) {
  constexpr size_t kMinRounds = 3;
  const std::vector<double>& ours = a.ops_per_second_by_round;
  const std::vector<double>& theirs = b.ops_per_second_by_round;
  if (std::min(ours.size(), theirs.size()) < kMinRounds) return false;
  const auto [our_least, our_most] = std::minmax_element(ours.begin(), ours.end());
  const auto [their_least, their_most] = std::minmax_element(theirs.begin(), theirs.end());
  return *our_least > *their_most || *their_least > *our_most;
}

bool SameTree(const PolicyResult& a, const PolicyResult& b) {
  return LevelDifference(a.tree, b.tree) <= kSame && FilesConsideredDifference(a, b) <= kSame;
}

Comparison Compare(const std::vector<PolicyResult>& policies) {
  Comparison comparison;
  comparison.reference = Reference(policies);
  for (const PolicyResult& policy : policies) {
    comparison.largest_level_difference =
        std::max(comparison.largest_level_difference,
                 LevelDifference(policy.tree, policies[comparison.reference].tree));
    comparison.largest_files_considered_difference =
        std::max(comparison.largest_files_considered_difference,
                 FilesConsideredDifference(policy, policies[comparison.reference]));
  }
  return comparison;
}

}  // namespace winnow::inspect
