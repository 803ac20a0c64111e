#include "db_bench_ext/tuning/memory_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace winnow::bench {
namespace memory_run_test {

using Looks = std::vector<GrowthLook>;

// Returns an observation at `keys` keys with this number of bits per key.
GrowthLook Look(double bits, double false_reads, double keys = 1000) {
  return {keys, keys * bits / 8, false_reads};
}

TEST(CompareTest, RivalsHaveTheFalseReadsOfTheSameBits) {
  const std::vector<Looks> rivals = {{Look(8, 0.01)}, {Look(4, 0.16)}};
  const GrowthComparison half = Compare({Look(6, 0.02)}, rivals);
  EXPECT_EQ(half.looks, 1u);
  EXPECT_DOUBLE_EQ(half.false_reads, 0.02);
  EXPECT_DOUBLE_EQ(half.rivals, 0.04);
  EXPECT_DOUBLE_EQ(Compare({Look(5, 0.02)}, rivals).rivals, 0.08);
  EXPECT_DOUBLE_EQ(Compare({Look(8, 0.02)}, rivals).rivals, 0.01);
}

TEST(CompareTest, TheTwoRivalsAroundItCount) {
  const std::vector<Looks> rivals = {{Look(2, 0.9)}, {Look(4, 0.16)}, {Look(8, 0.01)}};
  EXPECT_DOUBLE_EQ(Compare({Look(6, 0.02)}, rivals).rivals, 0.04);
}

// A rival is observed at about the same number of keys, since another size has other levels.
TEST(CompareTest, ARivalIsAskedAtTheSameSize) {
  const std::vector<Looks> rivals = {{Look(4, 0.5, 100), Look(4, 0.16), Look(4, 0.7, 9000)},
                                     {Look(8, 0.3, 100), Look(8, 0.01, 1100)}};
  EXPECT_DOUBLE_EQ(Compare({Look(6, 0.02)}, rivals).rivals, 0.04);
}

TEST(CompareTest, LooksWithoutRivalsAroundThemAreLeftOut) {
  const std::vector<Looks> rivals = {{Look(8, 0.01)}, {Look(4, 0.16)}};
  const GrowthComparison some = Compare({Look(3, 0.5), Look(6, 0.02), Look(9, 0.001)}, rivals);
  EXPECT_EQ(some.looks, 1u);
  EXPECT_DOUBLE_EQ(some.false_reads, 0.02);
  EXPECT_EQ(Compare({Look(6, 0.02)}, {}).looks, 0u);
}

TEST(CompareTest, TheAverageOverLooksIsGeometric) {
  const std::vector<Looks> rivals = {{Look(8, 0.01), Look(8, 0.04, 4000)},
                                     {Look(4, 0.16), Look(4, 0.64, 4000)}};
  const GrowthComparison both = Compare({Look(6, 0.02), Look(6, 0.32, 4000)}, rivals);
  EXPECT_EQ(both.looks, 2u);
  EXPECT_DOUBLE_EQ(both.false_reads, 0.08);
  EXPECT_DOUBLE_EQ(both.rivals, 0.08);
}

}  // namespace memory_run_test
}  // namespace winnow::bench
