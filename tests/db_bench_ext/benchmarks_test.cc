// Tests of parsing valid and invalid lists of benchmarks.

#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace benchmarks_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<Benchmark>& benchmarks) {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks) names.emplace_back(benchmark.name);
  return names;
}

TEST(BenchmarksTest, WritesAndLookupsAreToldApart) {
  const auto list = ParseBenchmarks("fillrandom,overwrite,compact,readrandom,readmissing");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(Names(list->writes), ElementsAre("fillrandom", "overwrite", "compact"));
  EXPECT_THAT(Names(list->lookups), ElementsAre("readrandom", "readmissing"));
  EXPECT_THAT(ParseBenchmarks("readabsent")->writes, IsEmpty());
}

TEST(BenchmarksTest, EveryNameIsThereOnceAndParses) {
  std::set<std::string> names;
  for (const Benchmark& benchmark : Benchmarks()) {
    EXPECT_TRUE(names.insert(benchmark.name).second) << benchmark.name;
    const std::string list = benchmark.writes
                                 ? absl::StrCat("fillseq,", benchmark.name, ",readabsent")
                                 : std::string(benchmark.name);
    EXPECT_TRUE(ParseBenchmarks(list).ok()) << list;
  }
}

TEST(BenchmarksTest, ThePageHasARowForEach) {
  std::vector<std::string> rows;
  for (const std::string& line :
       testing::LinesThatBegin(testing::ReadFile(WINNOW_WORKLOADS_MD), "| `")) {
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    if (name[0] != '-') rows.push_back(name);  // others are flags
  }
  EXPECT_EQ(rows, Names(Benchmarks()));
}

TEST(BenchmarksTest, AListKnowsWhatItHas) {
  const auto list = ParseBenchmarks("fillrandom,readabsent,seekrandom,readlist");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_STREQ(list->Find(WritesDrawn)->name, "fillrandom");
  EXPECT_STREQ(list->Find(Seeks)->name, "seekrandom");
  EXPECT_STREQ(list->Find(IsRecorded)->name, "readlist");
  for (const BenchmarkTest test : {GetsMany, IsMixed}) {
    EXPECT_EQ(list->Find(test), nullptr) << NamesOf(test, " or ");
  }
  EXPECT_EQ(NamesOf(MayBeMixed, " or "), "multireadrandom or seekrandom");
  EXPECT_EQ(NamesOf(IsMixed, " or "), "readmixed or readheat");
}

TEST(BenchmarksTest, WhatCantBeDoneIsSaid) {
  const struct {
    const char* list;
    const char* why;
  } rows[] = {
      {"", "there is no ''"},
      {"readrandom,", "there is no ''"},
      {"readsequential", "there is no 'readsequential', but filluniquerandom"},
      {"fillseq", "nothing is looked up"},
      {"readrandom,fillseq", "'fillseq' comes after 'readrandom'"},
      {"compact,readrandom", "'compact' has nothing before it"},
      {"overwrite,readrandom", "'overwrite' has nothing before it"},
      {"readrandom,readrandom", "comes twice"},
      {"readrandom,readwhilewriting",
       "'readwhilewriting' ended with 2.0: RocksDB's db_bench has it, and runs with Winnow under "
       "'winnow run'"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(std::string(ParseBenchmarks(row.list).status().message()), HasSubstr(row.why))
        << row.list;
  }
}

}  // namespace benchmarks_test
}  // namespace winnow::bench
