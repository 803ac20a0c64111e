#include "db_bench_ext/read_amplification/results/latency_percentiles.h"

#include <algorithm>
#include <cstddef>

namespace winnow::inspect {

std::vector<Percentile> LatencyPercentiles(std::vector<uint32_t>* nanoseconds) {
  std::vector<Percentile> percentiles;
  const size_t n = nanoseconds->size();
  if (n == 0) return percentiles;
  std::sort(nanoseconds->begin(), nanoseconds->end());
  for (const double percent :
       {1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0}) {
    const double beyond = static_cast<double>(n) * (100 - percent) / 100;
    if (percent < 100 && beyond < 1 - 1e-9) continue;  // would be the maximum
    const auto at = static_cast<size_t>(static_cast<double>(n - 1) * percent / 100);
    percentiles.push_back({percent, (*nanoseconds)[at]});
  }
  return percentiles;
}

}  // namespace winnow::inspect
