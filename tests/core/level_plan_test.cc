#include "src/core/level_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "src/core/format.h"
#include "src/core/options.h"
#include "src/core/sizing.h"
#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::core {
namespace level_plan_test {

FilterOptions Plan(double bits_per_key, double levels_below) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.level_plan = LevelPlan::kByLevel;
  options.levels_below = levels_below;
  return options;
}

// Returns the bits of the filters of a full tree: `keys` on the last level, and 1/ratio as many on
// each level above.
double TreeBits(FilterOptions options, uint64_t keys, int levels) {
  double bits = 0;
  double all = 0;
  for (int below = 0; below < levels; ++below) {
    const double share = std::pow(options.level_size_ratio, -below);
    const auto n = static_cast<uint64_t>(share * static_cast<double>(keys));
    options.levels_below = below;
    bits += 8.0 * static_cast<double>(EstimateBytes(n, ForBuilding(options)));
    all += static_cast<double>(n);
  }
  return bits / all;
}

double FalseReads(FilterOptions options, int levels, double absent_share) {
  double reads = 0;
  for (int below = 0; below < levels; ++below) {
    options.levels_below = below;
    // Lookups that find their key on the last level ask all other levels too.
    reads += (below == 0 ? absent_share : 1) * PlannedRate(options);
  }
  return reads;
}

TEST(PlannedRate, IsThatOfTheBitsWithoutAPlanOrAPlace) {
  for (const double bits : {1.0, 4.5, 10.0, 32.0}) {
    EXPECT_EQ(PlannedRate(Plan(bits, -1)), RateForBits(bits));
    FilterOptions uniform = Plan(bits, 2);
    uniform.level_plan = LevelPlan::kUniform;
    EXPECT_EQ(PlannedRate(uniform), RateForBits(bits));
  }
}

struct Case {
  const char* name;
  double bits_per_key;
  double ratio;
  double absent_share;
  double levels_below;
  double bits_more;  // log2 of the uniform rate over the planned rate
};

// Computed by hand for steps of 0.75 log2(ratio), with sums over four levels.
const Case kCases[] = {
    {"the last level pays", 10, 10, 1, 0, -0.274},
    {"half a step", 10, 10, 1, 0.5, -0.274 + 1.246},
    {"a level up", 10, 10, 1, 1, -0.274 + 2.491},
    {"two levels up", 10, 10, 1, 2, -0.274 + 4.983},
    {"the least rate", 10, 10, 1, 5, 16 - 6.700},
    {"far above", 10, 10, 1, 99, 16 - 6.700},
    {"smaller steps", 10, 4, 1, 1, -0.481 + 1.5},
    {"larger steps", 10, 20, 1, 1, -0.170 + 3.241},
    {"one lookup of ten is of an absent key", 10, 10, 0.1, 0, -0.606},
    {"and the level above has its bits", 10, 10, 0.1, 1, -0.606 + 3.322 + 2.491},
};

TEST(PlannedRate, FollowsTheTable) {
  for (const Case& one : kCases) {
    FilterOptions options = Plan(one.bits_per_key, one.levels_below);
    options.level_size_ratio = one.ratio;
    options.absent_share = one.absent_share;
    const double more = std::log2(RateForBits(one.bits_per_key) / PlannedRate(options));
    EXPECT_NEAR(more, one.bits_more, 0.01) << one.name;
  }
}

TEST(PlannedRate, IsAtMostAQuarterOrWhatWasAskedFor) {
  FilterOptions options = Plan(4, 0);
  options.absent_share = 0.001;
  EXPECT_NEAR(PlannedRate(options), kHighestPlannedRate, 1e-9);
  options.bits_per_key = 1;
  EXPECT_NEAR(PlannedRate(options), RateForBits(1), 1e-9);
}

TEST(PlannedRate, KeepsTheBudgetAndReadsLess) {
  for (const double bits : {5.0, 7.3, 10.0, 14.0, 20.0}) {
    for (const double ratio : {4.0, 10.0, 20.0}) {
      for (const double absent : {1.0, 0.5, 0.1}) {
        for (const int levels : {3, 4, 5}) {
          FilterOptions options = Plan(bits, 0);
          options.level_size_ratio = ratio;
          options.absent_share = absent;
          FilterOptions uniform = options;
          uniform.level_plan = LevelPlan::kUniform;
          const std::string which = std::to_string(bits) + " bits, ratio " + std::to_string(ratio) +
                                    ", absent " + std::to_string(absent) + ", levels " +
                                    std::to_string(levels);
          constexpr uint64_t kKeys = 50'000'000;
          const double taken = TreeBits(options, kKeys, levels);
          const double budget = TreeBits(uniform, kKeys, levels);
          EXPECT_LE(taken, 1.02 * budget) << which;
          // The minimum rates may leave some memory unused, if few lookups ask the last level.
          if (absent == 1 && bits > 7 && bits <= 14) {
            EXPECT_GE(taken, 0.975 * budget) << which;
          }
          EXPECT_LT(FalseReads(options, levels, absent), FalseReads(uniform, levels, absent))
              << which;
        }
      }
    }
  }
}

TEST(PlannedRate, CountsWithBloomFiltersWhereThereAreNoOthers) {
  FilterOptions options = Plan(10, 0);
  options.kind = FilterKind::kBloom;
  FilterOptions uniform = options;
  uniform.level_plan = LevelPlan::kUniform;
  EXPECT_NEAR(TreeBits(options, 10'000'000, 4) / TreeBits(uniform, 10'000'000, 4), 1, 0.02);
  options.kind.reset();
  options.ribbon_min_keys = UINT64_MAX;
  EXPECT_NEAR(TreeBits(options, 10'000'000, 4) / TreeBits(uniform, 10'000'000, 4), 1, 0.02);
}

