// Examines what the files of a grown tree have, and proves that the policy is in force.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_EXAMINED_FILES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_EXAMINED_FILES_H_

#include <absl/status/status.h>

#include <atomic>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/compaction_plan.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/range_parts.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

// A tree in the folder `path`, whose files are on these levels.
struct GrownTree {
  const TreeOptions& options;
  const Policy& policy;
  const std::string& path;
  const LevelFiles& levels;
};

// Fills in the shape of the tree and its filters, and where in the range of generated keys they are
// unless `filters` is null. An error if the policy is not in force, or soon after *stop is set.
absl::Status ExamineFiles(const GrownTree& tree, const std::atomic<bool>* stop,
                          inspect::PolicyResult* result, std::vector<RangeOfFilter>* filters);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_EXAMINED_FILES_H_
