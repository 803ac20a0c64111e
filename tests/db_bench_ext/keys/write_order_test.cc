// Tests that every key is written once, in pseudorandom order.

#include "db_bench_ext/read_amplification/keys/write_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace winnow::bench {
namespace write_order_test {

TEST(WriteOrderTest, EveryNumberComesOnce) {
  for (const uint64_t n : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u, 1000u, 65'536u, 65'537u}) {
    const WriteOrder order(n, 7);
    std::vector<bool> seen(n);
    for (uint64_t i = 0; i < n; ++i) {
      ASSERT_LT(order[i], n);
      EXPECT_FALSE(seen[order[i]]) << n;
      seen[order[i]] = true;
    }
  }
}

TEST(WriteOrderTest, LargeNumbersStayBelowTheirLimit) {
  const uint64_t n = (uint64_t{1} << 40) + 1;
  const WriteOrder order(n, 7);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_LT(order[n - 1 - i], n);
}

TEST(WriteOrderTest, DependsOnTheSeedAndOnNothingElse) {
  const WriteOrder a(1000, 1), again(1000, 1), b(1000, 2);
  int same = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(a[i], again[i]);
    same += a[i] == b[i];
  }
  EXPECT_LT(same, 20);
}

// Each flush of a tree must be a sample of all keys: chi-squared statistic of sixteen key ranges
// over the first tenth of the order, with 15 degrees of freedom; it exceeds 45 for one seed in
// 10,000.
TEST(WriteOrderTest, ATenthOfTheOrderIsSpreadOverAllNumbers) {
  constexpr uint64_t kKeys = 160'000;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const WriteOrder order(kKeys, seed);
    std::vector<double> counts(16);
    for (uint64_t i = 0; i < kKeys / 10; ++i) ++counts[order[i] * 16 / kKeys];
    double chi_square = 0;
    for (const double count : counts) chi_square += std::pow(count - 1000, 2) / 1000;
    EXPECT_LT(chi_square, 45) << seed;
    EXPECT_GT(chi_square, 1) << seed << ": too even to be random";
  }
}

}  // namespace write_order_test
}  // namespace winnow::bench
