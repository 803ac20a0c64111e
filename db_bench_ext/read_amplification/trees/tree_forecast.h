// Forecast of a tree's shape and of its compactions, before it is grown.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_

#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

enum class ForecastBasis {
  kPlan,      // simulated compaction plan, in keys; accurate to a few files, unless data compress
  kSamePlan,  // kPlan for RocksDB's leveled compaction, which has additional rules
  kNoMerges,  // no compactions: flushes of RocksDB's write buffer
  kBound,     // universal compaction: one run, the simplest of the possible shapes
};

struct TreeForecast {
  ForecastBasis basis = ForecastBasis::kPlan;
  std::vector<inspect::LevelShape> tree;  // levels with files; without filter_bytes
  uint64_t merged_keys = 0;               // rewritten by compactions, counted each time
};

// Forecasts the tree that GrowTree() grows from `keys` keys. `scaled` must be from ScaleTree().
// Takes less than a second for any number of keys.
TreeForecast ForecastTree(const TreeOptions& scaled, uint64_t keys, uint64_t key_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FORECAST_H_
