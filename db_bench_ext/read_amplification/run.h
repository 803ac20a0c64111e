// A run: for every policy a tree, the proof that the policy is in force, and the lookups.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RUN_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RUN_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "db_bench_ext/read_amplification/key_table.h"
#include "db_bench_ext/read_amplification/lookups.h"
#include "db_bench_ext/read_amplification/policies.h"
#include "db_bench_ext/read_amplification/progress.h"
#include "db_bench_ext/read_amplification/tree.h"
#include "db_bench_ext/read_amplification/work_folder.h"
#include "src/inspect/readamp_results.h"

namespace winnow::bench {

struct RunOptions {
  TreeOptions tree;          // as ScaleTree gives them
  size_t timed_reads = 0;    // of each workload and round, at most
  size_t timed_rounds = 1;   // in each, the policies take turns; 0: no times at all
  size_t trees_at_once = 1;  // grown and counted at a time; lookups are timed one tree at a time
};

// The results, in the order of the policies. An error, and no results, if any step fails for any
// policy, or if a policy is not in force. Ends early, with an error, soon after *stop is set.
absl::StatusOr<std::vector<inspect::PolicyResult>> Run(const RunOptions& options,
                                                       const std::vector<Policy>& policies,
                                                       const KeyTable& keys,
                                                       const std::vector<Lookups>& workloads,
                                                       WorkFolder* folder, Progress* progress,
                                                       const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RUN_H_
