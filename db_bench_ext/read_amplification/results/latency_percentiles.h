// Latency percentiles of lookups.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_LATENCY_PERCENTILES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_LATENCY_PERCENTILES_H_

#include <cstdint>
#include <vector>

namespace winnow::inspect {

struct Percentile {
  double percent = 0;        // 0 to 100
  uint64_t nanoseconds = 0;  // upper bound for that share of the lookups
};

// Returns the percentiles for 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99 and 100 % that the
// number of times can resolve: with 1,000 times there is no 99.99 %. Empty without times. Sorts
// *nanoseconds.
std::vector<Percentile> LatencyPercentiles(std::vector<uint32_t>* nanoseconds);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_LATENCY_PERCENTILES_H_
