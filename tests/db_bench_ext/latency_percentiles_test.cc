// Tests that percentiles are measured times, and that only resolvable ones are returned.

#include "db_bench_ext/read_amplification/results/latency_percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace winnow::inspect {
namespace latency_percentiles_test {

TEST(LatencyPercentilesTest, OfATimeEachFromOneToAThousand) {
  std::vector<uint32_t> times(1000);
  std::iota(times.begin(), times.end(), 1u);
  std::reverse(times.begin(), times.end());
  const std::vector<Percentile> percentiles = LatencyPercentiles(&times);
  const std::vector<std::pair<double, uint64_t>> expected = {
      {1, 10},   {5, 50},   {10, 100}, {25, 250},   {50, 500},  {75, 750},
      {90, 900}, {95, 950}, {99, 990}, {99.9, 999}, {100, 1000}};
  ASSERT_EQ(percentiles.size(), expected.size()) << "99.99 % would be the slowest again";
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(percentiles[i].percent, expected[i].first);
    EXPECT_EQ(percentiles[i].nanoseconds, expected[i].second) << expected[i].first;
  }
}

TEST(LatencyPercentilesTest, OfNoneAndOfOne) {
  std::vector<uint32_t> times;
  EXPECT_TRUE(LatencyPercentiles(&times).empty());
  times = {7};
  ASSERT_FALSE(LatencyPercentiles(&times).empty());
  EXPECT_EQ(LatencyPercentiles(&times).back().percent, 100);
  EXPECT_EQ(LatencyPercentiles(&times).back().nanoseconds, 7u);
}

}  // namespace latency_percentiles_test
}  // namespace winnow::inspect
