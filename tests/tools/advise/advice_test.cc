// Complete advice, compared with databases that have the predicted policies.

#include "tools/winnow/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/tools/advise/advised_databases.h"
#include "tests/tools/tool_testing.h"

namespace winnow::inspect {
namespace advice_test {

class AdviceTest : public AdvisedDatabase {};

// Predicts the current policy's costs correctly.
TEST_F(AdviceTest, IsRightForThePolicyThatATreeHas) {
  for (const auto& [policy, partitioned] : {std::pair("bloomfilter:10", false),
                                            {"ribbonfilter:10:-1", false},
                                            {kUniform, false},
                                            {"{id=winnow:7.3;level_plan=uniform}", false},
                                            {"bloomfilter:10", true},
                                            {kUniform, true}}) {
    SCOPED_TRACE(policy);
    const Options database = MakeOptions(testing::TableOf(policy, partitioned));
    Make(database);
    AdviceOptions options = Quick();
    options.recorded = DistinctLookups(60'000);
    options.policies = {policy};
    const Advice advice = AdviseOnIt(options);
    EXPECT_THAT(advice.errors, ::testing::IsEmpty());
    EXPECT_EQ(advice.lookups, options.recorded->size());
    EXPECT_GT(advice.absent, 30'000);
    EXPECT_LT(advice.absent, 0.95 * static_cast<double>(advice.lookups));
    ASSERT_EQ(advice.families.size(), 1u);
    EXPECT_EQ(advice.families[0].keys_by_level.size(), 4u);
    const AdviceRow& now = advice.rows.front();
    EXPECT_EQ(now.purpose, RowPurpose::kNow);
    EXPECT_EQ(now.counted, FalsePositives(database, folder_ / "db", *options.recorded));
    EXPECT_GT(*now.counted, 50u);
    const AdviceRow& again = RowOf(advice, policy);
    EXPECT_NEAR(again.bytes / now.bytes, 1, 0.015);
    EXPECT_FALSE(again.counted);
    EXPECT_NEAR(again.false_reads / now.false_reads, 1,
                0.02 + 4 / std::sqrt(static_cast<double>(*now.counted)));
  }
}

TEST_F(AdviceTest, WithoutAbsentKeysTheLastLevelHasNoFilters) {
  const char* const none_below = "{id=winnow;bits_per_key=10;absent_share=0}";
  Make(none_below);
  AdviceOptions options = Quick();
  options.policies = {none_below};
  const Advice advice = AdviseOnIt(options);
  const AdviceRow& again = RowOf(advice, none_below);
  EXPECT_NEAR(again.bytes / advice.rows.front().bytes, 1, 0.1);
  EXPECT_LT(again.bytes, 0.5 * RowOf(advice, "bloomfilter:10").bytes);
}

// Bloom filters differ before format version 5, and optimize_filters_for_memory rounds sizes.
TEST_F(AdviceTest, TheTableOptionsAreThoseOfTheDatabase) {
  for (const int format : {4, 5}) {
    BlockBasedTableOptions table = TableWith("bloomfilter:10");
    table.format_version = static_cast<uint32_t>(format);
    table.optimize_filters_for_memory = false;
    Make(MakeOptions(table));
    const Advice advice = AdviseOnIt(Quick());
    const AdviceRow& again = RowOf(advice, "bloomfilter:10");
    const AdviceRow& now = advice.rows.front();
    EXPECT_NEAR(again.bytes / now.bytes, 1, 0.015) << format;
    EXPECT_NEAR(again.false_reads / now.false_reads, 1,
                0.02 + 4 / std::sqrt(static_cast<double>(*now.counted)))
        << format;
  }
}

}  // namespace advice_test
}  // namespace winnow::inspect
