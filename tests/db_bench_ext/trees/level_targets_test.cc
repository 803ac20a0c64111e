// Tests of the levels' target sizes.

#include "db_bench_ext/read_amplification/trees/level_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace level_targets_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

LevelTargets Targets(uint64_t base_keys, double multiplier, bool dynamic) {
  LevelTargets targets;
  targets.base_keys = base_keys;
  targets.multiplier = multiplier;
  targets.dynamic = dynamic;
  return targets;
}

TEST(LevelTargetsTest, StaticLevelsGrowByTheMultiplierWhateverTheyHold) {
  for (const std::vector<uint64_t>& keys :
       {std::vector<uint64_t>{0, 0, 0, 0, 0}, std::vector<uint64_t>{9, 1, 5000, 7, 1'000'000}}) {
    const LevelSizes sizes = SizesOfLevels(Targets(10, 5, false), keys);
    EXPECT_EQ(sizes.base_level, 1u);
    EXPECT_THAT(sizes.most_keys, ElementsAre(kNoLimit, 10, 50, 250, kNoLimit));
  }
}

// The first five rows and the last are from RocksDB's own tests
// (VersionStorageInfoTest.MaxBytesForLevelDynamic, …LargeLevel and …WithLargeL0_1).
TEST(LevelTargetsTest, DynamicLevelsFollowRocksDB) {
  constexpr uint64_t kBillion = 1'000'000'000;
  const struct {
    uint64_t base_keys;
    double multiplier;
    std::vector<uint64_t> keys;
    size_t base_level;
    std::vector<uint64_t> most_keys;
  } cases[] = {
      {1000,
       5,
       {0, 0, 0, 0, 0, 500},
       5,
       {kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit}},
      {1000, 5, {0, 0, 0, 0, 0, 1050}, 4, {kNoLimit, kNoLimit, kNoLimit, kNoLimit, 1000, kNoLimit}},
      {1000,
       5,
       {0, 0, 0, 0, 550, 1050},
       4,
       {kNoLimit, kNoLimit, kNoLimit, kNoLimit, 1000, kNoLimit}},
      {1000, 5, {0, 0, 0, 550, 550, 1050}, 3, {kNoLimit, kNoLimit, kNoLimit, 1000, 1005, kNoLimit}},
      {10 * kBillion,
       10,
       {50, 0, 0, 32 * kBillion, 500 * kBillion, 3000 * kBillion},
       2,
       {kNoLimit, kNoLimit, 10 * kBillion, 30 * kBillion, 300 * kBillion, kNoLimit}},
      // Without files below level 0, level 0 is compacted into the last level.
      {1000, 5, {7, 0, 0, 0}, 3, {kNoLimit, kNoLimit, kNoLimit, kNoLimit}},
      // Level 1 exceeds the base size, but cannot have a level above it.
      {10, 10, {0, 5, 5, 100'000}, 1, {kNoLimit, 10, 100, kNoLimit}},
      {40'000,
       5,
       {30'000, 0, 8000, 40'000, 200'000, 1'286'250},
       2,
       {kNoLimit, kNoLimit, 40'000, 51'450, 257'250, kNoLimit}},
  };
  for (const auto& row : cases) {
    const LevelSizes sizes = SizesOfLevels(Targets(row.base_keys, row.multiplier, true), row.keys);
    EXPECT_EQ(sizes.base_level, row.base_level) << ::testing::PrintToString(row.keys);
    EXPECT_THAT(sizes.most_keys, ElementsAreArray(row.most_keys))
        << ::testing::PrintToString(row.keys);
  }
}

}  // namespace level_targets_test
}  // namespace winnow::bench
