// Complete advice, compared with databases that have the predicted policies.

#include "tools/winnow/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace advice_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PartitionedTableWith;

class AdviceTest : public AdvisedDatabase {};

struct TreeCase {
  const char* name;
  const char* policy;
  bool partitioned;
};

class AdviceOnATree : public AdvisedDatabase, public ::testing::WithParamInterface<TreeCase> {};

// Predicts the current policy's costs correctly.
TEST_P(AdviceOnATree, IsRightForThePolicyThatItHas) {
  const BlockBasedTableOptions table = GetParam().partitioned
                                           ? PartitionedTableWith(GetParam().policy)
                                           : TableWith(GetParam().policy);
  const Options database = MakeOptions(table);
  Grow(OpenDatabase(database, folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = DistinctLookups(60'000);
  options.policies = {GetParam().policy};
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_THAT(advice.errors, IsEmpty());
  EXPECT_EQ(advice.lookups, options.recorded->size());
  EXPECT_GT(advice.absent, 30'000);
  EXPECT_LT(advice.absent, 0.95 * static_cast<double>(advice.lookups));
  ASSERT_EQ(advice.families.size(), 1u);
  EXPECT_EQ(advice.families[0].keys_by_level.size(), 4u);
  const AdviceRow& now = advice.rows.front();
  EXPECT_EQ(now.purpose, RowPurpose::kNow);
  EXPECT_EQ(now.counted, FalsePositives(database, folder_ / "db", *options.recorded));
  EXPECT_GT(*now.counted, 50u);
  const AdviceRow& again = RowOf(advice, GetParam().policy);
  EXPECT_NEAR(again.bytes / now.bytes, 1, 0.015);
  EXPECT_FALSE(again.counted);
  EXPECT_NEAR(again.false_reads / now.false_reads, 1,
              0.02 + 4 / std::sqrt(static_cast<double>(*now.counted)));
}

INSTANTIATE_TEST_SUITE_P(Policies, AdviceOnATree,
                         ::testing::Values(TreeCase{"bloom", "bloomfilter:10", false},
                                           TreeCase{"ribbon", "ribbonfilter:10:-1", false},
                                           TreeCase{"winnow", kUniform, false},
                                           TreeCase{"winnow_of_other_bits",
                                                    "{id=winnow:7.3;level_plan=uniform}", false},
                                           TreeCase{"partitioned_bloom", "bloomfilter:10", true},
                                           TreeCase{"partitioned_winnow", kUniform, true}),
                         [](const auto& tree) { return std::string(tree.param.name); });

// A filter's rate depends on the files that existed when it was built, and the prediction on the
// current files.
TEST_F(AdviceTest, RatesByFileAreAsForetold) {
  for (const bool is_universal : {false, true}) {
    SCOPED_TRACE(is_universal ? "universal" : "leveled");
    Options database = MakeOptions(TableWith("winnow:10"));
    std::filesystem::remove_all(folder_ / "db");
    if (is_universal) {
      database.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
      const auto db = OpenDatabase(database, folder_ / "db");
      for (const uint64_t step : {1, 3, 9, 30}) Write(db.get(), kEnd, step);
    } else {
      Grow(OpenDatabase(database, folder_ / "db").get());
    }
    AdviceOptions options = Quick();
    options.lookups = 60'000;
    options.policies = {kUniform};
    const Advice advice = AdviseOn(folder_ / "db", options);
    EXPECT_THAT(advice.errors, IsEmpty());
    const AdviceRow& now = advice.rows.front();
    const AdviceRow& again = RowOf(advice, "winnow:10");
    EXPECT_GT(now.bytes / again.bytes, 0.95);
    EXPECT_LT(now.bytes / again.bytes, 1.15);
    const double chance = 2 / std::sqrt(static_cast<double>(*now.counted));
    EXPECT_LT(now.false_reads / again.false_reads, 1.15 + chance);
    EXPECT_GT(now.false_reads / again.false_reads, 0.5);
    EXPECT_LT(again.false_reads, RowOf(advice, kUniform).false_reads);
  }
}

TEST_F(AdviceTest, WithoutAbsentKeysTheLastLevelHasNoFilters) {
  const char* const none_below = "{id=winnow;bits_per_key=10;absent_share=0}";
  Grow(OpenDatabase(MakeOptions(TableWith(none_below)), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.policies = {none_below};
  const Advice advice = AdviseOn(folder_ / "db", options);
  const AdviceRow& again = RowOf(advice, none_below);
  EXPECT_NEAR(again.bytes / advice.rows.front().bytes, 1, 0.1);
  EXPECT_LT(again.bytes, 0.5 * RowOf(advice, "bloomfilter:10").bytes);
}

// A tree with one policy predicts the costs of another.
TEST_F(AdviceTest, IsRightForPoliciesThatItHasNot) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = DistinctLookups(60'000);
  options.policies = {kUniform};
  const Advice advice = AdviseOn(folder_ / "db", options);
  for (const char* policy : {kUniform, "ribbonfilter:10:-1"}) {
    const Options other = MakeOptions(TableWith(policy));
    std::filesystem::remove_all(folder_ / "other");
    Grow(OpenDatabase(other, folder_ / "other").get());
    const AdviceRow& row = RowOf(advice, policy);
    const auto found =
        static_cast<double>(FalsePositives(other, folder_ / "other", *options.recorded));
    const double promised = row.false_reads * static_cast<double>(advice.lookups);
    EXPECT_NEAR(found, promised, 4 * std::sqrt(promised) + 0.02 * promised) << policy;
    EXPECT_NEAR(row.bytes / AdviseOn(folder_ / "other", options).rows.front().bytes, 1, 0.015)
        << policy;
  }
}

// Bloom filters differ before format version 5, and optimize_filters_for_memory rounds sizes.
TEST_F(AdviceTest, TheTableOptionsAreThoseOfTheDatabase) {
  for (const int format : {4, 5}) {
    std::filesystem::remove_all(folder_ / "db");
    BlockBasedTableOptions table = TableWith("bloomfilter:10");
    table.format_version = static_cast<uint32_t>(format);
    table.optimize_filters_for_memory = false;
    Grow(OpenDatabase(MakeOptions(table), folder_ / "db").get());
    const Advice advice = AdviseOn(folder_ / "db", Quick());
    const AdviceRow& again = RowOf(advice, "bloomfilter:10");
    const AdviceRow& now = advice.rows.front();
    EXPECT_NEAR(again.bytes / now.bytes, 1, 0.015) << format;
    EXPECT_NEAR(again.false_reads / now.false_reads, 1,
                0.02 + 4 / std::sqrt(static_cast<double>(*now.counted)))
        << format;
  }
}

TEST_F(AdviceTest, ABudgetIsKept) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.budget_bytes = 60'000;
  const Advice advice = AdviseOn(folder_ / "db", options);
  ASSERT_EQ(advice.budget.size(), 1u);
  const AdviceRow& row = RowOf(advice, advice.budget[0].policy);
  EXPECT_NEAR(row.bytes, 60'000, 0.02 * 60'000);
  EXPECT_THAT(advice.recommendation, HasSubstr(advice.budget[0].policy));
  options.budget_bytes = 1000;
  const Advice none = AdviseOn(folder_ / "db", options);
  EXPECT_THAT(none.budget, IsEmpty());
  EXPECT_THAT(none.recommendation, HasSubstr("The budget is too small: even"));
  EXPECT_GT(none.least_bytes, 1000);
}

}  // namespace advice_test
}  // namespace winnow::inspect
