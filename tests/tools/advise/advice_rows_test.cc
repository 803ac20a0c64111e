// Policies in the rows of advice, the split of a budget, and the curve.

#include "tools/winnow/advise/advice_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"
#include "tests/tools/tool_testing.h"

namespace winnow::inspect {
namespace advice_rows_test {

class AdviceRowsTest : public AdvisedDatabase {
 protected:
  // Creates column families with equally many keys. The number of files is the number that a lookup
  // checks.
  void MakeFamilies(std::initializer_list<uint64_t> files_of_families) {
    const Options options = MakeOptions(TableWith("bloomfilter:10"));
    const auto db = OpenDatabase(options, folder_ / "db");
    int number = 0;
    for (const uint64_t count : files_of_families) {
      std::vector<testing::KeyNumbers> files;
      for (uint64_t file = 0; file < count; ++file) files.push_back({24'000, file, count});
      testing::PutInFamily(db.get(), options, "family" + std::to_string(++number), files);
    }
  }
};

TEST_F(AdviceRowsTest, TheMemoryAndTheReadsOfNowAreKept) {
  Make("bloomfilter:10");
  const Advice advice = AdviseOnIt(Quick());
  const AdviceRow& now = advice.rows.front();
  int found = 0;
  for (const AdviceRow& row : advice.rows) {
    if (row.purpose == RowPurpose::kMemoryOfNow) {
      EXPECT_LE(row.bytes, now.bytes);
      EXPECT_GT(row.bytes, 0.98 * now.bytes);
      ++found;
    } else if (row.purpose == RowPurpose::kReadsOfNow) {
      EXPECT_LE(row.false_reads, now.false_reads);
      EXPECT_GT(row.false_reads, 0.9 * now.false_reads);
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
}

// Compares the split with all pairs of bits per key.
TEST_F(AdviceRowsTest, NoOtherSplitOfABudgetIsMuchBetter) {
  MakeFamilies({1, 12});
  AdviceOptions options = Quick();
  options.budget_bytes = 36'000;
  const AdviceReading reading = ReadingOf(folder_ / "db", options);
  Advice advice;
  SetRows(reading, options, &advice);
  ASSERT_EQ(advice.budget.size(), 2u);
  EXPECT_LE(advice.budget_taken, 36'000);
  EXPECT_GT(advice.budget_taken, 0.98 * 36'000);
  double reads = 0;
  for (const BudgetPart& part : advice.budget) {
    reads += reading.families[part.family].costs->Of(part.policy).false_reads;
  }
  double best = 1e300;
  for (double a = 2; a <= 20; a += 0.25) {
    for (double b = 2; b <= 20; b += 0.25) {
      Cost both = reading.families[0].costs->Of(WinnowText(a));
      both += reading.families[1].costs->Of(WinnowText(b));
      if (both.bytes <= 36'000) best = std::min(best, both.false_reads);
    }
  }
  EXPECT_LE(reads, 1.02 * best);
  EXPECT_LT(reads, 0.95 * static_cast<double>(reading.num_lookups) *
                       RowOf(advice, advice.one_policy).false_reads);
}

TEST_F(AdviceRowsTest, FamiliesThatAreAlikeGetTheSameOfABudget) {
  MakeFamilies({1, 12, 1, 1});
  for (const double bytes : {50'000.0, 80'000.0, 110'000.0}) {
    AdviceOptions options = Quick();
    options.budget_bytes = bytes;
    const Advice advice = AdviseOnIt(options);
    ASSERT_EQ(advice.budget.size(), 4u);
    EXPECT_EQ(advice.budget[0].policy, advice.budget[2].policy) << bytes;
    EXPECT_EQ(advice.budget[0].policy, advice.budget[3].policy) << bytes;
    EXPECT_NE(advice.budget[0].policy, advice.budget[1].policy) << bytes;
  }
}

TEST_F(AdviceRowsTest, ABudgetHasALeastAndAMost) {
  MakeFamilies({1, 2});
  AdviceOptions options = Quick();
  options.budget_bytes = 1'000;
  const Advice small = AdviseOnIt(options);
  EXPECT_TRUE(small.budget.empty());
  EXPECT_GT(small.least_bytes, 1'000);
  options.budget_bytes = small.least_bytes;
  EXPECT_EQ(AdviseOnIt(options).budget.size(), 2u);
  EXPECT_FALSE(AdviseOnIt(options).budget_is_enough);
  options.budget_bytes = 1e9;
  const Advice large = AdviseOnIt(options);
  EXPECT_TRUE(large.budget_is_enough);
  EXPECT_LT(large.budget_taken, 200'000);
}

// False reads fall with more memory, and Winnow's filters need less memory for equal false reads.
TEST_F(AdviceRowsTest, TheCurveFalls) {
  Make("bloomfilter:10");
  const Advice advice = AdviseOnIt(Quick());
  ASSERT_EQ(advice.curve.size(), 3u * 9);
  for (size_t i = 1; i < advice.curve.size(); ++i) {
    const CurvePoint& point = advice.curve[i];
    const CurvePoint& last = advice.curve[i - 1];
    if (point.maker != last.maker) continue;
    EXPECT_GT(point.bytes, last.bytes) << point.policy;
    EXPECT_LT(point.false_reads, last.false_reads) << point.policy;
  }
}

}  // namespace advice_rows_test
}  // namespace winnow::inspect
