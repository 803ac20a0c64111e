// Cost of building a tree's filters, measured separately from the growth of the tree, of which it
// is a small part.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_COST_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_COST_H_

#include <absl/status/statusor.h>
#include <rocksdb/env.h>

#include <optional>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/policies.h"

namespace winnow::bench {

// Builds filters with the mean number of keys per file of each level, from keys of the tree, and
// measures this thread's CPU time for adding the keys and finishing. `logger` is the tree's, by
// which a policy may recognize the tree; `num_levels` is the maximum number of levels. Returns
// nullopt without filters. Returns an error if the policy gives no builder for a level whose files
// have filters, or if a builder fails.
absl::StatusOr<std::optional<inspect::BuildCost>> MeasureBuildCost(
    const Policy& policy, const std::vector<inspect::LevelShape>& tree, int num_levels,
    const KeySet& keys, rocksdb::Logger* logger);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_COST_H_
