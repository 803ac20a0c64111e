// The split of a budget over column families.

#include "tools/winnow/advise/advice_shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace winnow::inspect {
namespace advice_shortlist_test {

FamilyFormula Family(double keys, double files, double asks) {
  FileGroup group;
  group.keys = keys;
  group.blocks = files;
  group.asks = asks;
  FamilyFormula family;
  family.groups = {group};
  return family;
}

// Three levels of the sizes 1, 10 and 100, each of which is asked by all lookups.
FamilyFormula Tree(double keys, double asks) {
  FamilyFormula family;
  family.has_plans = true;
  double size = keys / 111;
  for (const double below : {1.5, 0.5, 0.0}) {
    FileGroup group;
    group.keys = 20'000;
    group.blocks = size / 20'000;
    group.asks = asks;
    group.levels_below = below;
    family.groups.push_back(group);
    size *= 10;
  }
  return family;
}

Cost Sum(const std::vector<FamilyChoice>& choices) {
  Cost sum;
  for (const FamilyChoice& choice : choices) {
    sum += choice.cost;
  }
  return sum;
}

TEST(SplitBudgetTest, IsWithinTheBudgetAndNearlySpendsIt) {
  const std::vector<FamilyFormula> families = {Tree(10e6, 1e6), Family(50'000, 20, 5e5),
                                               Family(1000, 3, 100)};
  for (const double bits : {3.0, 5.0, 7.0, 10.0, 14.0}) {
    const double bytes = bits * (10e6 + 1e6 + 3000) / 8;
    const BudgetSplit split = SplitBudget(families, bytes, 1);
    ASSERT_FALSE(split.choices.empty()) << bits;
    EXPECT_LE(Sum(split.choices).bytes, bytes) << bits;
    EXPECT_GT(Sum(split.choices).bytes, 0.98 * bytes) << bits;
    EXPECT_LT(split.least, bytes);
  }
}

// Against all pairs of bits of two families.
TEST(SplitBudgetTest, NoPairOfBitsIsMuchBetter) {
  const std::vector<FamilyFormula> families = {Family(100'000, 10, 1e6), Family(100'000, 40, 1e5)};
  const double bytes = 6.0 / 8 * 5e6;
  const BudgetSplit split = SplitBudget(families, bytes, 1);
  ASSERT_FALSE(split.choices.empty());
  double best = 1e300;
  for (double a = 2; a <= 24; a += 0.5) {
    const Cost first =
        CandidateCosts({FilterMaker::kWinnow, a, LevelPlan::kUniform, 1}).Of(families[0]);
    for (double b = 2; b <= 24; b += 0.5) {
      Cost both = CandidateCosts({FilterMaker::kWinnow, b, LevelPlan::kUniform, 1}).Of(families[1]);
      both += first;
      if (both.bytes <= bytes) best = std::min(best, both.false_reads);
    }
  }
  EXPECT_LE(Sum(split.choices).false_reads, 1.001 * best);
  // The same bits for both are worse.
  const auto alike = BestWithin(WorthwhileChoices(families, 1), bytes);
  ASSERT_TRUE(alike);
  EXPECT_LT(Sum(split.choices).false_reads, 0.8 * alike->cost.false_reads);
}

TEST(SplitBudgetTest, GivesMoreBitsWhereAByteSavesMoreReads) {
  const std::vector<FamilyFormula> families = {Family(100'000, 10, 1e6), Family(100'000, 10, 1e4)};
  const BudgetSplit split = SplitBudget(families, 7.0 / 8 * 2e6, 1);
  ASSERT_FALSE(split.choices.empty());
  EXPECT_GT(split.choices[0].candidate.bits_per_key, split.choices[1].candidate.bits_per_key + 5);
}

// Four families of as many keys and files, but for what compactions and draws make of them, beside
// another one.
TEST(SplitBudgetTest, FamiliesThatAreAlikeGetTheSame) {
  const std::vector<FamilyFormula> families = {
      Family(100'000, 10, 50'000), Family(100'900, 10, 50'400), Family(1'000, 3, 2e4),
      Family(99'200, 10, 49'700), Family(100'300, 10, 50'100)};
  for (double bits = 4; bits < 14; bits += 0.73) {
    const double bytes = bits / 8 * 4e6;
    const BudgetSplit split = SplitBudget(families, bytes, 1);
    ASSERT_FALSE(split.choices.empty()) << bits;
    for (const size_t other : {1u, 3u, 4u}) {
      EXPECT_EQ(split.choices[other].candidate.Text(), split.choices[0].candidate.Text()) << bits;
    }
    EXPECT_NE(split.choices[2].candidate.Text(), split.choices[0].candidate.Text()) << bits;
    EXPECT_LE(Sum(split.choices).bytes, bytes);
    EXPECT_GT(Sum(split.choices).bytes, 0.98 * bytes);
  }
}

TEST(SplitBudgetTest, SaysWhatTheMostTakes) {
  const std::vector<FamilyFormula> families = {Family(100'000, 10, 1e6), Family(1'000, 3, 2e4)};
  const BudgetSplit split = SplitBudget(families, 1e9, 1);
  ASSERT_FALSE(split.choices.empty());
  EXPECT_NEAR(Sum(split.choices).bytes, split.most, 1);
  const BudgetSplit less = SplitBudget(families, 0.9 * split.most, 1);
  ASSERT_FALSE(less.choices.empty());
  EXPECT_GT(Sum(less.choices).false_reads, Sum(split.choices).false_reads);
}

// The small levels' filters save reads, and are no more once all is compacted.
TEST(BestWithinTest, KeepsAlsoWhatItMustInAnotherState) {
  const FamilyFormula grown = Tree(10e6, 1e6);
  FamilyFormula compacted = Family(20'000, 500, 1e6);
  const CandidateCosts ten({FilterMaker::kWinnow, 10, LevelPlan::kUniform, 1});
  const AlsoWithin also = {{compacted}, ten.Of(compacted).false_reads};
  const double reads = ten.Of(grown).false_reads;
  const auto least = LeastFor(WorthwhileChoices({grown}, 1), reads);
  const auto also_least = LeastFor(WorthwhileChoices({grown}, 1, &also), reads);
  ASSERT_TRUE(least && also_least);
  EXPECT_LT(least->cost.bytes, also_least->cost.bytes);
  EXPECT_GT(CandidateCosts(least->candidate).Of(compacted).false_reads, also.false_reads);
  EXPECT_LE(CandidateCosts(also_least->candidate).Of(compacted).false_reads, also.false_reads);
  const double bytes = least->cost.bytes;
  EXPECT_TRUE(BestWithin(WorthwhileChoices({grown}, 1), bytes));
  EXPECT_FALSE(BestWithin(WorthwhileChoices({grown}, 1, &also), bytes));
}

TEST(SplitBudgetTest, SaysWhatTheLeastTakes) {
  const std::vector<FamilyFormula> families = {Family(100'000, 10, 1e6), Family(100'000, 10, 1e4)};
  const BudgetSplit split = SplitBudget(families, 1000, 1);
  EXPECT_TRUE(split.choices.empty());
  EXPECT_GT(split.least, 1.0 / 8 * 2e6);
  EXPECT_LT(split.least, 2.5 / 8 * 2e6);
  EXPECT_FALSE(SplitBudget(families, split.least, 1).choices.empty());
}

TEST(SplitBudgetTest, ALargeBudgetIsNotSpentForNothing) {
  const BudgetSplit split = SplitBudget({Family(100'000, 10, 1e6)}, 1e12, 1);
  ASSERT_FALSE(split.choices.empty());
  EXPECT_LT(Sum(split.choices).bytes, 24.0 / 8 * 1e6);
}

TEST(BestWithinTest, IsTheLastThatFits) {
  const std::vector<FamilyFormula> families = {Family(100'000, 10, 1e6)};
  const auto ten =
      CandidateCosts({FilterMaker::kWinnow, 10, LevelPlan::kUniform, 1}).Of(families[0]);
  const auto best = BestWithin(WorthwhileChoices(families, 1), ten.bytes);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->candidate.bits_per_key, 10);
  const auto least = LeastFor(WorthwhileChoices(families, 1), ten.false_reads);
  ASSERT_TRUE(least);
  EXPECT_NEAR(least->candidate.bits_per_key, 10, 0.1);
  EXPECT_LE(least->cost.false_reads, ten.false_reads);
  EXPECT_FALSE(BestWithin(WorthwhileChoices(families, 1), 10));
  EXPECT_FALSE(LeastFor(WorthwhileChoices(families, 1), 0));
}

}  // namespace advice_shortlist_test
}  // namespace winnow::inspect
