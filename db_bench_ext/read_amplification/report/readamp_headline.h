// Finding of a run, in a sentence.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_

#include <functional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::inspect {

struct ReadampFinding {
  std::string headline;           // a sentence
  std::vector<std::string> lead;  // more sentences: how sure it is, and what the disk sees of it
};

// Compares the best policy with the reference of the run, by the first workload whose keys are all
// absent, or else the first. The best is, of those that take no more memory than the reference on
// the same tree, the one that makes the fewest false reads, and of those that make about as
// many, the one that takes the least memory; where there is none, the last policy that has filters.
// "About as many" where the interval of the ratio holds 1. No verdict where their trees differ by
// more than kSame; it is said why. Where there is nothing to compare it with, what it reads and
// takes. The headline has a number in any case.
ReadampFinding FindingOf(const ReadAmplification& run);
// The same with other names than the texts of the policies, which are cut where they are long.
using PolicyName = std::function<std::string(const std::string& policy)>;
ReadampFinding FindingOf(const ReadAmplification& run, const PolicyName& name_of);

// The workload by which policies are compared at a glance; 0 without workloads.
size_t LeadingWorkload(const ReadAmplification& run);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HEADLINE_H_
