// A tree that grows under lookups, and its costs.

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
  double bits_per_key = 10;  // policy's option
  uint64_t looks = 40;       // observations during growth, at equal intervals of writes
  uint64_t lookups_at_rest = 100'000;
};

// Observation of a growing tree.
struct HeatLook {
  uint64_t written;
  double memory;       // ratio to uniform filters
  double false_reads;  // expected for the lookups of that time
  double uniform_false_reads;
};

struct HeatResult {
  TreeCost cost;                // after growth, for the lookups of that time
  std::vector<HeatLook> looks;  // chronological; omits trees without files
  double most_memory = 0;       // maximum over all observations and after growth
  // Means over the observations.
  double grown_false_reads = 0;
  double grown_uniform_false_reads = 0;
  // Means per lookup after growth, as counted by RocksDB.
  double counted_false_reads = 0;
  double counted_blocks = 0;  // data blocks that were not in the block cache
};

// Runs the scenario. The tree must be open and empty, and count in `statistics`. Also returns an
// error if a lookup gives a wrong result. `progress` is called with the number of writes.
absl::StatusOr<HeatResult> RunHeat(const HeatScenario& scenario, const HeatSettings& settings,
                                   const rocksdb::Statistics& statistics, LevelTree* tree,
                                   const std::function<void(uint64_t done, uint64_t of)>& progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_HEAT_RUN_H_
