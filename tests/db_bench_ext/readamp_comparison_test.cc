// Tests of whether policies are comparable, and of the selected reference.

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::inspect {
namespace readamp_comparison_test {

PolicyResult Result(const std::string& in_force, uint64_t filter_bytes,
                    std::vector<LevelShape> tree = {}) {
  PolicyResult result;
  result.in_force = in_force;
  result.filter_bytes = filter_bytes;
  result.tree = std::move(tree);
  return result;
}

TEST(ReadampComparisonTest, TheBloomFilterOfRocksDBIsTheReferenceIfThereIsOne) {
  EXPECT_EQ(
      Compare({Result("", 0), Result("winnow.Filter", 7), Result("bloomfilter", 10)}).reference,
      2u);
  EXPECT_EQ(Compare({Result("", 0), Result("winnow.Filter", 7)}).reference, 1u);
  EXPECT_EQ(Compare({Result("", 0)}).reference, 0u);
}

TEST(ReadampComparisonTest, TheLargestDifferenceOfAnyLevelCounts) {
  EXPECT_EQ(LevelDifference({{0, 2, 100, 0}, {3, 9, 1000, 0}}, {{0, 3, 100, 0}, {3, 9, 1000, 0}}),
            0);
  EXPECT_DOUBLE_EQ(
      LevelDifference({{1, 1, 98, 0}, {2, 1, 1000, 0}}, {{1, 1, 100, 0}, {2, 1, 999, 0}}), 0.02);
  EXPECT_EQ(LevelDifference({{1, 1, 98, 0}}, {{2, 1, 98, 0}}), 1);
  EXPECT_EQ(LevelDifference({}, {}), 0);
}

TEST(ReadampComparisonTest, TreesAgreeUpToTwoPercentInEveryPolicy) {
  const PolicyResult reference = Result("bloomfilter", 10, {{1, 1, 1000, 0}});
  EXPECT_TRUE(Compare({Result("", 0, {{1, 1, 981, 0}}), reference}).TreesAgree());
  EXPECT_FALSE(Compare({Result("", 0, {{1, 1, 979, 0}}), reference}).TreesAgree());
}

TEST(ReadampComparisonTest, TreesWithOtherFilesToConsiderDoNotAgree) {
  PolicyResult reference = Result("bloomfilter", 10, {{1, 1, 1000, 0}});
  PolicyResult policy = Result("winnow.Filter", 7, {{1, 1, 1000, 0}});
  reference.workloads.resize(2);
  policy.workloads.resize(2);
  reference.workloads[1].files_considered_per_lookup = 3;
  policy.workloads[1].files_considered_per_lookup = 2.95;
  EXPECT_TRUE(SameTree(policy, reference));
  policy.workloads[1].files_considered_per_lookup = 2.9;
  EXPECT_FALSE(SameTree(policy, reference));
  EXPECT_FALSE(Compare({policy, reference}).TreesAgree());
  EXPECT_NEAR(FilesConsideredDifference(reference, policy), 0.1 / 3, 1e-9);
}

}  // namespace readamp_comparison_test
}  // namespace winnow::inspect
