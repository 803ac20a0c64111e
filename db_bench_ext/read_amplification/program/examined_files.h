// Examination of a grown tree's files, including whether the policy is in force.

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

// A tree in the folder `path`, with its files by level.
struct GrownTree {
  const TreeOptions& options;
  const Policy& policy;
  const std::string& path;
  const LevelFiles& levels;
};

// Sets the shape of the tree and its filters in *result, and their distribution over the range of
// generated keys in *filters unless it is null. Returns an error if the policy is not in force, or
// soon after *stop is set.
absl::Status ExamineFiles(const GrownTree& tree, const std::atomic<bool>* stop,
                          inspect::PolicyResult* result, std::vector<RangeOfFilter>* filters);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_EXAMINED_FILES_H_
