// Which files are merged next.

#include "db_bench_ext/read_amplification/compaction_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace {

using ::testing::ElementsAre;

LevelTargets Targets() {
  LevelTargets targets;
  targets.level0_files = 2;
  targets.level1_keys = 10;
  targets.multiplier = 10;
  return targets;
}

TEST(CompactionPlanTest, NothingIsMergedWhileEveryLevelIsWithinItsTarget) {
  CompactionPlan plan(Targets());
  EXPECT_FALSE(plan.Next({}).has_value());
  EXPECT_FALSE(plan.Next({{}, {}, {}}).has_value());
  EXPECT_FALSE(plan.Next({{{"a", "1", "9", 99}},
                          {{"b", "1", "9", 10}},
                          {{"c", "1", "9", 100}},
                          {{"d", "1", "9", 1'000'000}}})
                   .has_value());
}

TEST(CompactionPlanTest, AllOfLevel0IsMergedWithWhatItOverlaps) {
  CompactionPlan plan(Targets());
  const auto next = plan.Next({{{"new", "3", "4", 1}, {"old", "5", "6", 1}},
                               {{"below", "1", "2", 2},
                                {"touches", "25", "3", 2},
                                {"within", "4", "5", 2},
                                {"edge", "6", "8", 2},
                                {"above", "81", "9", 2}},
                               {}});
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->output_level, 1);
  EXPECT_THAT(next->files, ElementsAre("new", "old", "touches", "within", "edge"));
}

TEST(CompactionPlanTest, FilesOfALevelTakeTurns) {
  CompactionPlan plan(Targets());
  const TreeLevels levels = {{},
                             {{"a", "1", "2", 6}, {"b", "4", "6", 6}, {"c", "8", "9", 6}},
                             {{"x", "2", "5", 1}, {"y", "7", "9", 1}}};
  EXPECT_THAT(plan.Next(levels)->files, ElementsAre("a", "x"));
  EXPECT_THAT(plan.Next(levels)->files, ElementsAre("b", "x"));
  EXPECT_THAT(plan.Next(levels)->files, ElementsAre("c", "y"));
  EXPECT_THAT(plan.Next(levels)->files, ElementsAre("a", "x"));
  EXPECT_EQ(plan.Next(levels)->output_level, 2);
}

TEST(CompactionPlanTest, TheLevelFarthestAboveItsTargetComesFirst) {
  CompactionPlan plan(Targets());
  const auto next = plan.Next({{{"f", "1", "1", 1}, {"g", "1", "1", 1}},  // as many as allowed
                               {{"one", "1", "1", 15}},                   // 1.5 times
                               {{"two", "1", "1", 300}},                  // 3 times
                               {}});
  EXPECT_THAT(next->files, ElementsAre("two"));
  EXPECT_EQ(next->output_level, 3);
}

TEST(CompactionPlanTest, TheLastLevelIsNeverMergedDown) {
  CompactionPlan plan(Targets());
  EXPECT_FALSE(plan.Next({{}, {{"one", "1", "1", 1'000'000}}}).has_value());
}

}  // namespace
}  // namespace winnow::bench
