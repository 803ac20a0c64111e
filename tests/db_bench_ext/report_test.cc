// Tests that the text report states the limitations of comparisons before the values.

#include "db_bench_ext/read_amplification/report/report.h"

#include <absl/strings/str_replace.h>
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

TEST(ReportTest, MemoryAndFalsePositivesAreComparedWithTheReference) {
  const std::string text = InOneLine(FullReport(ExampleRun(10'000)));
  EXPECT_THAT(text, HasSubstr("3 duplicates dropped"));
  EXPECT_THAT(text, HasSubstr("The trees agree: keys per level differ by at most 0.00 %"));
  EXPECT_THAT(text, HasSubstr("winnow:10 has 0.700 times the filter memory of bloomfilter:10 and "
                              "0.950 times its false positives per filter check"));
  EXPECT_THAT(text, HasSubstr("1.000 %")) << "20 of 2000 checks";
  EXPECT_THAT(text, HasSubstr("0.01221-0.03089")) << "20 reads in 1000 lookups";
  EXPECT_THAT(text, HasSubstr("8765.000")) << "hashes shared by a lookup";
  const std::string summary = ShortReport(ExampleRun(10'000));
  EXPECT_THAT(summary, HasSubstr("2000.0")) << "reads per 1000 absent keys without a filter";
  EXPECT_THAT(summary,
              HasSubstr("winnow:10 takes 70 % of the memory of bloomfilter:10, for 0.95 times"));
}

// The database was written while Winnow was preloaded in place of a RocksDB policy.
TEST(ReportTest, TheFiltersThatFilesHaveAreNamedAndNotTheirPolicyAlone) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.policies = {Policy("as it is", "bloomfilter", 10'000, 8'750, 19)};
  run.policies[0].filters = {{"winnow-bloom", 3}, {"winnow-ribbon", 93}};
  EXPECT_THAT(FullReport(run), HasSubstr("\nas it is: 3 winnow-bloom, 93 winnow-ribbon\n"
                                         "as it is: the properties of its files name bloomfilter, "
                                         "in whose place Winnow was\n"));
}

TEST(ReportTest, PoliciesWithDifferentTreesAreSaidToDifferAndNotCompared) {
  const std::string full = InOneLine(FullReport(ExampleRun(9'000)));
  EXPECT_THAT(full, HasSubstr("DO NOT AGREE"));
  EXPECT_THAT(full, HasSubstr("differ by at most 10.00 %"));
  for (const char* verdict : {"0.700x", "times the filter memory", "times its false positives"}) {
    EXPECT_THAT(full, Not(HasSubstr(verdict)));
  }
  const std::string summary = ShortReport(ExampleRun(9'000));
  EXPECT_THAT(summary, HasSubstr("differ too much"));
  EXPECT_THAT(summary, Not(HasSubstr("% of the memory of")));
  EXPECT_THAT(summary, Not(HasSubstr("times its false reads")));
  EXPECT_THAT(ShortReport(ExampleRun(10'000)), Not(HasSubstr("differ too much")));
}

TEST(ReportTest, NotesComeBeforeTheFigures) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  run.notes = {"The files are small."};
  for (const std::string& text : {FullReport(run), ShortReport(run)}) {
    EXPECT_LT(text.find("Note: The files are small."), text.find("bloomfilter:10"));
  }
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
  EXPECT_THAT(text, Not(HasSubstr("Too few false reads")));
  EXPECT_THAT(InOneLine(text), HasSubstr("{id=winnow;range_bits=15} makes 1/294 of the false reads "
                                         "of bloomfilter:10"));
}

// Speeds of one policy vary by a fifth.
TEST(ReportTest, SpeedsThatRoundsDoNotResolveAreMarked) {
  inspect::ReadAmplification run = ExampleRun(10'000);
  const struct {
    std::vector<double> rounds;
    bool is_marked;
  } cases[] = {{{1300000, 1400000, 1500000}, true},  // one round is as fast as the reference
               {{1310000, 1400000, 1500000}, false},
               {{1310000, 1400000}, true}};  // two rounds tell nothing
  for (const auto& [rounds, is_marked] : cases) {
    run.policies[2].workloads[0].times.ops_per_second_by_round = rounds;
    run.policies[2].workloads[0].times.ops_per_second = 1400000;
    for (const std::string& text : {FullReport(run), ShortReport(run)}) {
      EXPECT_EQ(text.find("1400000 ?") != std::string::npos, is_marked) << text;
    }
  }
}

}  // namespace report_test
}  // namespace winnow::bench
