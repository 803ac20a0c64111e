// Texts of recommendations and assumptions.

#include "tools/winnow/advise/advice_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace advice_words_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AdviceWordsTest : public AdvisedDatabase {};

Options WithPrefixesOnly(const std::string& policy, size_t bytes) {
  BlockBasedTableOptions table = TableWith(policy);
  table.whole_key_filtering = false;
  Options options = MakeOptions(table);
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(bytes));
  return options;
}

// A plan saves reads on levels that no longer exist after a full compaction.
TEST_F(AdviceWordsTest, WhatIsRecommendedHoldsOnceCompactedOrIsWarnedOf) {
  Grow(OpenDatabase(MakeOptions(TableWith(kUniform)), folder_ / "db").get());
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  const AdviceRow& now = advice.rows.front();
  ASSERT_TRUE(now.compacted);
  const auto row = std::find_if(advice.rows.begin(), advice.rows.end(), [](const auto& each) {
    return each.purpose == RowPurpose::kReadsOfNow;
  });
  ASSERT_NE(row, advice.rows.end());
  EXPECT_NEAR(row->false_reads / now.false_reads, 1, 0.2);
  EXPECT_GT(row->compacted->false_reads, 1.3 * now.compacted->false_reads);
  const AdviceRow& choice = RowOf(advice, advice.choice);
  EXPECT_THAT(advice.recommendation, HasSubstr("Take filter_policy=" + advice.choice + ":"));
  EXPECT_EQ(choice.compacted->false_reads > 1.03 * now.compacted->false_reads,
            advice.recommendation.find("But once all is compacted") != std::string::npos)
      << advice.recommendation;
}

// The formulas are evaluated up to 24 bits per key.
TEST_F(AdviceWordsTest, WhatTheRestOfABudgetBuysIsNotDenied) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:4")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.lookups = 400'000;
  options.budget_bytes = 70'000;
  options.policies = {"bloomfilter:6"};
  const Advice none_better = AdviseOn(folder_ / "db", options);
  EXPECT_EQ(none_better.choice, none_better.budget[0].policy);
  options.budget_bytes = 10e6;
  const Advice large = AdviseOn(folder_ / "db", options);
  EXPECT_THAT(large.recommendation,
              AllOf(HasSubstr("more than 24 bits per key"), Not(HasSubstr("buys nothing"))));
}

TEST_F(AdviceWordsTest, WhatDoesNotFitTheBudgetIsNotKept) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:14")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.budget_bytes = 60'000;
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_GT(advice.rows.front().bytes, 60'000);
  EXPECT_THAT(advice.recommendation, AllOf(HasSubstr("But once all is compacted"),
                                           HasSubstr("which takes more than the budget"),
                                           Not(HasSubstr("keep what there is"))));
}

