// Cost of building the filters of a tree, measured apart from the growth of the tree, of which it
// is too small a part to be seen.

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

// Builds filters of the mean number of keys that a file of each level has, from keys of the tree,
// and takes the processor time of this thread: adding the keys, and finishing. `logger` is the
// tree's, by which a policy may know it; `num_levels` how many levels the tree may have. Unset
// without filters. An error if the policy gives no builder for a level whose files have filters, or
// if the builder fails.
absl::StatusOr<std::optional<inspect::BuildCost>> MeasureBuildCost(
    const Policy& policy, const std::vector<inspect::LevelShape>& tree, int num_levels,
    const KeySet& keys, rocksdb::Logger* logger);

// Builds one filter of the mean size of the level whose files are the largest, but of at least a
// million keys, in a process of its own (build_memory.h). No keys and no bytes without filters.
absl::StatusOr<inspect::BuildPeak> MeasureBuildPeak(const Policy& policy,
                                                    const std::vector<inspect::LevelShape>& tree,
                                                    int num_levels);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_COST_H_
