// Tests of the frontier's policies and trees.

#include "db_bench_ext/read_amplification/program/frontier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace frontier_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FrontierTest, BitsComeOnceAndAscending) {
  EXPECT_THAT(*ParseFrontier("12,6,9.5,6"), ElementsAre(6, 9.5, 12));
  EXPECT_TRUE(ParseFrontier("")->empty());
  for (const char* wrong : {"6,", "six", "0.5", "101", "nan", "6;8"}) {
    EXPECT_THAT(ParseFrontier(wrong).status().message(), HasSubstr("--frontier has '")) << wrong;
  }
}

TEST(FrontierTest, EachPolicyWithBitsIsVariedAndNoneComesTwice) {
  const std::vector<Policy> asked = {*MakePolicy("none"), *MakePolicy("bloomfilter:10"),
                                     *MakePolicy("bloomfilter:12"), *MakePolicy("ribbonfilter:10")};
  std::vector<std::string> made;
  const auto policies = FrontierPolicies(asked, {10, 12, 14});
  ASSERT_TRUE(policies.ok()) << policies.status();
  for (const FrontierPolicy& policy : *policies) {
    made.push_back(policy.varied + " " + policy.policy.asked);
  }
  EXPECT_THAT(made, ElementsAre("bloomfilter:10 bloomfilter:14", "ribbonfilter:10 ribbonfilter:12",
                                "ribbonfilter:10 ribbonfilter:14"));
}

TEST(FrontierTest, ItsTreesAgreeAndAreGoneAndMoreBitsReadLess) {
  const testing::TemporaryFolder folder;
  const GeneratedKeys present(20'000, 16);
  KeysOfRun keys;
  keys.absent = std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(20'000, 16));
  Benchmark benchmark{"readabsent", ""};
  benchmark.asks = AskedKeys::kAbsent;
  LookupChoices choices;
  choices.reads = 20'000;
  const std::vector<Lookups> workloads = {MakeLookups(benchmark, keys, choices)};
  const WriteSequence writes = WriteSequence::Once(present.size(), 0);
  const WrittenKeys written(writes);
  RunOptions options;
  options.tree.write_buffer_size = 200'000;
  options.tree = ScaleTree(options.tree, present.size(), present.total_bytes());
  options.timed_reads = 1000;
  const auto work = *WorkFolder::Open(folder / "work", false);
  Progress progress("frontier_test");
  const std::atomic<bool> stop{false};
  const auto policies = *FrontierPolicies({*MakePolicy("bloomfilter:10")}, {6, 14});
  const auto points = RunFrontier(options, policies, {present, writes, written, workloads}, *work,
                                  &progress, &stop);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_EQ(points->size(), 2u);
  EXPECT_EQ(inspect::LevelDifference((*points)[0].result.tree, (*points)[1].result.tree), 0);
  const auto& counts = [&](size_t i) { return (*points)[i].result.workloads[0].counts; };
  EXPECT_GT(counts(0).false_positive_block_reads, 4 * counts(1).false_positive_block_reads);
  EXPECT_GT((*points)[1].result.filter_bytes, 2 * (*points)[0].result.filter_bytes);
  EXPECT_EQ((*points)[0].result.workloads[0].times.lookups, 0u) << "nothing is timed";
  EXPECT_TRUE(std::filesystem::is_empty(work->path()));
}

}  // namespace frontier_test
}  // namespace winnow::bench
