// Tests of the distribution of bits over the key range.

#include "db_bench_ext/read_amplification/trees/range_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace winnow::bench {
namespace range_parts_test {

using inspect::kParts;
using inspect::RangeOfLevel;
using ::testing::DoubleNear;
using ::testing::Each;

TEST(RangePartsTest, AFileOfAllKeysIsSharedOutEvenly) {
  const std::vector<RangeOfLevel> levels = PartsOfRange({{3, 0, 2999, 600, 300}}, 3000);
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].level, 3);
  ASSERT_EQ(levels[0].keys.size(), kParts);
  EXPECT_THAT(levels[0].keys, Each(DoubleNear(20, 1e-9)));
  EXPECT_THAT(levels[0].filter_bytes, Each(DoubleNear(10, 1e-9)));
}

TEST(RangePartsTest, FilesAddUpInThePartsAndLevelsThatTheyLieIn) {
  // Parts have 100 numbers: the second file covers the last quarter of part 1, and part 2.
  const std::vector<RangeOfLevel> levels = PartsOfRange(
      {{2, 0, 99, 10, 5}, {1, 175, 299, 125, 250}, {1, 200, 299, 7, 3}, {1, 5, 5, 1, 2}}, 3000);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].level, 1);
  EXPECT_DOUBLE_EQ(levels[0].keys[0], 1);
  EXPECT_DOUBLE_EQ(levels[0].keys[1], 25);
  EXPECT_DOUBLE_EQ(levels[0].keys[2], 107);
  EXPECT_DOUBLE_EQ(levels[0].filter_bytes[1], 50);
  EXPECT_DOUBLE_EQ(levels[0].filter_bytes[2], 203);
  EXPECT_DOUBLE_EQ(std::accumulate(levels[0].keys.begin(), levels[0].keys.end(), 0.0), 133);
  EXPECT_EQ(levels[1].level, 2);
  EXPECT_DOUBLE_EQ(levels[1].keys[0], 10);
  EXPECT_DOUBLE_EQ(levels[1].keys[1], 0);
}

TEST(RangePartsTest, NothingHasNoLevels) { EXPECT_TRUE(PartsOfRange({}, 3000).empty()); }

}  // namespace range_parts_test
}  // namespace winnow::bench
