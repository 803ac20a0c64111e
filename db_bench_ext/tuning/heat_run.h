// A tree that is grown while it is looked up, and what that cost.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_HEAT_RUN_H_
#define WINNOW_DB_BENCH_EXT_TUNING_HEAT_RUN_H_

#include <absl/status/statusor.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "db_bench_ext/tuning/heat_scenarios.h"
#include "db_bench_ext/tuning/level_tree.h"
#include "db_bench_ext/tuning/tree_cost.h"

namespace winnow::bench {

struct HeatSettings {
  uint64_t keys = 600'000;
  uint64_t seed = 1;
  double lookups_a_write = 2.5;
  double bits_per_key = 10;  // of the policy
  uint64_t looks = 40;       // while the tree grows, at equal intervals of writes
  uint64_t lookups_at_rest = 100'000;
};

// A tree that grows, after so many writes.
struct HeatLook {
  uint64_t written;
  double memory;       // to uniform
  double false_reads;  // expected of the lookups of that time
  double uniform_false_reads;
};

struct HeatResult {
  TreeCost cost;                // at rest, of the lookups as they are then
  std::vector<HeatLook> looks;  // in order of time, without those at a tree without files
  double most_memory = 0;       // at any look and at rest
  // Means over the looks.
  double grown_false_reads = 0;
  double grown_uniform_false_reads = 0;
  // Means per lookup at rest that RocksDB counted.
  double counted_false_reads = 0;
  double counted_blocks = 0;  // of data, that were not in the block cache
};

// The tree is open and empty, and counts in `statistics`. Fails also if a lookup does not find what
// was written, or finds what was not. `progress` is told of writes.
absl::StatusOr<HeatResult> RunHeat(const HeatScenario& scenario, const HeatSettings& settings,
                                   const rocksdb::Statistics& statistics, LevelTree* tree,
                                   const std::function<void(uint64_t done, uint64_t of)>& progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_HEAT_RUN_H_
