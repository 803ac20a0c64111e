// Verdicts of advice, and their notes.

#include "tools/winnow/advise/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <string>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace verdict_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class VerdictTest : public AdvisedDatabase {};

// A plan saves reads on levels that no longer exist after a full compaction.
TEST_F(VerdictTest, WhatIsRecommendedHoldsOnceCompactedOrIsWarnedOf) {
  Make(kUniform);
  const Advice advice = AdviseOnIt(Quick());
  const AdviceRow& now = advice.rows.front();
  ASSERT_TRUE(now.compacted);
  const AdviceRow& choice = RowOf(advice, advice.verdict.choice);
  EXPECT_THAT(advice.verdict.says, HasSubstr("Take filter_policy=" + advice.verdict.choice + ":"));
  EXPECT_EQ(choice.compacted->false_reads > 1.03 * now.compacted->false_reads,
            advice.verdict.says.find("But once all is compacted") != std::string::npos)
      << advice.verdict.says;
}

// The formulas are evaluated up to 24 bits per key.
TEST_F(VerdictTest, WhatTheRestOfABudgetBuysIsNotDenied) {
  Make("bloomfilter:4");
  AdviceOptions options = Quick();
  options.lookups = 400'000;
  options.budget_bytes = 70'000;
  options.policies = {"bloomfilter:6"};
  const Advice none_better = AdviseOnIt(options);
  EXPECT_EQ(none_better.verdict.choice, none_better.budget[0].policy);
  options.budget_bytes = 10e6;
  const Advice large = AdviseOnIt(options);
  EXPECT_THAT(large.verdict.notes, Contains(HasSubstr("more than 24 bits per key")));
}