TEST(PlannedRate, StaysWithinItsBounds) {
  for (double bits = 1; bits <= 32; bits += 0.7) {
    for (double below = 0; below <= 15; below += 0.5) {
      for (const double absent : {1.0, 0.3, 0.01, 0.0}) {
        FilterOptions options = Plan(bits, below);
        options.absent_share = absent;
        const double rate = PlannedRate(options);
        EXPECT_LE(rate, std::max(kHighestPlannedRate, RateForBits(bits)) * 1.000001);
        EXPECT_GE(rate, std::min(kLowestPlannedRate, RateForBits(bits)) * 0.999999);
        options.levels_below = below + 0.5;
        EXPECT_LE(PlannedRate(options), rate * 1.000001) << bits << " " << below << " " << absent;
      }
    }
  }
}

// The last level has no filters at absent_share 0, and the budget is that of the other levels.
TEST(NeedsFilter, IsFalseOnlyOnALastLevelThatIsNeverAskedInVain) {
  FilterOptions options = Plan(10, 0);
  EXPECT_TRUE(NeedsFilter(options));
  options.absent_share = 0;
  EXPECT_FALSE(NeedsFilter(options));
  EXPECT_EQ(PlannedRate(options), kHighestPlannedRate);
  options.levels_below = 1;
  EXPECT_TRUE(NeedsFilter(options));
  EXPECT_EQ(PlannedRate(options), PlannedRate(Plan(10, 0)));
  options.levels_below = -1;
  EXPECT_TRUE(NeedsFilter(options));
}

TEST(PackPlan, RecordsThePlanAndThePlace) {
  EXPECT_EQ(PackPlan(FilterOptions()), 0);
  for (double below = -1; below <= kLevelsBelowOption.most; below += below < 0 ? 1 : 0.5) {
    FilterOptions options = Plan(10, below);
    EXPECT_EQ(UnpackPlan(PackPlan(options)), LevelPlan::kByLevel);
    EXPECT_EQ(UnpackLevelsBelow(PackPlan(options)), below);
    for (const LevelPlan plan : {LevelPlan::kAuto, LevelPlan::kLearned}) {
      options.level_plan = plan;
      EXPECT_EQ(UnpackPlan(PackPlan(options)), plan);
      EXPECT_EQ(UnpackLevelsBelow(PackPlan(options)), below);
    }
  }
  FilterOptions unknown = Plan(10, 1);
  unknown.level_plan = static_cast<LevelPlan>(4);
  EXPECT_EQ(PackPlan(NearestValid(unknown)), 0);
}

// The filter is built as planned, and records the plan's assumptions.
TEST(LevelPlanTest, TheFilterRecordsWhatItWasBuiltFor) {
  const std::vector<KeyHash> hashes = testing::RandomHashes(1).Take(5000);
  for (const double below : {-1.0, 0.0, 0.5, 1.0, 3.5}) {
    FilterOptions options = Plan(9, below);
    options.level = 4;
    const FilterBlock block = testing::Build(options, hashes);
    const FilterInfo info = FilterView(block.bytes()).info();
    EXPECT_EQ(info.level_plan, LevelPlan::kByLevel);
    EXPECT_EQ(info.levels_below, below);
    EXPECT_EQ(info.level, 4);
    EXPECT_NEAR(info.target_fpr / PlannedRate(options), 1, 0.001);
    EXPECT_NEAR(info.expected_fpr / info.target_fpr, 1, 0.06);
  }
}

// Byte 21 has the number 3 in bits 5 and 6; all other bytes are those of kAuto.
TEST(LevelPlanTest, ABuilderThatIsGivenLearnedBuildsAsByAuto) {
  const std::vector<KeyHash> hashes = testing::RandomHashes(1).Take(3000);
  for (const double below : {-1.0, 0.0, 2.5}) {
    FilterOptions options = Plan(10, below);
    options.level_plan = LevelPlan::kAuto;
    const FilterBlock as_auto = testing::Build(options, hashes);
    options.level_plan = LevelPlan::kLearned;
    const FilterBlock learned = testing::Build(options, hashes);
    const FilterInfo info = FilterView(learned.bytes()).info();
    EXPECT_EQ(ToString(info.level_plan), "learned");
    EXPECT_EQ(info.levels_below, below);
    EXPECT_EQ(info.target_fpr, FilterView(as_auto.bytes()).info().target_fpr);
    ASSERT_EQ(learned.size, as_auto.size);
    const size_t tail = learned.size - kTailBytes;
    EXPECT_EQ(learned.bytes().substr(0, tail), as_auto.bytes().substr(0, tail));
    const auto of_plan = static_cast<unsigned char>(learned.data[tail + 21]);
    EXPECT_EQ(of_plan >> 5, 3);
    EXPECT_EQ(of_plan & 31, as_auto.data[tail + 21] & 31);
  }
}

TEST(LevelPlanTest, OptionsMayBeSettledBeforeTheFilterIsFinished) {
  FilterBuilder builder(Plan(10, -1));
  const std::vector<KeyHash> hashes = testing::RandomHashes(1).Take(3000);
  builder.Add(hashes.data(), hashes.size());
  builder.SetOptions(Plan(10, 2));
  EXPECT_EQ(builder.Finish().bytes(), testing::Build(Plan(10, 2), hashes).bytes());
}

}  // namespace level_plan_test
}  // namespace winnow::core
