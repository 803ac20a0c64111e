#include "src/rocksdb/known_ranges.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace winnow::plugin {
namespace {

std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08d", number);
  return text;
}

KeyRange Range(int first, int last) { return {Key(first), Key(last)}; }

TEST(CoverageTest, JoinsWhatOverlapsAndNothingElse) {
  Coverage coverage;
  EXPECT_FALSE(coverage.Overlaps(Range(0, 99)));
  coverage.Add(Range(10, 20));
  coverage.Add(Range(40, 50));
  coverage.Add(Range(30, 35));
  EXPECT_EQ(coverage.pieces(), 3u);
  EXPECT_FALSE(coverage.Overlaps(Range(0, 9)));
  EXPECT_FALSE(coverage.Overlaps(Range(21, 29)));
  EXPECT_FALSE(coverage.Overlaps(Range(51, 99)));
  EXPECT_TRUE(coverage.Overlaps(Range(20, 20)));
  EXPECT_TRUE(coverage.Overlaps(Range(5, 10)));
  EXPECT_TRUE(coverage.Overlaps(Range(25, 45)));
  coverage.Add(Range(15, 32));
  EXPECT_EQ(coverage.pieces(), 2u);
  EXPECT_TRUE(coverage.Overlaps(Range(22, 22)));
  EXPECT_FALSE(coverage.Overlaps(Range(36, 39)));
  coverage.Add(Range(0, 99));
  EXPECT_EQ(coverage.pieces(), 1u);
}

// The gap that files fall into is kept, whatever else is joined.
TEST(CoverageTest, IsBoundedAndKeepsTheGapThatMatters) {
  Coverage coverage;
  coverage.Add(Range(0, 10));
  coverage.Add(Range(900'000, 900'010));
  for (int i = 0; i < 5000; ++i) {
    coverage.Add(Range(1'000'000 + i * 100, 1'000'000 + i * 100 + 50));
    EXPECT_FALSE(coverage.Overlaps(Range(20 + i, 25 + i))) << i;
    EXPECT_LE(coverage.pieces(), Coverage::kMostPieces);
  }
  EXPECT_TRUE(coverage.Overlaps(Range(0, 1)));
}

TEST(KnownRangesTest, FindsTheFirstLevelBelowWithSuchKeys) {
  KnownRanges ranges;
  EXPECT_EQ(ranges.LevelBelow(0, Range(0, 9), 1), -1);
  ranges.Add(3, Range(0, 100));
  ranges.Add(2, Range(50, 60));
  ranges.Add(KnownRanges::kBottom, Range(500, 600));
  EXPECT_EQ(ranges.LevelBelow(1, Range(55, 70), 1), 2);
  EXPECT_EQ(ranges.LevelBelow(1, Range(70, 80), 1), 3);
  EXPECT_EQ(ranges.LevelBelow(2, Range(55, 70), 1), 3);
  EXPECT_EQ(ranges.LevelBelow(3, Range(55, 70), 1), -1);
  EXPECT_EQ(ranges.LevelBelow(3, Range(550, 700), 1), KnownRanges::kBottom);
  EXPECT_EQ(ranges.LevelBelow(0, Range(200, 300), 1), -1);
}

TEST(KnownRangesTest, RecentFlushesCountAsOnTheBaseLevel) {
  KnownRanges ranges;
  ranges.Add(0, Range(0, 100));
  EXPECT_EQ(ranges.LevelBelow(0, Range(100, 110), 4), 4);
  EXPECT_EQ(ranges.LevelBelow(0, Range(101, 110), 4), -1);
  EXPECT_EQ(ranges.LevelBelow(0, Range(100, 110), -1), -1);  // nothing is known to be merged into
  EXPECT_EQ(ranges.LevelBelow(1, Range(100, 110), 4), -1);
  ranges.Add(5, Range(0, 100));
  EXPECT_EQ(ranges.LevelBelow(0, Range(50, 60), 4), 4);
  // Older ones have been merged, or moved down.
  for (size_t i = 0; i < KnownRanges::kRecentFlushes; ++i) ranges.Add(0, Range(200, 210));
  EXPECT_EQ(ranges.LevelBelow(0, Range(50, 60), 4), 5);
}

TEST(KnownRangesTest, MayBeAskedByManyThreads) {
  KnownRanges ranges;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&ranges, t] {
      for (int i = 0; i < 2000; ++i) {
        ranges.Add(i % 4, Range(i * 10 + t, i * 10 + t + 3));
        ranges.LevelBelow(i % 3, Range(i, i + 5), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(ranges.LevelBelow(0, Range(10, 20), 1), 1);
}

}  // namespace
}  // namespace winnow::plugin