TEST_F(VerdictTest, WhatDoesNotFitTheBudgetIsNotKept) {
  Make("bloomfilter:14");
  AdviceOptions options = Quick();
  options.budget_bytes = 60'000;
  const Advice advice = AdviseOnIt(options);
  EXPECT_GT(advice.rows.front().bytes, 60'000);
  EXPECT_THAT(advice.verdict.says, AllOf(HasSubstr("But once all is compacted"),
                                         HasSubstr("which takes more than the budget"),
                                         Not(HasSubstr("keep what there is"))));
}

TEST_F(VerdictTest, WhereNothingIsAskedInVainNothingIsRecommended) {
  testing::WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "1.sst");
  AdviceOptions options = Quick();
  options.recorded = {KeyOf(3), KeyOf(4'000), "a key beyond all others"};
  options.budget_bytes = 10'000;
  std::string problem;
  const Advice advice = Advise(
      {{folder_ / "1.sst", std::nullopt, std::nullopt}}, options, [](const AdviceStep&) {},
      &problem);
  EXPECT_THAT(problem, ::testing::IsEmpty());
  EXPECT_EQ(*advice.rows.front().counted, 0u);
  EXPECT_THAT(advice.verdict.says, HasSubstr("nothing to recommend"));
  EXPECT_FALSE(advice.budget_bytes);
}

// Lookups do not show the effect of fewer bits on scans.
TEST_F(VerdictTest, WhereScansLiveOffFiltersOfPrefixesNoFewerBitsAreRecommended) {
  BlockBasedTableOptions table = TableWith("bloomfilter:10");
  table.whole_key_filtering = false;
  Options database = MakeOptions(table);
  database.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
  Make(database, [](DB* db) {
    Write(db, 40'000, 1);
    MoveTo(db, 3);
    Write(db, 40'000, 7);
  });
  AdviceOptions recorded = Quick();
  recorded.policies = {"winnow:4", "bloomfilter:6"};
  recorded.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) {  // most have existing prefixes
    recorded.recorded->push_back(KeyOf(i * 7919 % 44'000) + "x");
  }
  const Advice advice = AdviseOnIt(recorded);
  EXPECT_THAT(advice.verdict.says,
              AllOf(HasSubstr("Keep what there is"), HasSubstr("scans use them")));
  EXPECT_EQ(advice.verdict.choice, "");
  EXPECT_THAT(advice.verdict.notes, Contains(HasSubstr("Scans that use these filters")));
  for (const AdviceRow& row : advice.rows) {
    EXPECT_NE(row.purpose, RowPurpose::kReadsOfNow) << row.OnePolicy();
  }
}

// With this option RocksDB uses no filter on the last level, even if a moved file has one.
TEST_F(VerdictTest, TheOptionThatPassesOverFiltersIsNamedFirst) {
  Options database = MakeOptions(TableWith("bloomfilter:10"));
  database.optimize_filters_for_hits = true;
  Make(database, [](DB* db) {
    PutAndFlush(db, {20'000});
    ROCKSDB_NAMESPACE::CompactRangeOptions move;  // moves one file without a rewrite
    move.change_level = true;
    move.target_level = 3;
    ASSERT_STATUS_OK(db->CompactRange(move, nullptr, nullptr));
    PutAndFlush(db, {20'000, 0, 2});
  });
  AdviceOptions options = Quick();
  options.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) options.recorded->push_back(KeyOf(i % 19'000) + "x");
  const Advice advice = AdviseOnIt(options);
  const AdviceRow& now = advice.rows.front();
  const auto db = OpenDatabase(database, folder_ / "db");
  const uint64_t before = testing::DataBlocksRead(*database.statistics);
  std::string value;
  for (const std::string& key : *options.recorded) {
    ASSERT_TRUE(db->Get(ReadOptions(), key, &value).IsNotFound());
  }
  const uint64_t blocks = testing::DataBlocksRead(*database.statistics) - before;
  // RocksDB also reads the next block for a key after a block's last one.
  EXPECT_NEAR(static_cast<double>(*now.counted), static_cast<double>(blocks), 0.01 * 20'000);
  EXPECT_GT(now.false_reads, 1);
  const AdviceRow& usual = RowOf(advice, "winnow:10");
  EXPECT_LT(usual.bytes, 0.3 * now.bytes);
  EXPECT_NEAR(usual.false_reads / now.false_reads, 1, 0.01);
  EXPECT_THAT(advice.verdict.says,
              AllOf(::testing::StartsWith("First turn off optimize_filters_for_hits"),
                    HasSubstr(" Take filter_policy="), Not(HasSubstr("Keep what there is"))));
  EXPECT_THAT(advice.verdict.choice, Not(::testing::IsEmpty()));
  // The verdict has two sentences; the third one of such advice is a note.
  EXPECT_THAT(advice.verdict.says, Not(HasSubstr("nce all is compacted")));
  EXPECT_THAT(advice.verdict.notes.front(), HasSubstr("nce all is compacted"));
}

// The number that the message asks for is enough, whichever number was too small.
TEST_F(VerdictTest, TheLookupsThatAreSaidToBeEnoughAre) {
  Make("bloomfilter:10");
  for (const uint64_t few : {1u, 200u, 400u, 600u, 900u}) {
    AdviceOptions options = Quick();
    options.lookups = few;
    const std::string said = AdviseOnIt(options).verdict.says;
    const size_t flag = said.find("--draws=");
    ASSERT_NE(flag, std::string::npos) << few << said;
    EXPECT_THAT(said, Not(HasSubstr("filter_policy=")));
    options.lookups = std::stoull(said.substr(flag + std::string("--draws=").size()));
    EXPECT_GT(options.lookups, few);
    EXPECT_THAT(AdviseOnIt(options).verdict.says,
                AllOf(Not(HasSubstr("too few")), HasSubstr("filter_policy=")))
        << few << said;
  }
}

// The table has the policy that the sentence below is about.
TEST_F(VerdictTest, NothingOfTheTableThatSavesIsPassedOver) {
  Make(SmallFiles("winnow:10"), FillSmallFiles);
  for (const char* policy : {"bloomfilter:12", "bloomfilter:10"}) {
    SCOPED_TRACE(policy);
    AdviceOptions options = Quick();
    options.lookups = 100'000;
    options.policies = {policy};
    const Advice advice = AdviseOnIt(options);
    const AdviceRow& now = advice.rows.front();
    bool saves = false;
    for (const AdviceRow& row : advice.rows) {
      saves = saves || (row.bytes <= 1.01 * now.bytes && row.false_reads < now.interval.low &&
                        row.false_reads < 0.97 * now.false_reads);
      if (row.purpose == RowPurpose::kMemoryOfNow) {
        EXPECT_LE(row.bytes, now.bytes);
      }
    }
    EXPECT_EQ(advice.verdict.says.rfind("Keep", 0) == 0, !saves) << advice.verdict.says;
  }
}

}  // namespace verdict_test
}  // namespace winnow::inspect
