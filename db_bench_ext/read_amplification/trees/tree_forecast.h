// Forecast of what a tree will look like, and how much is merged on the way, before it is grown.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_

#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

enum class ForecastBasis {
  kPlan,      // the plan of merges, run through in numbers of keys: within a few files of the tree,
              // and fewer files where the data compress
  kSamePlan,  // that plan for RocksDB's leveled compaction, which has rules of its own besides
  kNoMerges,  // nothing is merged: flushes as RocksDB's write buffer makes them
  kBound,     // universal compaction: the shape is RocksDB's decision, one run is the simplest
};

struct TreeForecast {
  ForecastBasis basis = ForecastBasis::kPlan;
  std::vector<inspect::LevelShape> tree;  // levels that have files; without filter_bytes
  uint64_t merged_keys = 0;               // written by merges, each as often as it is
};

// Forecasts a tree that GrowTree makes of so many keys. `scaled` as ScaleTree gives it. Takes less
// than a second for any number of keys.
TreeForecast ForecastTree(const TreeOptions& scaled, uint64_t keys, uint64_t key_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_
