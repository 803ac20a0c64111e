// A run: grows a tree for every policy, proves that the policy is in force, and runs the lookups.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/lookups/growth_lookups.h"
#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/system/work_folder.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "src/cli/progress.h"

namespace winnow::bench {

struct RunOptions {
  TreeOptions tree;          // options from ScaleTree()
  uint64_t timed_reads = 0;  // limit per workload and round
  double timed_seconds = 0;  // duration of a round if above 0
  size_t timed_rounds = 1;   // policies alternate in each; 0: no timing
  size_t threads = 1;        // concurrent lookup threads per tree
};

// Data shared by all policies.
struct RunData {
  const KeySet& keys;
  const WriteSequence& writes;  // writes of `keys`
  const WrittenKeys& written;   // keys written by `writes`
  const std::vector<Lookups>& workloads;
  const GrowthHeat* heat = nullptr;  // lookups while trees grow, one at a time; null: none
};

// Returns the results in the order of the policies. Returns only an error if any step fails for any
// policy, or if a policy is not in force. Ends early, with an error, soon after *stop is set.
absl::StatusOr<std::vector<inspect::PolicyResult>> Run(const RunOptions& options,
                                                       const std::vector<Policy>& policies,
                                                       const RunData& data, WorkFolder* folder,
                                                       cli::ProgressLine* progress,
                                                       const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_H_