TEST_F(AdviceWordsTest, WhereNothingIsAskedInVainNothingIsRecommended) {
  testing::WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "1.sst");
  AdviceOptions options = Quick();
  options.recorded = {KeyOf(3), KeyOf(4'000), "a key beyond all others"};
  options.budget_bytes = 10'000;
  std::string problem;
  const Advice advice = Advise(
      {{"", folder_ / "1.sst", std::nullopt}}, options, [](const AdviceStep&) {}, &problem);
  EXPECT_THAT(problem, IsEmpty());
  EXPECT_EQ(*advice.rows.front().counted, 0u);
  EXPECT_THAT(advice.recommendation, HasSubstr("nothing to recommend"));
  EXPECT_FALSE(advice.budget_bytes);
}

// Lookups do not show the effect of fewer bits on scans.
TEST_F(AdviceWordsTest, WhereScansLiveOffFiltersOfPrefixesNoFewerBitsAreRecommended) {
  {
    const auto db = OpenDatabase(WithPrefixesOnly("bloomfilter:10", 8), folder_ / "db");
    Write(db.get(), 40'000, 1);
    MoveTo(db.get(), 3);
    Write(db.get(), 40'000, 7);
  }
  AdviceOptions recorded = Quick();
  recorded.policies = {"winnow:4", "bloomfilter:6"};
  recorded.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) {  // most have existing prefixes
    recorded.recorded->push_back(KeyOf(i * 7919 % 44'000) + "x");
  }
  const Advice advice = AdviseOn(folder_ / "db", recorded);
  EXPECT_THAT(advice.recommendation,
              AllOf(HasSubstr("Keep what there is"), HasSubstr("scans use them")));
  EXPECT_EQ(advice.choice, "");
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("Scans that use these filters")));
  for (const AdviceRow& row : advice.rows) {
    EXPECT_NE(row.purpose, RowPurpose::kReadsOfNow) << row.OnePolicy();
  }
}

// With this option RocksDB uses no filter on the last level, even if a moved file has one.
TEST_F(AdviceWordsTest, TheOptionThatPassesOverFiltersIsNamedFirst) {
  Options database = MakeOptions(TableWith("bloomfilter:10"));
  database.optimize_filters_for_hits = true;
  database.disable_auto_compactions = true;
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    PutAndFlush(db.get(), {20'000});
    ROCKSDB_NAMESPACE::CompactRangeOptions move;  // moves one file without a rewrite
    move.change_level = true;
    move.target_level = 3;
    ASSERT_STATUS_OK(db->CompactRange(move, nullptr, nullptr));
    PutAndFlush(db.get(), {20'000, 0, 2});
  }
  AdviceOptions options = Quick();
  options.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) options.recorded->push_back(KeyOf(i % 19'000) + "x");
  const Advice advice = AdviseOn(folder_ / "db", options);
  const AdviceRow& now = advice.rows.front();
  database.statistics = ROCKSDB_NAMESPACE::CreateDBStatistics();
  const auto db = OpenDatabase(database, folder_ / "db");
  ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::kEnableCount);
  ROCKSDB_NAMESPACE::get_perf_context()->Reset();
  std::string value;
  for (const std::string& key : *options.recorded) {
    ASSERT_TRUE(db->Get(ReadOptions(), key, &value).IsNotFound());
  }
  const ROCKSDB_NAMESPACE::PerfContext& read = *ROCKSDB_NAMESPACE::get_perf_context();
  const uint64_t blocks = read.block_read_count + read.block_cache_hit_count;
  ROCKSDB_NAMESPACE::SetPerfLevel(ROCKSDB_NAMESPACE::kDisable);
  // RocksDB also reads the next block for a key after a block's last one.
  EXPECT_NEAR(static_cast<double>(*now.counted), static_cast<double>(blocks), 0.01 * 20'000);
  EXPECT_GT(now.false_reads, 1);
  const AdviceRow& usual = RowOf(advice, "winnow:10");
  EXPECT_LT(usual.bytes, 0.3 * now.bytes);
  EXPECT_NEAR(usual.false_reads / now.false_reads, 1, 0.01);
  EXPECT_THAT(advice.recommendation,
              AllOf(::testing::StartsWith("First turn off optimize_filters_for_hits"),
                    HasSubstr("1 file that was moved there has filters all the same"),
                    Not(HasSubstr("Keep what there is"))));
  EXPECT_THAT(advice.choice, Not(IsEmpty()));
}

TEST_F(AdviceWordsTest, AFewLookupsTellNothing) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.lookups = 1;
  EXPECT_THAT(AdviseOn(folder_ / "db", options).recommendation,
              AllOf(HasSubstr("too few"), HasSubstr("--draws="), Not(HasSubstr("filter_policy="))));
  EXPECT_THAT(AdviseOn(folder_ / "db", Quick()).recommendation, HasSubstr("filter_policy="));
}

// The number that the message asks for is enough, whichever number was too small.
TEST_F(AdviceWordsTest, TheLookupsThatAreSaidToBeEnoughAre) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  for (const uint64_t few : {20u, 200u, 400u, 600u, 900u}) {
    AdviceOptions options = Quick();
    options.lookups = few;
    const std::string said = AdviseOn(folder_ / "db", options).recommendation;
    const size_t flag = said.find("--draws=");
    ASSERT_NE(flag, std::string::npos) << few << said;
    options.lookups = std::stoull(said.substr(flag + std::string("--draws=").size()));
    EXPECT_GT(options.lookups, few);
    EXPECT_THAT(AdviseOn(folder_ / "db", options).recommendation, Not(HasSubstr("too few")))
        << few << said;
  }
}

// The table has the policy that the sentence below is about.
TEST_F(AdviceWordsTest, NothingOfTheTableThatSavesIsPassedOver) {
  {
    const auto db = OpenDatabase(SmallFiles("winnow:10"), folder_ / "db");
    WriteValues(db.get(), 0, 12'000, 1);
    CompactAll(db.get());
  }
  for (const char* policy : {"bloomfilter:12", "bloomfilter:10"}) {
    SCOPED_TRACE(policy);
    AdviceOptions options = Quick();
    options.lookups = 100'000;
    options.policies = {policy};
    const Advice advice = AdviseOn(folder_ / "db", options);
    const AdviceRow& now = advice.rows.front();
    bool saves = false;
    for (const AdviceRow& row : advice.rows) {
      saves = saves || (row.bytes <= 1.01 * now.bytes && row.false_reads < now.interval.low &&
                        row.false_reads < 0.97 * now.false_reads);
      if (row.purpose == RowPurpose::kMemoryOfNow) {
        EXPECT_LE(row.bytes, now.bytes);
      }
    }
    EXPECT_EQ(advice.recommendation.rfind("Keep", 0) == 0, !saves) << advice.recommendation;
  }
}

}  // namespace advice_words_test
}  // namespace winnow::inspect
