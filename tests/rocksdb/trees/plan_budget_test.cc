#include "src/rocksdb/trees/plan_budget.h"

#include <gtest/gtest.h>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace plan_budget_test {

constexpr uint64_t kKeys = 30'000;

FilterOptions Planned(double levels_below) {
  FilterOptions options;
  options.level_plan = LevelPlan::kAuto;
  options.levels_below = levels_below;
  return options;
}

double Bytes(const FilterOptions& options) {
  return static_cast<double>(core::EstimateBytes(kKeys, core::ForBuilding(options)));
}

const double kUniform = Bytes(FilterOptions());

LiveMemory Alive(double files, double of_uniform) {
  LiveMemory memory;
  memory.resting = {files * of_uniform * kUniform, files * kUniform};
  return memory;
}

TEST(PlanBudgetTest, ThePlanIsAffordableInATreeOfItsShape) {
  for (const double below : {-1.0, 0.0, 0.5, 1.0, 2.0, 3.0}) {
    const FilterOptions options =
        Affordable(Planned(below), 10, kKeys, false, false, Alive(100, 0.98));
    EXPECT_EQ(options.bits_per_key, 10) << below;
    EXPECT_EQ(options.levels_below, below);
  }
}

TEST(PlanBudgetTest, UpperLevelsGetWhatIsLeft) {
  ASSERT_GT(Bytes(Planned(2)), 1.4 * kUniform);
  for (const double taken : {1.06, kMaxOfUniform, 1.3}) {
    const LiveMemory alive = Alive(20, taken);
    const double bytes = Bytes(Affordable(Planned(2), 10, kKeys, false, false, alive));
    EXPECT_LT(bytes, Bytes(Planned(2))) << taken;
    EXPECT_GT(bytes, 0.97 * kUniform) << taken;  // sizes have steps
    const double limit = kMaxOfUniform * (alive.resting.uniform_bytes + kUniform);
    EXPECT_LE(alive.resting.bytes + bytes, std::max(limit, alive.resting.bytes + kUniform))
        << taken;
  }
}

TEST(PlanBudgetTest, AllLoseAlikeWhereMemoryBecomesScarce) {
  const auto bits = [](double levels_below, double scarcity) {
    const double taken = kMaxOfUniform - kScarce * (1 - scarcity);
    return Affordable(Planned(levels_below), 10, kKeys, false, false, Alive(1e6, taken))
        .bits_per_key;
  };
  for (const double scarcity : {0.01, 0.2, 0.5}) {
    EXPECT_NEAR(bits(2, scarcity), 10 - kMaxLostBits * scarcity, 0.01) << scarcity;
    EXPECT_NEAR(bits(3, scarcity), 10 - kMaxLostBits * scarcity, 0.01) << scarcity;
  }
  EXPECT_EQ(bits(3, -0.01), 10);
}

TEST(PlanBudgetTest, TheLastLevelIsNeverCut) {
  const FilterOptions options = Affordable(Planned(0), 10, kKeys, false, false, Alive(20, 2));
  EXPECT_EQ(core::PlannedRate(options), core::PlannedRate(Planned(0)));
}

TEST(PlanBudgetTest, AFewFilesAreNoTreeYet) {
  EXPECT_EQ(Bytes(Affordable(Planned(2), 10, kKeys, false, false, Alive(7, 2))), Bytes(Planned(2)));
  EXPECT_LT(Bytes(Affordable(Planned(2), 10, kKeys, false, false, Alive(9, 2))), Bytes(Planned(2)));
}

TEST(PlanBudgetTest, WhatWaitsMayTakeMore) {
  const LiveMemory alive = Alive(20, kMaxOfUniform);
  const double waiting = Bytes(Affordable(Planned(2.5), 10, kKeys, true, false, alive));
  EXPECT_GT(waiting, Bytes(Affordable(Planned(2.5), 10, kKeys, false, false, alive)));
  LiveMemory full = alive;
  full.waiting = {10 * kUniform, kUniform};
  EXPECT_NEAR(Bytes(Affordable(Planned(2.5), 10, kKeys, true, false, full)) / kUniform, 1, 0.03);
}

