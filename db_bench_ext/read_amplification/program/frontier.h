// Frontier of filter memory and false reads: the same policies with other numbers of bits per key.

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

// Parses the comma-separated numbers of --frontier and returns them distinct and ascending; empty
// for "". Returns an error that names the flag unless all are from 1 to 100.
absl::StatusOr<std::vector<double>> ParseFrontier(std::string_view list);

struct FrontierPolicy {
  std::string varied;
  double bits = 0;
  Policy policy;
};

// Returns every policy of `asked` that has bits, with each of `bits`, without duplicates and
// without policies in `asked`. Returns an error if RocksDB refuses a policy.
absl::StatusOr<std::vector<FrontierPolicy>> FrontierPolicies(const std::vector<Policy>& asked,
                                                             const std::vector<double>& bits);

// Grows and counts the trees of the policies, several at a time, in a folder of their own below
// `folder`; each tree is removed once it is counted. Does no timing. Returns the errors of Run().
absl::StatusOr<std::vector<inspect::FrontierPoint>> RunFrontier(
    const RunOptions& options, const std::vector<FrontierPolicy>& policies, const RunData& data,
    const WorkFolder& folder, Progress* progress, const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FRONTIER_H_
