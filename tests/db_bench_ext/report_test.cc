// Tests that the text report states the limitations of comparisons before the values.

#include "db_bench_ext/read_amplification/report/report.h"

#include <absl/strings/match.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace winnow::bench {
namespace report_test {

using ::testing::HasSubstr;
using ::testing::Not;

inspect::PolicyResult Policy(const std::string& policy, const std::string& name, uint64_t level3,
                             uint64_t filter_bytes, uint64_t false_positives) {
  inspect::PolicyResult result;
  result.policy = policy;
  result.in_force = name;
  result.keys = level3;
  result.files = 5;
  result.filter_bytes = filter_bytes;
  result.filters = {{filter_bytes == 0 ? "none" : "some-kind", 5}};
  result.tree = {{3, 5, level3, filter_bytes}};
  inspect::WorkloadResult absent;
  absent.name = "readabsent";
  absent.counts.lookups = 1000;
  absent.counts.filter_checks = filter_bytes == 0 ? 0 : 2000;
  absent.counts.false_positive_block_reads = false_positives;
  absent.counts.useful = absent.counts.filter_checks - false_positives;
  absent.counts.data_blocks_accessed = filter_bytes == 0 ? 2000 : false_positives;
  absent.counts.hashes = 800;
  absent.counts.hashes_shared = 8'765'000;
  absent.counts.levels = {
      {3, absent.counts.filter_checks, absent.counts.useful, false_positives, 0}};
  absent.times = {500, 1234567, 800, 9000, {1234566, 1234567, 1300000}};
  result.workloads = {absent};
  return result;
}

inspect::ReadAmplification ExampleRun(uint64_t level3_of_winnow) {
  inspect::ReadAmplification run;
  run.keys_from = "keys.lz4";
  run.keys = 10'000;
  run.key_bytes = 160'000;
  run.duplicates = 3;
  run.policies = {Policy("none", "", 10'000, 0, 0),
                  Policy("bloomfilter:10", "bloomfilter", 10'000, 12'500, 20),
                  Policy("winnow:10", "winnow.Filter", level3_of_winnow, 8'750, 19)};
  return run;
}

// Joins lines that were wrapped.
std::string InOneLine(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\n  ", " "}, {"\n", " "}});
}

TEST(ReportTest, TheFullReportComparesMemoryAndFalsePositivesWithTheReference) {
  const std::string text = InOneLine(FullReport(ExampleRun(10'000)));
  EXPECT_THAT(text, HasSubstr("10000 keys from keys.lz4, 16.0 bytes each"));
  EXPECT_THAT(text, HasSubstr("3 duplicates dropped"));
  EXPECT_THAT(text, HasSubstr("The trees agree: keys per level differ by at most 0.00 %"));
  EXPECT_THAT(text, HasSubstr("winnow:10 has 0.700 times the filter memory of bloomfilter:10 and "
                              "0.950 times its false positives per filter check"));
  EXPECT_THAT(text, HasSubstr("1.000 %")) << "20 of 2000 checks";
  EXPECT_THAT(text, HasSubstr("0.01221-0.03089")) << "20 reads in 1000 lookups";
  EXPECT_THAT(text, HasSubstr("1234567"));
  EXPECT_THAT(text, HasSubstr("8765.000")) << "hashes shared by a lookup";
  EXPECT_THAT(text, HasSubstr("in 3 rounds of 500 lookups"));
}

// The database was written while Winnow was preloaded in place of a RocksDB policy.
TEST(ReportTest, TheFiltersThatFilesHaveAreNamedAndNotTheirPolicyAlone) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.policies = {Policy("as it is", "bloomfilter", 10'000, 8'750, 19)};
  run.policies[0].filters = {{"winnow-bloom", 3}, {"winnow-ribbon", 93}};
  const std::string text = FullReport(run);
  EXPECT_THAT(text, HasSubstr("\nas it is    winnow-ribbon, ...  "));
  EXPECT_THAT(text, HasSubstr("\nas it is: 3 winnow-bloom, 93 winnow-ribbon\n"
                              "as it is: the properties of its files name bloomfilter, in whose "
                              "place Winnow was\n"));
  EXPECT_THAT(text, Not(HasSubstr("name in the files")));
}

TEST(ReportTest, TreesThatDifferAreSaidToDiffer) {
  EXPECT_THAT(InOneLine(FullReport(ExampleRun(9'000))), HasSubstr("DO NOT AGREE"));
  EXPECT_THAT(InOneLine(FullReport(ExampleRun(9'000))), HasSubstr("differ by at most 10.00 %"));
  EXPECT_THAT(ShortReport(ExampleRun(9'000)), HasSubstr("differ too much"));
  EXPECT_THAT(ShortReport(ExampleRun(10'000)), Not(HasSubstr("differ too much")));
}

TEST(ReportTest, PoliciesWithDifferentTreesAreNotCompared) {
  EXPECT_THAT(FullReport(ExampleRun(10'000)), HasSubstr("0.700x"));
  EXPECT_THAT(FullReport(ExampleRun(9'000)), Not(HasSubstr("0.700x")));
  EXPECT_THAT(FullReport(ExampleRun(9'000)), Not(HasSubstr("times the filter memory")));
  EXPECT_THAT(ShortReport(ExampleRun(10'000)), HasSubstr("% of the memory of"));
  EXPECT_THAT(ShortReport(ExampleRun(9'000)), Not(HasSubstr("% of the memory of")));
}

TEST(ReportTest, NotesComeBeforeTheFigures) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.notes = {"The files are small."};
  for (const std::string& text : {FullReport(run), ShortReport(run)}) {
    EXPECT_LT(text.find("Note: The files are small."), text.find("bloomfilter:10"));
  }
}

TEST(ReportTest, GrowthUnderLookupsHasARowForEachPolicyByQuarter) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  EXPECT_THAT(FullReport(run), Not(HasSubstr("While the tree grew")));
  run.heat = {1};
  for (int interval = 1; interval <= 8; ++interval) {
    inspect::GrowthInterval growth;
    growth.counts.lookups = 1000;
    growth.counts.false_positive_block_reads = static_cast<uint64_t>(8 * interval);
    growth.counts.data_blocks_read = 100;
    growth.keys = 1000;
    growth.filter_bytes = interval == 3 ? 2000 : 1000;
    run.policies[2].growth.push_back(growth);
  }
  EXPECT_THAT(FullReport(run), HasSubstr("\nwinnow:10          8000      0.03600  0.01200  0.02800"
                                         "  0.04400  0.06000     0.1000      16.00\n"));
}

TEST(ReportTest, WhatCameIntoTheCacheIsSaidByKindWhereThereIsACache) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  EXPECT_THAT(FullReport(run), Not(HasSubstr("Blocks put into the block cache")));
  run.cache_size = 1 << 20;
  inspect::WorkloadCounts& counts = run.policies[2].workloads[0].counts;
  counts.loads = {{100, 200, 3'000'000}, {0, 50, 6000}, {10, 25, 100'000}};
  counts.filter_reading_lookups = 125;
  EXPECT_THAT(FullReport(run), HasSubstr("\nwinnow:10        0.2000   3000   0.0500      6  0.0250"
                                         "    100        12.50 %\n"));
}

TEST(ReportTest, TheShortReportSaysWhatIsWastedAndWhatItMeans) {
  const std::string text = ShortReport(ExampleRun(10'000));
  EXPECT_THAT(text, HasSubstr("\nwinnow:10 makes about as many false reads as "
                              "bloomfilter:10, with 30 % less filter memory.\n\nfilter policy "));
  EXPECT_THAT(text, HasSubstr("2000.0")) << "false reads per 1000 absent keys without a filter";
  EXPECT_THAT(text,
              HasSubstr("winnow:10 takes 70 % of the memory of bloomfilter:10, for 0.95 times"));
}

// Headline and table count equally: one read for each "maybe" of a filter.
TEST(ReportTest, TheShortReportCountsFalseReadsInOneWay) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.policies = {run.policies[1], Policy("winnow:10", "winnow.Filter", 10'000, 8'750, 340)};
  run.policies[1].workloads[0].counts.data_blocks_accessed = 346;
  EXPECT_THAT(ShortReport(run), HasSubstr("340.0"));
  EXPECT_THAT(ShortReport(run), HasSubstr("makes 17 times as many false reads"));
  EXPECT_THAT(ShortReport(run), HasSubstr("for 17.00 times its false reads"));
}

// Scans check no filter without a prefix extractor: every block that they read without finding a
// key is a false read.
TEST(ReportTest, TheShortReportComparesScansOfWhichOnePolicyAsksNoFilter) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.policies = {run.policies[1],
                  Policy("{id=winnow;range_bits=15}", "winnow.Filter", 10'000, 12'500, 14)};
  for (inspect::PolicyResult& policy : run.policies) {
    policy.workloads[0].counts.decided_lookups = 1000;
    policy.workloads[0].counts.decided_checks = policy.workloads[0].counts.filter_checks;
  }
  inspect::WorkloadCounts& unasked = run.policies[0].workloads[0].counts;
  unasked.filter_checks = 0;
  unasked.decided_checks = 0;
  unasked.useful = unasked.false_positive_block_reads = 0;
  unasked.data_blocks_accessed = 4119;
  const std::string text = ShortReport(run);
  EXPECT_THAT(text, HasSubstr("4119.0"));
  EXPECT_THAT(text, HasSubstr("14.0"));
  EXPECT_THAT(text, Not(HasSubstr("Too few false reads")));
  EXPECT_THAT(InOneLine(text), HasSubstr("{id=winnow;range_bits=15} makes 1/294 of the false reads "
                                         "of bloomfilter:10"));
}

// Recorded lookups, as from --lookups, include present keys.
TEST(ReportTest, TheShortReportOfRecordedLookupsHasARowForEachPolicy) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  for (inspect::PolicyResult& policy : run.policies) {
    policy.workloads[0].name = "recorded";
    policy.workloads[0].counts.found = 600;
    policy.workloads[0].counts.data_blocks_accessed += 600;
  }
  const std::string text = ShortReport(run);
  EXPECT_THAT(text, HasSubstr("false reads per 1000 lookups"));
  EXPECT_THAT(text, HasSubstr("\nbloomfilter:10"));
  EXPECT_THAT(text, HasSubstr("\nwinnow:10 "));
  EXPECT_THAT(text, HasSubstr("20.0"));
  EXPECT_THAT(text, HasSubstr("1234567"));
  EXPECT_THAT(text, HasSubstr("These are lookups of recorded."));
  EXPECT_THAT(text, Not(HasSubstr("absent keys")));
  EXPECT_THAT(text, HasSubstr("for 0.95 times its false reads"));
}

// Speeds of one policy vary by a fifth.
TEST(ReportTest, SpeedsThatRoundsDoNotResolveAreMarked) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  const auto set = [&](const std::vector<double>& rounds) {
    run.policies[2].workloads[0].times.ops_per_second_by_round = rounds;
    run.policies[2].workloads[0].times.ops_per_second = 1400000;
  };
  set({1300000, 1400000, 1500000});  // one round is as fast as the reference
  for (const std::string& text : {FullReport(run), ShortReport(run)}) {
    EXPECT_THAT(text, HasSubstr("1400000 ?"));
    EXPECT_THAT(text, HasSubstr("A ? stands where the difference from bloomfilter:10"));
    EXPECT_THAT(text, HasSubstr("1234567 ?")) << "none: the same rounds";
  }
  set({1310000, 1400000, 1500000});
  for (const std::string& text : {FullReport(run), ShortReport(run)}) {
    EXPECT_THAT(text, Not(HasSubstr("1400000 ?")));
  }
  set({1310000, 1400000});
  EXPECT_THAT(ShortReport(run), HasSubstr("1400000 ?")) << "two rounds tell nothing";
}

TEST(ReportTest, NoRatioOfReadsIsGivenOfTreesThatDiffer) {
  EXPECT_THAT(InOneLine(FullReport(ExampleRun(9'000))),
              Not(HasSubstr("times its false positives")));
  EXPECT_THAT(ShortReport(ExampleRun(9'000)), Not(HasSubstr("times its false reads")));
}

TEST(ReportTest, TablesOfAHundredMillionLookupsFitAHundredColumns) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.policies.push_back(Policy("{id=winnow;bits_per_key=10;level_plan=by_level;absent_share=0.1}",
                                "winnow.Filter", 10'000, 8'750, 18));
  for (inspect::PolicyResult& policy : run.policies) {
    policy.build =
        inspect::BuildCost{1'000'000, 1234.5, inspect::BuildPeak{7'000'000, 123'456'789}};
    inspect::WorkloadCounts& counts = policy.workloads[0].counts;
    counts.lookups = 100'000'000;
    counts.filter_checks = 900'000'000;
    counts.useful = 890'000'000;
    counts.false_positive_block_reads = 10'000'000;
    counts.levels = {{6, 900'000'000, 890'000'000, 10'000'000, 900'000'000, 900'000'000}};
  }
  run.cache_size = uint64_t{1} << 40;
  for (inspect::PolicyResult& policy : run.policies) {
    policy.workloads[0].counts.loads = {{0, 300'000'000, uint64_t{1} << 50},
                                        {0, 300'000'000, uint64_t{1} << 45},
                                        {0, 300'000'000, uint64_t{1} << 45}};
  }
  const std::string text = FullReport(run);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StrContains(line, "stands for")) continue;
    EXPECT_LE(line.size(), 100u) << line;
  }
  EXPECT_THAT(text, HasSubstr("stands for {id=winnow;bits_per_key=10;level_plan=by_level"));
}

}  // namespace report_test
}  // namespace winnow::bench
