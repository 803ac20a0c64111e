// The results as text for people.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_

#include <string>

#include "db_bench_ext/read_amplification/measured/readamp_results.h"

namespace winnow::bench {

// Everything: the comparison first, then the figures by level. At least one policy.
std::string FullReport(const inspect::ReadAmplification& run);

// One table for someone who sees this for the first time, and what it means.
std::string ShortReport(const inspect::ReadAmplification& run);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
