// Tests of the selection of files to compact.

#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::bench {
namespace compaction_plan_test {

constexpr uint64_t kTrigger = 2;

LevelTargets Targets() {
  LevelTargets targets;
  targets.base_keys = 10;
  targets.multiplier = 10;
  return targets;
}

// Expects that these files are merged next, into this level.
void ExpectNext(CompactionPlan* plan, const LevelFiles& levels, int output_level,
                const std::vector<std::string>& files) {
  const auto next = plan->Next(levels, kTrigger);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->output_level, output_level);
  EXPECT_EQ(next->files, files);
}

LevelTargets DynamicTargets() {
  LevelTargets targets = Targets();
  targets.dynamic = true;
  return targets;
}

TEST(CompactionPlanTest, NothingIsMergedWhileEveryLevelIsWithinItsTarget) {
  CompactionPlan plan(Targets());
  EXPECT_FALSE(plan.Next({}, kTrigger).has_value());
  EXPECT_FALSE(plan.Next({{}, {}, {}}, kTrigger).has_value());
  EXPECT_FALSE(plan.Next({{{"a", "1", "9", 99}},
                          {{"b", "1", "9", 10}},
                          {{"c", "1", "9", 100}},
                          {{"d", "1", "9", 1'000'000}}},
                         kTrigger)
                   .has_value());
}

TEST(CompactionPlanTest, AllOfLevel0IsMergedWithWhatItOverlaps) {
  CompactionPlan plan(Targets());
  ExpectNext(&plan,
             {{{"new", "3", "4", 1}, {"old", "5", "6", 1}},
              {{"below", "1", "2", 2},
               {"touches", "25", "3", 2},
               {"within", "4", "5", 2},
               {"edge", "6", "8", 2},
               {"above", "81", "9", 2}},
              {}},
             1, {"new", "old", "touches", "within", "edge"});
}

TEST(CompactionPlanTest, FilesOfALevelTakeTurns) {
  CompactionPlan plan(Targets());
  const LevelFiles levels = {{},
                             {{"a", "1", "2", 6}, {"b", "4", "6", 6}, {"c", "8", "9", 6}},
                             {{"x", "2", "5", 1}, {"y", "7", "9", 1}}};
  ExpectNext(&plan, levels, 2, {"a", "x"});
  ExpectNext(&plan, levels, 2, {"b", "x"});
  ExpectNext(&plan, levels, 2, {"c", "y"});
  ExpectNext(&plan, levels, 2, {"a", "x"});
}

TEST(CompactionPlanTest, TheLevelFarthestAboveItsTargetComesFirst) {
  CompactionPlan plan(Targets());
  ExpectNext(&plan,
             {{{"f", "1", "1", 1}, {"g", "1", "1", 1}},  // exactly the limit
              {{"one", "1", "1", 15}},                   // 1.5 times
              {{"two", "1", "1", 300}},                  // 3 times
              {}},
             3, {"two"});
}

TEST(CompactionPlanTest, TheLastLevelIsNeverMergedDown) {
  CompactionPlan plan(Targets());
  EXPECT_FALSE(plan.Next({{}, {{"one", "1", "1", 1'000'000}}}, kTrigger).has_value());
}

TEST(CompactionPlanTest, Level0IsLeftAsItIsWhenItShallNeverBeMerged) {
  CompactionPlan plan(Targets());
  const LevelFiles levels = {{{"f", "1", "1", 1}, {"g", "1", "1", 1}, {"h", "1", "1", 1}}, {}, {}};
  EXPECT_FALSE(plan.Next(levels, kNeverLevel0).has_value());
  EXPECT_TRUE(plan.Next(levels, 1).has_value());
}

TEST(CompactionPlanTest, DynamicLevelsMergeLevel0AboveTheLastLevelOnceThatIsLarge) {
  CompactionPlan plan(DynamicTargets());
  LevelFiles levels = {{{"f", "1", "5", 1}, {"g", "2", "9", 1}}, {}, {}, {}};
  ExpectNext(&plan, levels, 3, {"f", "g"});
  levels[3] = {{"last", "1", "9", 11}};
  ExpectNext(&plan, levels, 2, {"f", "g"});
}

TEST(CompactionPlanTest, ALevelAboveItsDynamicTargetIsMergedDown) {
  CompactionPlan plan(DynamicTargets());
  // The last level has 200 keys, so that the level above may have 20.
  const LevelFiles within = {{}, {}, {{"a", "1", "9", 20}}, {{"last", "1", "9", 200}}};
  EXPECT_FALSE(plan.Next(within, kTrigger).has_value());
  const LevelFiles above = {{}, {}, {{"a", "1", "9", 21}}, {{"last", "1", "9", 200}}};
  ExpectNext(&plan, above, 3, {"a", "last"});
}

}  // namespace compaction_plan_test
}  // namespace winnow::bench