TEST(PlanBudgetTest, RatesByFilesMayTakeLess) {
  FilterOptions by_files = Planned(-1);
  for (const double bits : {12.0, 13.0, 16.0}) {
    by_files.bits_per_key = bits;
    const double gains = std::min((bits - 12) / 2, 1.0) * kForThoseThatGainMost;
    for (const double files : {8.0, 50.0}) {
      for (const bool waits : {false, true}) {
        const double most = (waits ? kMaxByFilesWithWaiting : kMaxByFiles) + gains;
        const double bytes = Bytes(Affordable(by_files, 10, kKeys, waits, false, Alive(files, 1)));
        EXPECT_LE(bytes / kUniform, 1.001 + (files + 1) * (most - 1)) << files;
        EXPECT_GE(bytes / kUniform, 1.02) << files;
      }
    }
  }
}

TEST(PlanBudgetTest, AFewFilesMayTakeAFifthMoreByFilesOr64KiB) {
  FilterOptions by_files = Planned(-1);
  by_files.bits_per_key = 32;
  const auto more_of = [&](double files, double of_uniform) {
    const LiveMemory alive = Alive(files, of_uniform);
    const double own = Bytes(Affordable(by_files, 10, kKeys, false, false, alive));
    return alive.resting.bytes + own - (files + 1) * kUniform;
  };
  EXPECT_NEAR(more_of(1, 1), (kMaxOfFew - 1) * 2 * kUniform, 0.02 * kUniform);
  EXPECT_NEAR(more_of(3, 1), (kMaxOfFew - 1) * 4 * kUniform, 0.02 * kUniform);
  EXPECT_NEAR(more_of(7.9, 1.19), (kMaxOfFew - 1) * 8.9 * kUniform, 0.02 * kUniform);
  EXPECT_LT(more_of(8.1, 1.04), 0.08 * 9.1 * kUniform);
  // The limit in bytes is smaller than the share if files are large.
  constexpr uint64_t kMany = 10 * kKeys;
  FilterOptions uniform;
  const auto of_many = static_cast<double>(core::EstimateBytes(kMany, core::ForBuilding(uniform)));
  LiveMemory large;
  large.resting = {of_many, of_many};
  const FilterOptions options = Affordable(by_files, 10, kMany, false, false, large);
  EXPECT_NEAR(static_cast<double>(core::EstimateBytes(kMany, core::ForBuilding(options))) - of_many,
              kMostBytesOfFew, 0.02 * of_many);
  // Files that wait on level 0 take a part of the budget.
  LiveMemory alive = Alive(1, 1);
  alive.waiting = {4 * kUniform, 2 * kUniform};
  EXPECT_NEAR(Bytes(Affordable(by_files, 10, kKeys, true, false, alive)), kUniform,
              0.03 * kUniform);
}

TEST(PlanBudgetTest, TheOthersLeaveSomethingToThoseThatGainMost) {
  FilterOptions learned = Planned(-1);
  const LiveMemory alive = Alive(50, kMaxByFiles);
  learned.bits_per_key = 12;
  EXPECT_NEAR(Bytes(Affordable(learned, 10, kKeys, false, false, alive)) / kUniform, 1.05, 0.03);
  learned.bits_per_key = 16;
  EXPECT_GE(Bytes(Affordable(learned, 10, kKeys, false, false, alive)), 0.99 * Bytes(learned));
}

TEST(PlanBudgetTest, WithoutALastLevelNoRateIsAboveTheUniformOne) {
  const FilterOptions options = Affordable(Planned(0), 10, kKeys, false, true, Alive(20, 0.9));
  EXPECT_EQ(core::PlannedRate(options), core::RateForBits(10));
  EXPECT_EQ(options.level_plan, LevelPlan::kAuto);
}

TEST(PlanBudgetTest, AFirstFileAndFewKeysAreNoMatter) {
  for (const uint64_t keys : {0u, 1u, 2u}) {
    for (const bool waits : {false, true}) {
      const FilterOptions options = Affordable(Planned(2), 10, keys, waits, false, {});
      EXPECT_GE(options.bits_per_key, kBitsPerKeyOption.least);
      EXPECT_LE(options.bits_per_key, 10);
    }
  }
}

}  // namespace plan_budget_test
}  // namespace winnow::plugin
