// Main result of a run in one sentence.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_

#include <functional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::inspect {

struct ReadampFinding {
  std::string headline;           // one sentence
  std::vector<std::string> lead;  // further sentences: confidence, and effect on the disk
};

// Compares the best policy with the run's reference, by the first workload of absent keys only,
// else by the first workload. Of the policies that take no more memory than the reference on an
// equal tree, the best makes the fewest false reads or, among those that make about as many, takes
// the least memory; if there are none, it is the last policy with filters. "About as many" means
// that the ratio's interval contains 1. If trees differ by more than kSame, there is no verdict,
// and the reason is given. Without a policy to compare with, the headline says what the policy
// reads and takes. It always contains a number.
ReadampFinding FindingOf(const ReadAmplification& run);
// Variant with other names than the policies' texts, which are truncated if long.
using PolicyName = std::function<std::string(const std::string& policy)>;
ReadampFinding FindingOf(const ReadAmplification& run, const PolicyName& name_of);

// Returns the workload by which policies are compared at a glance; 0 without workloads.
size_t LeadingWorkload(const ReadAmplification& run);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_
