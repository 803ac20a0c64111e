// The frontier of memory against false reads: the same policies with other bits a key.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FRONTIER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FRONTIER_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/read_amplification/program/run.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/policies.h"

namespace winnow::bench {

// The numbers between the commas of --frontier, each once and ascending. An error, which names the
// flag, for what is no number from 1 to 100. Empty for "".
absl::StatusOr<std::vector<double>> ParseFrontier(std::string_view list);

struct FrontierPolicy {
  std::string varied;
  double bits = 0;
  Policy policy;
};

// Every policy of `asked` that has bits, with each of `bits`; not again where it was asked for
// itself, or comes of two of them. An error for one that RocksDB refuses.
absl::StatusOr<std::vector<FrontierPolicy>> FrontierPolicies(const std::vector<Policy>& asked,
                                                             const std::vector<double>& bits);

// Grows and counts the trees of the policies, a few at a time, in a folder of their own below
// `folder`; each tree is removed as soon as it was counted. Nothing is timed. Errors as those of
// Run.
absl::StatusOr<std::vector<inspect::FrontierPoint>> RunFrontier(
    const RunOptions& options, const std::vector<FrontierPolicy>& policies, const RunData& data,
    const WorkFolder& folder, Progress* progress, const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FRONTIER_H_
