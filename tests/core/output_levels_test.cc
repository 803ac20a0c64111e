#include "src/core/output_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace winnow::core {
namespace output_levels_test {

using ::testing::ElementsAre;

std::vector<int> BelowOf(std::vector<FileSpan> files, int sign = 1) {
  SetBelow([sign](std::string_view a, std::string_view b) { return sign * a.compare(b); }, &files);
  std::vector<int> below;
  for (const FileSpan& file : files) below.push_back(file.below);
  return below;
}

TEST(FilesBelowTest, TheFirstLevelWithKeysInTheRangeCounts) {
  EXPECT_THAT(BelowOf({{0, "a", "z", -1},
                       {4, "b", "c", -1},
                       {4, "p", "q", -1},
                       {5, "a", "f", -1},
                       {6, "a", "e", -1},
                       {6, "f", "z", -1}}),
              ElementsAre(4, 5, 6, 6, -1, -1));
  EXPECT_THAT(BelowOf({{5, "f", "a", -1}, {6, "z", "f", -1}, {6, "e", "b", -1}}, -1),
              ElementsAre(6, -1, -1));
}

TEST(FilesBelowTest, AFileOverNothingCountsAsOnTheLastLevel) {
  EXPECT_THAT(BelowOf({{2, "a", "c", -1}, {4, "b", "d", -1}, {6, "x", "y", -1}}),
              ElementsAre(6, -1, -1));
}

TEST(FilesBelowTest, FilesOfLevelZeroAreMergedOnTheFirstLevelBelow) {
  EXPECT_THAT(BelowOf({{0, "a", "c", -1}, {0, "b", "d", -1}, {0, "m", "n", -1}, {5, "x", "y", -1}}),
              ElementsAre(5, 5, -1, -1));
  EXPECT_THAT(BelowOf({{0, "a", "c", -1}, {0, "b", "d", -1}}), ElementsAre(-1, -1));
  EXPECT_THAT(BelowOf({{0, "x", "y", -1},
                       {0, "a", "n", -1},
                       {0, "b", "c", -1},
                       {0, "m", "n", -1},
                       {5, "z", "z", -1}}),
              ElementsAre(-1, 5, 5, 5, -1));
}

TEST(FilesBelowTest, ManyFilesTakeSomeComparisonsEach) {
  constexpr int kFiles = 2000;
  std::vector<std::string> keys;
  for (int i = 0; i < kFiles; ++i) keys.push_back(std::to_string(10'000 + i));
  // Files of level 0 are disjoint, and then all overlap all files of a level.
  for (const bool is_wide : {false, true}) {
    std::vector<FileSpan> files;
    for (const std::string& key : keys) {
      files.push_back({0, is_wide ? keys.front() : key, is_wide ? keys.back() : key, -1});
      files.push_back({6, key, key, -1});
    }
    int compared = 0;
    SetBelow(
        [&compared](std::string_view a, std::string_view b) {
          ++compared;
          return a.compare(b);
        },
        &files);
    EXPECT_LT(compared, 100 * kFiles);
    EXPECT_EQ(files.front().below, 6);
  }
}

}  // namespace output_levels_test
}  // namespace winnow::core
