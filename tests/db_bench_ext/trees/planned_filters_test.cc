#include "db_bench_ext/read_amplification/trees/planned_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/random_hashes.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/builder.h"

namespace winnow::bench {
namespace planned_filters_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

PolicyOptions Policy(LevelPlan plan) {
  PolicyOptions policy;
  policy.level_plan = plan;
  return policy;
}

FilterOptions Options(const PolicyOptions& policy, double levels_below) {
  FilterOptions options;
  options.bits_per_key = policy.bits_per_key;
  options.level_plan =
      policy.level_plan == LevelPlan::kUniform ? LevelPlan::kUniform : LevelPlan::kAuto;
  options.levels_below = levels_below;
  return options;
}

inspect::FilterSummary Build(const FilterOptions& options, size_t keys) {
  FilterBuilder builder(options);
  for (const KeyHash hash : winnow::testing::RandomHashes(1).Take(keys)) builder.Add(hash);
  return inspect::ClassifyBlock(builder.Finish().bytes(), keys);
}

std::string Problem(const PolicyOptions& policy, const inspect::FilterSummary& filter) {
  return std::string(CheckPlanned(policy, 10, "1.sst", filter).message());
}

TEST(CheckPlannedTest, AcceptsWhatThePolicyBuilds) {
  for (const LevelPlan plan : {LevelPlan::kUniform, LevelPlan::kAuto, LevelPlan::kLearned}) {
    PolicyOptions policy = Policy(plan);
    for (const double below : {-1.0, 0.0, 0.5, 1.0, 3.0}) {
      for (const size_t keys : {1u, 30u, 63u, 64u, 5000u}) {
        EXPECT_EQ(Problem(policy, Build(Options(policy, below), keys)), "") << below << " " << keys;
      }
    }
    if (plan == LevelPlan::kUniform) continue;
    policy.absent_share = 0.1;
    EXPECT_EQ(Problem(policy, Build(Options(policy, 1), 1000)), "");
  }
  EXPECT_EQ(
      Problem(Policy(LevelPlan::kByLevel), Build(Options(Policy(LevelPlan::kAuto), -1), 1000)), "");
}

// `auto` may give fewer bits when memory is limited, but at least those of uniform filters.
TEST(CheckPlannedTest, KnowsWhichPlansMayHaveOtherRates) {
  const struct {
    double bits_per_key;
    LevelPlan plan;
    bool is_right;
  } cases[] = {
      {9, LevelPlan::kAuto, true},      {11, LevelPlan::kAuto, false},
      {5, LevelPlan::kAuto, false},     {9, LevelPlan::kLearned, true},
      {11, LevelPlan::kLearned, false},
  };
  for (const auto& [bits_per_key, plan, is_right] : cases) {
    const PolicyOptions policy = Policy(plan);
    FilterOptions options = Options(policy, 1);
    options.bits_per_key = bits_per_key;
    EXPECT_EQ(Problem(policy, Build(options, 1000)).empty(), is_right)
        << ToString(plan) << " " << bits_per_key;
    // Without a place, the rate depends on other files or on lookups.
    options.levels_below = -1;
    EXPECT_TRUE(Problem(policy, Build(options, 1000)).empty())
        << ToString(plan) << " " << bits_per_key;
  }
}

// Simulates a deviating plan: other bits, another ratio, another share, other steps.
TEST(CheckPlannedTest, NamesARateThatIsNotThePlans) {
  const PolicyOptions policy = Policy(LevelPlan::kAuto);
  FilterOptions wrong[4];
  for (FilterOptions& options : wrong) options = Options(policy, 2);
  wrong[0].bits_per_key = 10.1;
  wrong[1].level_size_ratio = 11;
  wrong[2].absent_share = 0.5;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Problem(policy, Build(wrong[i], 1000)),
                AllOf(HasSubstr("target rate is"), HasSubstr("2 levels below")))
        << i;
  }
  // The filter claims another place than it was built for.
  inspect::FilterSummary filter = Build(wrong[3], 1000);
  filter.built_for->levels_below = 1;
  EXPECT_THAT(Problem(policy, filter), HasSubstr("target rate"));
}

TEST(CheckPlannedTest, NamesAPlanAndAKindThatAreNotThePolicys) {
  const PolicyOptions planned = Policy(LevelPlan::kAuto);
  FilterOptions by_level = Options(planned, 1);
  by_level.level_plan = LevelPlan::kByLevel;
  EXPECT_THAT(Problem(planned, Build(by_level, 1000)),
              AllOf(HasSubstr("1.sst"), HasSubstr("level plan is by_level"),
                    HasSubstr("auto was expected")));
  PolicyOptions policy = Policy(LevelPlan::kUniform);
  FilterOptions bloom = Options(policy, -1);
  bloom.kind = FilterKind::kBloom;
  EXPECT_THAT(Problem(policy, Build(bloom, 1000)),
              AllOf(HasSubstr("kind, of 1000 keys, is winnow-bloom"), HasSubstr("winnow-ribbon")));
  policy.bloom_before_level = 0;
  EXPECT_EQ(Problem(policy, Build(bloom, 1000)), "");
}

TEST(PolicyOptionsOfTest, TellsWhatThePolicyWasMadeOf) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const auto policy = winnow::testing::MakePolicyFrom(
      "{id=winnow;bits_per_key=9;level_plan=auto;level_size_ratio=8;absent_share=0.5}");
  const absl::StatusOr<PolicyOptions> options = PolicyOptionsOf(*policy);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->bits_per_key, 9);
  EXPECT_EQ(options->level_plan, LevelPlan::kAuto);
  EXPECT_EQ(options->level_size_ratio, 8);
  EXPECT_EQ(options->absent_share, 0.5);
  const auto builtin = winnow::testing::MakePolicyFrom("bloomfilter:10");
  EXPECT_FALSE(PolicyOptionsOf(*builtin).ok());
}

}  // namespace planned_filters_test
}  // namespace winnow::bench
