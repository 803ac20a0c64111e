#include "src/policy_trial/moved_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::inspect {
namespace moved_filters_test {

using core::EstimateBytes;
using core::ForBuilding;
using core::PlannedRate;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FilterOptions Planned(double levels_below, double absent_share = 1) {
  FilterOptions options;
  options.level_plan = LevelPlan::kAuto;
  options.levels_below = levels_below;
  options.absent_share = absent_share;
  return options;
}

double BytesOf(double keys, const FilterOptions& options) {
  return static_cast<double>(EstimateBytes(static_cast<uint64_t>(keys), ForBuilding(options)));
}

// Returns a file on `level`, where the plan uses the options `here`, with the filter of the options
// `made`.
PlacedFilter File(int level, double keys, const FilterOptions& here, const FilterOptions& made) {
  PlacedFilter file;
  file.level = level;
  file.keys = keys;
  file.bytes = BytesOf(keys, made);
  file.rate = PlannedRate(made);
  file.policy = here;
  file.is_moved = here.levels_below != made.levels_below;
  return file;
}

TEST(MovedFiltersTest, ATreeAsItWasPlannedHasNone) {
  const MovedFilters moved = FindMovedFilters({File(0, 1e4, Planned(1.5), Planned(1.5)),
                                               File(5, 1e5, Planned(1), Planned(1)),
                                               File(6, 1e6, Planned(0), Planned(0))});
  EXPECT_EQ(moved.large.files + moved.weak.files, 0u);
  EXPECT_THAT(ToSentences(moved, LevelPlan::kAuto, ""), IsEmpty());
}

TEST(MovedFiltersTest, FiltersOfSmallLevelsTakeMemoryOnTheLastOne) {
  const std::vector<PlacedFilter> tree = {File(6, 1e6, Planned(0), Planned(0)),
                                          File(6, 5e5, Planned(0), Planned(2)),
                                          File(6, 5e5, Planned(0), Planned(1))};
  const MovedFilters moved = FindMovedFilters(tree);
  const double more =
      BytesOf(5e5, Planned(2)) + BytesOf(5e5, Planned(1)) - 2 * BytesOf(5e5, Planned(0));
  EXPECT_EQ(moved.large.files, 2u);
  EXPECT_EQ(moved.large.keys, 1e6);
  EXPECT_DOUBLE_EQ(moved.large.more, more);
  EXPECT_NEAR(moved.large.of_whole, more / BytesOf(2e6, Planned(0)), 0.01);
  EXPECT_EQ(moved.weak.files, 0u);
  EXPECT_THAT(ToSentences(moved, LevelPlan::kAuto, " of column family 'x'"),
              ElementsAre(AllOf(HasSubstr("2 files of column family 'x' with 1000000 keys, on "
                                          "level 6, have"),
                                HasSubstr("KiB more"), HasSubstr("(level_plan=auto), 28 % of all"),
                                HasSubstr("bottommost_level_compaction=kForce"))));
}

// A lookup asks all files of level 0, and one file of each other level.
TEST(MovedFiltersTest, FiltersOfTheLastLevelLetTooMuchThroughAboveIt) {
  const FilterOptions here = Planned(1);
  const double rate = PlannedRate(Planned(0)) - PlannedRate(here);
  const PlacedFilter last = File(6, 1e6, Planned(0), Planned(0));
  for (const int level : {0, 5}) {
    const MovedFilters moved = FindMovedFilters(
        {File(level, 1e4, here, Planned(0)), File(level, 3e4, here, Planned(0)), last});
    EXPECT_EQ(moved.weak.files, 2u);
    EXPECT_NEAR(moved.weak.more, level == 0 ? 2 * rate : rate, 1e-12);
    EXPECT_NEAR(moved.weak.more / moved.weak.of_whole,
                PlannedRate(Planned(0)) + (level == 0 ? 2 : 1) * PlannedRate(here), 1e-12);
    EXPECT_THAT(ToSentences(moved, LevelPlan::kAuto, ""),
                ElementsAre(HasSubstr("more false reads")));
  }
}

// If lookups find their keys on the last level, only other lookups cause false reads there.
TEST(MovedFiltersTest, OnTheLastLevelLookupsOfKeysThatAreThereDoNotCount) {
  PlacedFilter last = File(6, 1e6, Planned(0, 0.1), Planned(0, 0.1));
  last.is_moved = true;
  last.rate = 1;
  const MovedFilters moved = FindMovedFilters({last});
  EXPECT_NEAR(moved.weak.more, 0.1 * (1 - PlannedRate(Planned(0, 0.1))), 1e-12);
}

TEST(MovedFiltersTest, AFileWithoutAFilterIsAsBadAsItCanBeButWhereThePolicyBuildsNone) {
  PlacedFilter file = File(5, 1e5, Planned(1, 0), Planned(1, 0));
  file.rate = 1;
  file.bytes = 0;
  file.is_moved = true;
  EXPECT_NEAR(FindMovedFilters({file}).weak.more, 1 - PlannedRate(Planned(1, 0)), 1e-12);
  file.gets_none = true;
  EXPECT_EQ(FindMovedFilters({file}).weak.more, 0);
  file.gets_none = false;
  file.policy = Planned(0, 0);  // the last level, if all keys that are looked up exist
  EXPECT_EQ(FindMovedFilters({file}).weak.more, 0);
}

TEST(MovedFiltersTest, WhatTreesDifferByAnywayIsNotSaid) {
  MovedFilters moved;
  moved.large = {1, 1000, 6, 6, 1e6, 0.99 * kLargeThatMatters};
  moved.weak = {1, 1000, 5, 5, 0.001, 0.99 * kWeakThatMatters};
  EXPECT_THAT(ToSentences(moved, LevelPlan::kAuto, ""), IsEmpty());
}

}  // namespace moved_filters_test
}  // namespace winnow::inspect
