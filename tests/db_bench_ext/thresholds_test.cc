// Tests of the thresholds for a policy's results.

#include "db_bench_ext/read_amplification/report/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace thresholds_test {

using ::testing::HasSubstr;
using ::testing::Not;

inspect::PolicyResult Policy(const std::string& policy, const std::string& name, uint64_t keys,
                             uint64_t filter_bytes, uint64_t false_positives, uint64_t blocks) {
  inspect::PolicyResult result;
  result.policy = policy;
  result.in_force = name;
  result.filter_bytes = filter_bytes;
  result.tree = {{3, 5, keys, filter_bytes}};
  inspect::WorkloadResult present;
  present.counts.lookups = 1000;
  present.counts.found = 1000;
  present.counts.filter_checks = 1000;
  present.counts.false_positive_block_reads = 999;
  inspect::WorkloadResult absent;
  absent.counts.lookups = 1000;
  absent.counts.filter_checks = 2000;
  absent.counts.false_positive_block_reads = false_positives;
  absent.counts.data_blocks_accessed = blocks;
  result.workloads = {present, absent};
  return result;
}

const inspect::PolicyResult kBloom = Policy("bloomfilter:10", "bloomfilter", 10'000, 1000, 100, 90);

inspect::ReadAmplification RunOf(const std::vector<inspect::PolicyResult>& policies) {
  inspect::ReadAmplification run;
  run.policies = policies;
  return run;
}

ThresholdsKept Check(const inspect::PolicyResult& policy, const Thresholds& thresholds) {
  return CheckThresholds(RunOf({Policy("none", "", 10'000, 0, 0, 2000), kBloom, policy}),
                         thresholds);
}

constexpr Thresholds kAll = {1.03, 1.05, 0.75};

TEST(ThresholdsTest, AreKeptUpToTheirLimits) {
  const ThresholdsKept result =
      Check(Policy("winnow:10", "winnow.Filter", 10'000, 750, 103, 90), kAll);
  EXPECT_TRUE(result.kept) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("winnow:10 keeps its promises: to bloomfilter:10 it has "
                                         "1.030 times the false positives per filter check "
                                         "(promised: at most 1.03)"));
  EXPECT_THAT(result.sentence, HasSubstr("1.000 times the block reads per absent key"));
  EXPECT_THAT(result.sentence, HasSubstr("0.750 times the filter memory"));
}

TEST(ThresholdsTest, EachIsBrokenByItsOwnFigure) {
  const std::pair<inspect::PolicyResult, const char*> cases[] = {
      {Policy("w", "winnow.Filter", 10'000, 750, 104, 90),
       "1.040 times the false positives per filter check (MORE than the promised 1.03)"},
      {Policy("w", "winnow.Filter", 10'000, 750, 100, 95),
       "1.056 times the block reads per absent key (MORE than the promised 1.05)"},
      {Policy("w", "winnow.Filter", 10'000, 751, 100, 90),
       "0.751 times the filter memory (MORE than the promised 0.75)"},
  };
  for (const auto& [policy, says] : cases) {
    const ThresholdsKept result = Check(policy, kAll);
    EXPECT_FALSE(result.kept) << result.sentence;
    EXPECT_THAT(result.sentence, HasSubstr("w breaks its promises"));
    EXPECT_THAT(result.sentence, HasSubstr(says));
  }
}

TEST(ThresholdsTest, WhatHasNoThresholdIsNeitherCheckedNorSaid) {
  const ThresholdsKept result =
      Check(Policy("w", "winnow.Filter", 10'000, 9999, 99, 9999), {1.03, 0, 0});
  EXPECT_TRUE(result.kept) << result.sentence;
  EXPECT_THAT(result.sentence, Not(HasSubstr("memory")));
  EXPECT_THAT(result.sentence, Not(HasSubstr("block reads")));
  EXPECT_FALSE(Thresholds{}.Any());
  EXPECT_TRUE(kAll.Any());
}

TEST(ThresholdsTest, ThereIsNoVerdictOnDifferentTrees) {
  const inspect::PolicyResult good = Policy("w", "winnow.Filter", 10'000, 700, 100, 90);
  ASSERT_TRUE(Check(good, kAll).kept);

  inspect::PolicyResult other_levels = good;
  other_levels.tree[0].keys = 9'000;
  ThresholdsKept result = Check(other_levels, kAll);
  EXPECT_FALSE(result.kept);
  EXPECT_THAT(result.sentence, HasSubstr("no verdict on w, as its tree is not that of "
                                         "bloomfilter:10: keys per level differ by up to 10.0 %"));
  EXPECT_THAT(result.sentence, Not(HasSubstr("times")));

  inspect::PolicyResult more_files = good;
  for (inspect::WorkloadResult& workload : more_files.workloads) {
    workload.files_considered_per_lookup = 2.1;
  }
  result = Check(more_files, kAll);
  EXPECT_FALSE(result.kept);
  EXPECT_THAT(result.sentence, HasSubstr("files considered per lookup by up to 100.0 %"));
}

TEST(ThresholdsTest, AMissingFigureBreaksThem) {
  EXPECT_FALSE(Check(Policy("none", "", 10'000, 0, 0, 2000), kAll).kept);
  EXPECT_FALSE(CheckThresholds(RunOf({kBloom}), kAll).kept);
  EXPECT_THAT(CheckThresholds(RunOf({kBloom}), kAll).sentence, HasSubstr("has to come last"));

  inspect::ReadAmplification run =
      RunOf({kBloom, Policy("w", "winnow.Filter", 10'000, 700, 100, 90)});
  EXPECT_TRUE(CheckThresholds(run, kAll).kept);
  for (inspect::PolicyResult& policy : run.policies) policy.workloads.pop_back();
  EXPECT_FALSE(CheckThresholds(run, kAll).kept);
  EXPECT_THAT(CheckThresholds(run, kAll).sentence, HasSubstr("can't be compared"));
}

}  // namespace thresholds_test
}  // namespace winnow::bench
