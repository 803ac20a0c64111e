// Costs of paired policies (paired_policies.h) while one tree grows.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_PAIRED_RUN_H_
#define WINNOW_DB_BENCH_EXT_TUNING_PAIRED_RUN_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "db_bench_ext/tuning/level_scenarios.h"
#include "db_bench_ext/tuning/level_tree.h"
#include "db_bench_ext/tuning/paired_policies.h"

namespace winnow::bench {

struct PairedSettings {
  size_t policies = 1;
  uint64_t keys = 0;
  uint64_t looks = 0;  // during growth; another one follows
  double bits_per_key = 0;
};

// Memory and false reads of a policy. Ratios are of false reads, summed over all observations, at
// equal memory: a filter with one more bit per key is assumed to have half of the false reads.
struct PairedCost {
  TreeCost last;           // after growth
  double most_memory = 0;  // ratio to uniform filters, maximum over the observations
  double mean_memory = 0;
  double to_first = 0;  // ratio to the first policy, for lookups evenly distributed over keys
  double to_first_by_range = 0;  // likewise for lookups evenly distributed over the key range
  double to_uniform = 0;         // ratio to uniform filters in the same tree
  // Ratio to the optimum exp(H)/R for runs that cover all keys: R is the number of runs, which are
  // levels and files of level 0, and H the entropy of their shares of the keys.
  double to_best = 0;
};

// Grows the open tree, whose policies these are, and returns the costs by policy.
absl::StatusOr<std::vector<PairedCost>> RunPaired(
    const LevelScenario& scenario, const PairedSettings& settings, const PairedPolicies& policies,
    LevelTree* tree, const std::function<void(uint64_t done, uint64_t of)>& progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PAIRED_RUN_H_
