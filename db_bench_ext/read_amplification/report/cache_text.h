// Text table of what lookups read into the block cache.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_CACHE_TEXT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_CACHE_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// Width of the text output in columns.
inline constexpr size_t kReportWidth = 100;

// Returns the table of workload number w with a row per policy; `labels` are by policy. Empty
// without a block cache.
std::string CacheLoadsText(const inspect::ReadAmplification& run,
                           const std::vector<std::string>& labels, size_t w);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_CACHE_TEXT_H_
