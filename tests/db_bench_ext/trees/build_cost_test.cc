// Tests that filters are built with the sizes of the levels. Times are not checked.

#include "db_bench_ext/read_amplification/trees/build_cost.h"

#include <gtest/gtest.h>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"

namespace winnow::bench {
namespace build_cost_test {

std::vector<inspect::LevelShape> TreeOfTwoLevels(uint64_t filter_bytes) {
  inspect::LevelShape flushed, deep;
  flushed.level = 0;
  flushed.files = 2;
  flushed.keys = 6'000;
  flushed.filter_bytes = filter_bytes;
  deep.level = 3;
  deep.files = 4;
  deep.keys = 28'000;
  deep.filter_bytes = filter_bytes;
  return {flushed, deep};
}

TEST(BuildCostTest, EachLevelIsMeasuredWithFiltersOfItsSizeOverEnoughKeys) {
  const GeneratedKeys keys(34'000, 16);
  for (const char* policy : {"bloomfilter:10", "ribbonfilter:10"}) {
    const auto cost =
        MeasureBuildCost(*MakePolicy(policy), TreeOfTwoLevels(1000), 7, keys, nullptr);
    ASSERT_TRUE(cost.ok()) << cost.status();
    ASSERT_TRUE(cost->has_value());
    // 67 filters of 3,000 keys, and 29 of 7,000: the smallest numbers that reach 200,000 keys.
    EXPECT_EQ((*cost)->keys, 67u * 3'000 + 29u * 7'000) << policy;
    EXPECT_GT((*cost)->ns_per_key, 0) << policy;
  }
}

TEST(BuildCostTest, TreesWithoutFiltersHaveNone) {
  const GeneratedKeys keys(1000, 16);
  const auto of_none = MeasureBuildCost(*MakePolicy("none"), TreeOfTwoLevels(0), 7, keys, nullptr);
  ASSERT_TRUE(of_none.ok());
  EXPECT_FALSE(of_none->has_value());
  const auto of_bloom =
      MeasureBuildCost(*MakePolicy("bloomfilter:10"), TreeOfTwoLevels(0), 7, keys, nullptr);
  ASSERT_TRUE(of_bloom.ok());
  EXPECT_FALSE(of_bloom->has_value());
}

}  // namespace build_cost_test
}  // namespace winnow::bench
