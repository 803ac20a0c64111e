// A run: for every policy a tree (with a sweep of caches two: one has partitioned filters), the
// proof that the policy is in force, and the lookups.

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
#include "db_bench_ext/read_amplification/system/progress.h"
#include "db_bench_ext/read_amplification/system/work_folder.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree.h"

namespace winnow::bench {

struct RunOptions {
  TreeOptions tree;          // as ScaleTree gives them
  uint64_t timed_reads = 0;  // of each workload and round, at most
  double timed_seconds = 0;  // above 0: of a round, instead
  size_t timed_rounds = 1;   // in each, the policies take turns; 0: no times at all
  size_t threads = 1;        // that look keys up at a time in one tree
  size_t trees_at_once = 1;  // grown and counted at a time; lookups are timed one tree at a time
  bool build_peaks = false;  // measure the memory of building, by processes of this very program
  uint64_t write_rate = 0;   // of writes beside lookups: bytes a second; 0: no limit
  std::vector<uint64_t> cache_sweep{};  // sizes of the block cache to read each tree with, above 0
  uint64_t sweep_reads = 0;             // lookups of each workload, size and form, at least 3
};

// Data that every policy gets.
struct RunData {
  const KeySet& keys;
  const WriteSequence& writes;  // of these keys
  const WrittenKeys& written;   // by these writes
  const std::vector<Lookups>& workloads;
  const GrowthHeat* heat = nullptr;  // of lookups while trees grow, one at a time; null: none
};

// The results, in the order of the policies. An error, and no results, if any step fails for any
// policy, or if a policy is not in force. Ends early, with an error, soon after *stop is set.
absl::StatusOr<std::vector<inspect::PolicyResult>> Run(const RunOptions& options,
                                                       const std::vector<Policy>& policies,
                                                       const RunData& data, WorkFolder* folder,
                                                       Progress* progress,
                                                       const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_H_
