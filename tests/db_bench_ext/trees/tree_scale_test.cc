// Tests of the sizes of flushes and files for data of any size.

#include "db_bench_ext/read_amplification/trees/tree_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace tree_scale_test {

using ::testing::HasSubstr;

constexpr uint64_t kMean = 16 + 100;

TEST(ScaleTreeTest, FlushesAreATwoHundredthOfTheDataWithinBounds) {
  const struct {
    uint64_t keys, keys_per_flush;
  } cases[] = {
      {2, 1},                  // one flush per key
      {200'000, 4000},         // a fiftieth: otherwise fewer than two levels would be below level 0
      {1'000'000, 20'000},     // a fiftieth, with sufficiently large files
      {3'000'000, 20'000},     // minimum size of files
      {4'000'000, 20'000},     // a two-hundredth
      {5'000'000, 25'000},     //
      {100'000'000, 500'000},  //
      {200'000'000, 578'524},  // 64 MB
      {4'000'000'000, 578'524},  //
  };
  for (const auto& row : cases) {
    const TreeOptions scaled = ScaleTree(TreeOptions{}, row.keys, 16 * row.keys);
    EXPECT_EQ(KeysPerFlush(scaled, kMean), row.keys_per_flush) << row.keys;
    EXPECT_EQ(KeysPerFile(scaled, kMean), row.keys_per_flush) << row.keys;
    EXPECT_EQ(TargetsOf(scaled, kMean).base_keys, 4 * row.keys_per_flush) << row.keys;
    EXPECT_LE(scaled.write_buffer_size, kLargestFlush);
  }
}

TEST(ScaleTreeTest, SizesThatAreGivenAreKept) {
  TreeOptions options;
  options.write_buffer_size = 1000;
  options.target_file_size_base = 2000;
  options.max_bytes_for_level_base = 3000;
  const TreeOptions scaled = ScaleTree(options, 1000, 16'000);
  EXPECT_EQ(scaled.write_buffer_size, 1000u);
  EXPECT_EQ(scaled.target_file_size_base, 2000u);
  EXPECT_EQ(scaled.max_bytes_for_level_base, 3000u);
}

TEST(ScaleTreeTest, KeysLongerThanAFlushMakeFlushesOfOneKey) {
  const TreeOptions scaled = ScaleTree(TreeOptions{}, 1000, 1000 * (uint64_t{100} << 20));
  EXPECT_EQ(KeysPerFlush(scaled, (uint64_t{100} << 20) + 100), 1u);
}

TEST(SmallFilesTest, AreWarnedOfWhereTheyHoldMostKeys) {
  const auto warning = [](uint64_t small, uint64_t large) {
    return SmallFilesWarning({{0, 2, small, 0}, {1, 1, large, 0}}, kMean);
  };
  EXPECT_EQ(warning(19'999, 20'000), "");
  EXPECT_EQ(warning(40'000, 20'000), "");
  EXPECT_EQ(warning(40'000, 0), "");
  EXPECT_EQ(warning(0, 0), "");
  EXPECT_NE(warning(20'001, 20'000), "");
  const std::string small = warning(15'000, 4'000);
  EXPECT_THAT(small, HasSubstr("100 % of the keys lie in files of fewer than 20000 keys"));
  EXPECT_THAT(small, HasSubstr("3 files with 6333 on average"));
  EXPECT_THAT(small, HasSubstr("--write_buffer_size=2320000"));
}

}  // namespace tree_scale_test
}  // namespace winnow::bench
