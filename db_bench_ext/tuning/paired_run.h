// The costs of paired policies (paired_policies.h) while one tree grows.

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
  uint64_t looks = 0;  // while the tree grows; one more follows
  double bits_per_key = 0;
};

// A policy's memory and false reads. Ratios are of false reads, summed over all looks, at equal
// memory: a filter that had a bit a key more would have half of the false reads.
struct PairedCost {
  TreeCost last;           // at the end
  double most_memory = 0;  // to uniform, at any look
  double mean_memory = 0;
  double to_first = 0;           // policy, by lookups that fall evenly over keys
  double to_first_by_range = 0;  // the same by lookups that fall evenly over the range of keys
  double to_uniform = 0;         // filters in the same tree
  // The same relative to exp(H)/R, which is the best where every run covers all keys: of R runs,
  // which are levels and files of level 0; H is the entropy of their shares of the keys.
  double to_best = 0;
};

// Grows the tree, which is open, and whose policies are these.
absl::StatusOr<std::vector<PairedCost>> RunPaired(
    const LevelScenario& scenario, const PairedSettings& settings, const PairedPolicies& policies,
    LevelTree* tree, const std::function<void(uint64_t done, uint64_t of)>& progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PAIRED_RUN_H_
