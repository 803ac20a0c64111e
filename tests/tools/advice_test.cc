// Advice on real databases: what it says of the policy that they have against what they have, and
// against what RocksDB counts.

#include "tools/winnow/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/database/table_list.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"
#include "tools/winnow/advise/advise_table.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::PartitionedTableWith;
using testing::TableWith;

constexpr char kByLevel[] = "{id=winnow;bits_per_key=10;level_plan=by_level}";
constexpr char kAuto[] = "{id=winnow;bits_per_key=10;level_plan=auto}";

std::vector<AdviceTable> TablesOf(const std::string& database) {
  std::vector<AdviceTable> tables;
  for (const ListedTable& table : ListTables(database, {}, 1).tables) {
    tables.push_back({database, table.path, table.level});
  }
  return tables;
}

AdviceOptions Quick() {
  AdviceOptions options;
  options.lookups = 20'000;
  options.jobs = 2;
  return options;
}

Advice AdviseOn(const std::string& database, const AdviceOptions& options,
                std::string* problem = nullptr) {
  std::string own;
  const Advice advice = Advise(
      TablesOf(database), options, [](const AdviceStep&) {}, problem == nullptr ? &own : problem);
  EXPECT_THAT(own, IsEmpty());
  return advice;
}

const AdviceRow& RowOf(const Advice& advice, std::string_view policy) {
  for (const AdviceRow& row : advice.rows) {
    if (row.OnePolicy() == policy) return row;
  }
  ADD_FAILURE() << "there is no row for " << policy;
  return advice.rows.front();
}

// That of the plan auto at the usual bits, whatever the share of absent lookups.
const AdviceRow& PlanRowOf(const Advice& advice) {
  for (const AdviceRow& row : advice.rows) {
    if (row.OnePolicy().rfind("{id=winnow;bits_per_key=10;level_plan=auto", 0) == 0) return row;
  }
  ADD_FAILURE() << "there is no row for a plan";
  return advice.rows.front();
}

// Merges all files of level 0 into a level.
void MoveTo(DB* db, int level) {
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  std::vector<std::string> names;
  for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
  ROCKSDB_NAMESPACE::CompactionOptions compaction;
  compaction.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
  compaction.output_file_size_limit = 16 << 10;
  ASSERT_STATUS_OK(db->CompactFiles(compaction, names, level));
}

void CompactAll(DB* db) {
  ROCKSDB_NAMESPACE::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(db->CompactRange(compaction, nullptr, nullptr));
}

// Every `step`th even number below `end`, in four flushes that have all of the range.
void Write(DB* db, uint64_t end, uint64_t step) {
  for (uint64_t flush = 0; flush < 4; ++flush) {
    for (uint64_t i = flush; i < end / (2 * step); i += 4) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(2 * step * i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
}

constexpr uint64_t kEnd = 120'000;

// Levels 3, 2, 1 and 0, each with a part of the keys of the one below, deletions on level 1 and two
// files on level 0.
void Grow(DB* db) {
  Write(db, kEnd, 1);
  MoveTo(db, 3);
  Write(db, kEnd, 7);
  MoveTo(db, 2);
  Write(db, kEnd / 2, 40);
  for (uint64_t i = 0; i < 500; ++i) {
    ASSERT_STATUS_OK(db->Delete(WriteOptions(), KeyOf(100 * i)));
  }
  ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  MoveTo(db, 1);
  for (const uint64_t first : {0u, 3u}) {
    for (uint64_t i = first; i < kEnd / 2; i += 97) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(2 * i), "newest"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
}

// Keys that are there, deleted ones, absent ones, within the range and beyond it; some often.
std::vector<std::string> MixedLookups(size_t n) {
  std::mt19937_64 random(7);
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t number = random() % (kEnd + kEnd / 8);
    keys.push_back(i % 16 == 0   ? KeyOf(100 * (random() % 500))
                   : i % 32 == 1 ? std::string("00000000.007")
                   : i % 3 == 0  ? KeyOf(number)
                                 : KeyOf(number) + "x");
  }
  return keys;
}

uint64_t FalsePositives(const Options& options, const std::string& path,
                        const std::vector<std::string>& keys) {
  const auto db = OpenDatabase(options, path);
  const auto count = [&](uint32_t ticker) { return options.statistics->getTickerCount(ticker); };
  const uint64_t positive = count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE);
  const uint64_t right = count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  std::string value;
  for (const std::string& key : keys) {
    const auto status = db->Get(ReadOptions(), key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
  }
  return count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) - positive -
         (count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE) - right);
}

struct TreeCase {
  const char* name;
  const char* policy;
  bool partitioned;
};

class AdviceOnATree : public ::testing::TestWithParam<TreeCase> {
 protected:
  testing::TemporaryFolder folder_;
};

// The same policy built again from the keys is what there is, byte for byte and read for read.
TEST_P(AdviceOnATree, IsExactForThePolicyThatItHas) {
  const BlockBasedTableOptions table = GetParam().partitioned
                                           ? PartitionedTableWith(GetParam().policy)
                                           : TableWith(GetParam().policy);
  const Options database = MakeOptions(table);
  Grow(OpenDatabase(database, folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = MixedLookups(60'000);
  options.policies = {GetParam().policy};
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_THAT(advice.errors, IsEmpty());
  EXPECT_EQ(advice.lookups, 60'000);
  EXPECT_GT(advice.absent, 40'000);
  EXPECT_LT(advice.absent, 56'000);
  ASSERT_EQ(advice.families.size(), 1u);
  EXPECT_EQ(advice.families[0].keys_by_level.size(), 4u);
  const AdviceRow& now = advice.rows.front();
  EXPECT_EQ(now.purpose, RowPurpose::kNow);
  EXPECT_EQ(now.counted, FalsePositives(database, folder_ / "db", *options.recorded));
  EXPECT_GT(now.counted, 50u);
  const AdviceRow& again = RowOf(advice, GetParam().policy);
  EXPECT_EQ(again.bytes, now.bytes);
  EXPECT_EQ(again.counted, now.counted);
  EXPECT_EQ(again.false_reads, now.false_reads);
  ASSERT_TRUE(again.nanoseconds_a_key);
  EXPECT_GT(*again.nanoseconds_a_key, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, AdviceOnATree,
                         ::testing::Values(TreeCase{"bloom", "bloomfilter:10", false},
                                           TreeCase{"ribbon", "ribbonfilter:10:-1", false},
                                           TreeCase{"winnow", "winnow:10", false},
                                           TreeCase{"winnow_of_other_bits", "winnow:7.3", false},
                                           TreeCase{"by_level", kByLevel, false},
                                           TreeCase{"automatic", kAuto, false},
                                           TreeCase{"partitioned_bloom", "bloomfilter:10", true},
                                           TreeCase{"partitioned_winnow", "winnow:10", true},
                                           TreeCase{"partitioned_by_level", kByLevel, true}),
                         [](const auto& tree) { return std::string(tree.param.name); });

class AdviceTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

// Level plans go by the size ratio that the database's options have.
TEST_F(AdviceTest, TheSizeRatioIsThatOfTheDatabase) {
  Options database = MakeOptions(TableWith(kByLevel));
  database.max_bytes_for_level_multiplier = 4;
  Grow(OpenDatabase(database, folder_ / "db").get());
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  const AdviceRow& again = RowOf(advice, kByLevel);
  EXPECT_EQ(again.bytes, advice.rows.front().bytes);
  EXPECT_EQ(again.counted, advice.rows.front().counted);
  ASSERT_TRUE(again.expected);
  EXPECT_NEAR(again.expected->bytes / again.bytes, 1, 0.02);
}

// A tree under one policy tells what one under another would have.
TEST_F(AdviceTest, IsRightForPoliciesThatItHasNot) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = MixedLookups(60'000);
  const Advice advice = AdviseOn(folder_ / "db", options);
  for (const char* policy : {"winnow:10", "ribbonfilter:10:-1"}) {
    const Options other = MakeOptions(TableWith(policy));
    std::filesystem::remove_all(folder_ / "other");
    Grow(OpenDatabase(other, folder_ / "other").get());
    const AdviceRow& row = RowOf(advice, policy);
    EXPECT_EQ(row.counted, FalsePositives(other, folder_ / "other", *options.recorded)) << policy;
    EXPECT_EQ(row.bytes, AdviseOn(folder_ / "other", options).rows.front().bytes) << policy;
    ASSERT_TRUE(row.expected);
    EXPECT_NEAR(row.expected->bytes / row.bytes, 1, 0.02) << policy;
    EXPECT_NEAR(row.expected->false_reads / row.false_reads, 1, 0.2) << policy;
  }
  // Plans for the share of absent keys that the list has.
  bool has_share = false;
  for (const CandidateRow& candidate : advice.candidates) {
    has_share = has_share || candidate.policy.find("absent_share=0.8") != std::string::npos;
  }
  EXPECT_TRUE(has_share);
}

// What is promised for the tree once compacted is found after a full compaction.
TEST_F(AdviceTest, OnceCompactedItIsAsPromised) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  // Each once: a key that is asked for often makes its one answer count often.
  options.recorded = MixedLookups(60'000);
  std::sort(options.recorded->begin(), options.recorded->end());
  options.recorded->erase(std::unique(options.recorded->begin(), options.recorded->end()),
                          options.recorded->end());
  const auto lookups = static_cast<double>(options.recorded->size());
  options.policies = {"winnow:7.3"};
  const Advice advice = AdviseOn(folder_ / "db", options);
  ASSERT_EQ(advice.families.size(), 1u);
  for (const std::string policy :
       {"bloomfilter:10", "ribbonfilter:10:-1", "winnow:7.3",
        "{id=winnow;bits_per_key=10;level_plan=auto;absent_share=0.85}"}) {
    SCOPED_TRACE(policy);
    const AdviceRow& row = policy[0] == '{' ? PlanRowOf(advice) : RowOf(advice, policy);
    const Options database = MakeOptions(TableWith(row.OnePolicy()));
    std::filesystem::remove_all(folder_ / "one");
    std::filesystem::copy(folder_ / "db", folder_ / "one");
    {
      const auto db = OpenDatabase(database, folder_ / "one");
      CompactAll(db.get());
    }
    const Advice after = AdviseOn(folder_ / "one", options);
    ASSERT_EQ(after.families.front().keys_by_level.size(), 1u);
    ASSERT_TRUE(row.compacted);
    EXPECT_NEAR(static_cast<double>(advice.families.front().keys_compacted) /
                    static_cast<double>(after.keys),
                1, 0.03);
    EXPECT_NEAR(row.compacted->bytes / after.rows.front().bytes, 1, 0.04);
    const auto found =
        static_cast<double>(FalsePositives(database, folder_ / "one", *options.recorded));
    EXPECT_EQ(found, static_cast<double>(after.rows.front().counted));
    EXPECT_GT(found, 200);
    EXPECT_NEAR(row.compacted->false_reads * lookups / found, 1, 4 / std::sqrt(found));
    if (policy == "bloomfilter:10") {  // in force now, as the OPTIONS file says
      ASSERT_TRUE(advice.rows.front().compacted);
      EXPECT_EQ(advice.rows.front().compacted->false_reads, row.compacted->false_reads);
    }
  }
}

// Files of some eighty keys, whose filters are rounded to whole cache lines.
Options SmallFiles(const std::string& policy) {
  BlockBasedTableOptions table = TableWith(policy);
  table.block_size = 1 << 10;
  table.optimize_filters_for_memory = false;
  Options options = MakeOptions(table);
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.target_file_size_base = 9'500;
  return options;
}

void WriteValues(DB* db, uint64_t first, uint64_t end, uint64_t step) {
  for (uint64_t i = first; i < end; i += step) {
    ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), std::string(100, 'v')));
  }
  ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
}

TEST_F(AdviceTest, WhatIsCompactedIsTheSameOnceCompacted) {
  const Options database = SmallFiles("bloomfilter:10");
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    WriteValues(db.get(), 0, 12'000, 1);
    CompactAll(db.get());
  }
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  ASSERT_GT(advice.files, 100u);
  ASSERT_EQ(advice.families.front().keys_by_level.size(), 1u);
  for (const AdviceRow& row : advice.rows) {
    ASSERT_TRUE(row.compacted) << TitleOf(row.purpose);
    EXPECT_EQ(row.compacted->bytes, row.bytes) << TitleOf(row.purpose) << row.OnePolicy();
    EXPECT_EQ(row.compacted->false_reads, row.false_reads)
        << TitleOf(row.purpose) << row.OnePolicy();
  }
}

TEST_F(AdviceTest, OnceCompactedSmallFilesAreOfTheirSizes) {
  AdviceOptions options = Quick();
  options.lookups = 40'000;
  for (const char* policy : {"bloomfilter:10", "winnow:10"}) {
    SCOPED_TRACE(policy);
    std::filesystem::remove_all(folder_ / "db");
    const auto db = OpenDatabase(SmallFiles(policy), folder_ / "db");
    WriteValues(db.get(), 0, 12'000, 1);
    CompactAll(db.get());
    WriteValues(db.get(), 0, 12'000, 12);
    const Advice advice = AdviseOn(folder_ / "db", options);
    const AdviceRow& now = advice.rows.front();
    ASSERT_TRUE(now.compacted);
    EXPECT_GT(now.false_reads, 1.2 * now.compacted->false_reads);
    CompactAll(db.get());
    const Advice after = AdviseOn(folder_ / "db", options);
    EXPECT_NEAR(now.compacted->bytes / after.rows.front().bytes, 1, 0.02);
    const auto found = static_cast<double>(after.rows.front().counted);
    EXPECT_NEAR(now.compacted->false_reads / after.rows.front().false_reads, 1,
                4 / std::sqrt(found))
        << found;
  }
}

// A plan saves reads on levels that are no more once all is compacted.
TEST_F(AdviceTest, WhatIsRecommendedHoldsOnceCompactedOrIsWarnedOf) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
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
  EXPECT_THAT(advice.recommendation, HasSubstr("nce all is compacted into one level"));
}

// Bloom filters of a table format before 5 are others, and filters for memory are rounded.
TEST_F(AdviceTest, TheTableOptionsAreThoseOfTheDatabase) {
  for (const int format : {4, 5}) {
    std::filesystem::remove_all(folder_ / "db");
    BlockBasedTableOptions table = TableWith("bloomfilter:10");
    table.format_version = static_cast<uint32_t>(format);
    table.optimize_filters_for_memory = false;
    Grow(OpenDatabase(MakeOptions(table), folder_ / "db").get());
    const Advice advice = AdviseOn(folder_ / "db", Quick());
    const AdviceRow& again = RowOf(advice, "bloomfilter:10");
    EXPECT_EQ(again.bytes, advice.rows.front().bytes) << format;
    EXPECT_EQ(again.counted, advice.rows.front().counted) << format;
    ASSERT_TRUE(again.expected);
    EXPECT_NEAR(again.expected->bytes / again.bytes, 1, 0.02) << format;
    EXPECT_NEAR(again.expected->false_reads / again.false_reads, 1, 0.2) << format;
  }
}

// Sixty files of the same range on level 0: a lookup asks all of them.
TEST_F(AdviceTest, WhereFilesOverlapFewerLookupsDo) {
  {
    const auto db = OpenDatabase(MakeOptions(TableWith("bloomfilter:6")), folder_ / "db");
    for (uint64_t file = 0; file < 60; ++file) {
      for (uint64_t i = file; i < 30'000; i += 60) {
        ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), "value"));
      }
      ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
  }
  AdviceOptions options = Quick();
  options.most_asks = 1'000'000'000;
  const Advice all = AdviseOn(folder_ / "db", options);
  EXPECT_EQ(all.lookups_left_out, 0u);
  options.most_asks = 60 * 1'000;
  const Advice few = AdviseOn(folder_ / "db", options);
  EXPECT_NEAR(static_cast<double>(few.lookups_left_out), 19'000, 100);
  EXPECT_LE(few.lookups, 1'100u);
  EXPECT_NEAR(few.rows.front().false_reads / all.rows.front().false_reads, 1, 0.1);
  EXPECT_THAT(few.assumptions, Contains(HasSubstr("lookups were left out")));
  options.recorded = std::vector<std::string>(20'000, KeyOf(15'000) + "x");
  EXPECT_GT(AdviseOn(folder_ / "db", options).lookups_left_out, 18'000u);
}

TEST_F(AdviceTest, OutOfTimeOneFileIsTried) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.seconds = 1e-9;
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_TRUE(advice.out_of_time);
  EXPECT_EQ(advice.tried_files, 1u);
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("--seconds=1e-09 were over")));
  options.seconds = 0;
  const Advice whole = AdviseOn(folder_ / "db", options);
  EXPECT_FALSE(whole.out_of_time);
  EXPECT_EQ(whole.tried_files, whole.files);
  EXPECT_NEAR(RowOf(advice, "winnow:10").bytes / RowOf(whole, "winnow:10").bytes, 1, 0.03);
  EXPECT_NEAR(RowOf(advice, "winnow:10").false_reads / RowOf(whole, "winnow:10").false_reads, 1,
              0.3);
}

TEST(AdviseProgressTextTest, ForetellsWhatIsLeft) {
  const auto text = [](size_t done, double share, double seconds) {
    return tools::AdviseProgressText({"building filters", done, 12, share}, seconds);
  };
  EXPECT_EQ(text(0, 0, 0), "building filters: 0 of 12 files, 0 %");
  EXPECT_EQ(text(0, 0.01, 3), "building filters: 0 of 12 files, 1 %");
  EXPECT_EQ(text(3, 0.25, 4), "building filters: 3 of 12 files, 25 %, 12 s left");
  EXPECT_EQ(text(3, 0.25, 400), "building filters: 3 of 12 files, 25 %, 20 min left");
  EXPECT_EQ(text(12, 1, 400), "building filters: 12 of 12 files, 100 %");
}

TEST_F(AdviceTest, MadeUpKeysAreAbsentAndInRange) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  EXPECT_EQ(advice.absent, advice.lookups);
  EXPECT_GT(advice.lookups, 12'000u);
  EXPECT_LE(advice.lookups, 20'000u);
  // Two files on level 0, half of the range on level 1, levels 2 and 3: about 4.5 files.
  const auto none = std::find_if(advice.candidates.begin(), advice.candidates.end(),
                                 [](const auto& row) { return row.policy == "nullptr"; });
  ASSERT_NE(none, advice.candidates.end());
  EXPECT_NEAR(none->false_reads, 4.5, 0.2);
  EXPECT_NEAR(advice.rows.front().false_reads, 4.5 * 0.0096, 0.006);
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("Lookups are made up")));
  EXPECT_THAT(advice.recommendation, HasSubstr("level_plan=auto"));
  // The same seed.
  EXPECT_EQ(AdviseOn(folder_ / "db", Quick()).rows.front().counted, advice.rows.front().counted);
}

TEST_F(AdviceTest, MadeUpLookupsMayFindTheirKeys) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.absent_share = 0.25;
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_EQ(advice.lookups, 20'000u);
  EXPECT_GT(advice.absent, 2'500u);
  EXPECT_LT(advice.absent, 5'500u);
}

TEST_F(AdviceTest, ASampleIsNearTheWhole) {
  const Options database = MakeOptions(TableWith("bloomfilter:10"));
  Grow(OpenDatabase(database, folder_ / "db").get());
  const Advice whole = AdviseOn(folder_ / "db", Quick());
  ASSERT_GT(whole.files, 12u);
  EXPECT_EQ(whole.tried_files, whole.files);
  AdviceOptions options = Quick();
  options.sample_keys = whole.keys / 4;
  const Advice sample = AdviseOn(folder_ / "db", options);
  EXPECT_LT(sample.tried_files, whole.files / 2);
  EXPECT_NEAR(static_cast<double>(sample.tried_keys), static_cast<double>(options.sample_keys),
              0.5 * static_cast<double>(options.sample_keys));
  EXPECT_EQ(sample.rows.front().bytes, whole.rows.front().bytes);
  for (const char* policy : {"bloomfilter:10", "winnow:10", kByLevel}) {
    EXPECT_NEAR(RowOf(sample, policy).bytes / RowOf(whole, policy).bytes, 1, 0.02) << policy;
    EXPECT_NEAR(RowOf(sample, policy).false_reads / RowOf(whole, policy).false_reads, 1, 0.25)
        << policy;
  }
  EXPECT_THAT(sample.assumptions, Contains(HasSubstr("a sample of the files")));
  options.sample_keys = 1;
  EXPECT_EQ(AdviseOn(folder_ / "db", options).tried_files, 1u);
}

TEST_F(AdviceTest, ABudgetIsKept) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.budget_bytes = 60'000;
  const Advice advice = AdviseOn(folder_ / "db", options);
  ASSERT_EQ(advice.budget.size(), 1u);
  const AdviceRow& row = RowOf(advice, advice.budget[0].policy);
  EXPECT_NEAR(row.bytes, 60'000, 0.02 * 60'000);
  EXPECT_THAT(advice.recommendation, HasSubstr(advice.budget[0].policy));
  options.budget_bytes = 1000;
  const Advice none = AdviseOn(folder_ / "db", options);
  EXPECT_THAT(none.budget, IsEmpty());
  EXPECT_THAT(none.recommendation, HasSubstr("No: even"));
  EXPECT_GT(none.least_bytes, 1000);
}

// What formulas look through ends at 24 bits a key.
TEST_F(AdviceTest, WhatTheRestOfABudgetBuysIsNotDenied) {
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
              AllOf(HasSubstr("more than 24 bits a key"), Not(HasSubstr("buys nothing"))));
}

TEST_F(AdviceTest, WhatDoesNotFitTheBudgetIsNotKept) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:14")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.budget_bytes = 60'000;
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_GT(advice.rows.front().bytes, 60'000);
  EXPECT_THAT(advice.recommendation, AllOf(HasSubstr("But once all is compacted"),
                                           HasSubstr("which takes more than the budget"),
                                           Not(HasSubstr("keep what there is"))));
}

TEST_F(AdviceTest, WhereNothingIsAskedInVainNothingIsRecommended) {
  testing::WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "1.sst");
  AdviceOptions options = Quick();
  options.recorded = {KeyOf(3), KeyOf(4'000), "a key beyond all others"};
  options.budget_bytes = 10'000;
  std::string problem;
  const Advice advice = Advise(
      {{"", folder_ / "1.sst", std::nullopt}}, options, [](const AdviceStep&) {}, &problem);
  EXPECT_THAT(problem, IsEmpty());
  EXPECT_EQ(advice.rows.front().counted, 0u);
  EXPECT_THAT(advice.recommendation, HasSubstr("nothing to recommend"));
  EXPECT_FALSE(advice.budget_bytes);
}

TEST_F(AdviceTest, FilesWithoutFiltersAndWithVersionsAreCountedByTheirKeys) {
  Options database = MakeOptions(TableWith(""));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    const ROCKSDB_NAMESPACE::Snapshot* snapshots[3];
    for (auto& snapshot : snapshots) {  // versions stay for their sake
      for (uint64_t i = 0; i < 20'000; ++i) {
        ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), "value"));
      }
      snapshot = db->GetSnapshot();
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    for (const auto* snapshot : snapshots) db->ReleaseSnapshot(snapshot);
  }
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  EXPECT_EQ(advice.keys, 20'000);
  EXPECT_EQ(advice.rows.front().bytes, 0);
  EXPECT_NEAR(advice.rows.front().false_reads, 1, 1e-9);
  EXPECT_NEAR(RowOf(advice, "bloomfilter:10").bytes, 25'000, 200);
  EXPECT_THAT(advice.recommendation,
              AllOf(HasSubstr("no filters"), HasSubstr("filter_policy=winnow:10")));
}

// Near misses of a few prefixes' keys have these prefixes.
TEST_F(AdviceTest, OfPrefixesThatAreAllThereMadeUpLookupsTellNothing) {
  BlockBasedTableOptions table = TableWith("winnow:10");
  table.whole_key_filtering = false;
  Options database = MakeOptions(table);
  database.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(2));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), std::to_string(10 + i % 80) + KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  constexpr char kSaid[] = "nearly all have prefixes that files hold";
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  EXPECT_THAT(advice.recommendation, HasSubstr(kSaid));
  AdviceOptions budget = Quick();
  budget.budget_bytes = 1'000;
  const Advice within = AdviseOn(folder_ / "db", budget);
  EXPECT_THAT(within.recommendation, HasSubstr("of the budget"));
  EXPECT_THAT(within.assumptions, Contains(HasSubstr(kSaid)));
  // Recorded ones may well be of prefixes that are not there.
  AdviceOptions recorded = Quick();
  recorded.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) {
    recorded.recorded->push_back("5" + std::string(1, static_cast<char>('a' + i % 26)) + KeyOf(i));
  }
  const Advice told = AdviseOn(folder_ / "db", recorded);
  EXPECT_THAT(told.recommendation, Not(HasSubstr(kSaid)));
  EXPECT_THAT(told.assumptions, Not(Contains(HasSubstr(kSaid))));
}

// What a budget's split takes may be more than formulas say, and then another one is tried.
TEST_F(AdviceTest, FilesAreReadOnceHoweverOftenABudgetIsTried) {
  Options database = MakeOptions(TableWith("bloomfilter:10"));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    for (uint64_t file = 0; file < 24; ++file) {
      for (uint64_t i = file; i < 12'000; i += 24) {
        ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), "value"));
      }
      ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
  }
  int most_trials = 0;
  for (const int bytes : {12'000, 16'000, 18'000, 20'000}) {
    AdviceOptions options = Quick();
    options.lookups = 2'000;
    options.budget_bytes = bytes;
    std::map<std::string, int> begun;
    std::string problem;
    Advise(
        TablesOf(folder_ / "db"), options,
        [&begun](const AdviceStep& step) {
          begun[step.name] += step.done == 0 && step.share == 0 ? 1 : 0;
        },
        &problem);
    EXPECT_THAT(problem, IsEmpty());
    most_trials = std::max(most_trials, begun["building filters"]);
    begun.erase("building filters");
    for (const auto& [step, times] : begun) {
      EXPECT_EQ(times, 1) << step << ", " << bytes;
    }
  }
  EXPECT_GT(most_trials, 1) << "no budget had to be tried again";
}

TEST_F(AdviceTest, PrefixesAndTimestampsAreWhatFiltersHave) {
  for (const bool whole : {true, false}) {
    std::filesystem::remove_all(folder_ / "db");
    BlockBasedTableOptions table = TableWith("winnow:10");
    table.whole_key_filtering = whole;
    Options database = MakeOptions(table);
    database.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
    Grow(OpenDatabase(database, folder_ / "db").get());
    const Advice advice = AdviseOn(folder_ / "db", Quick());
    EXPECT_EQ(RowOf(advice, "winnow:10").bytes, advice.rows.front().bytes) << whole;
    // Where RocksDB 7.8 adds prefixes alone, it adds one or two too much to each filter.
    const auto counted = static_cast<double>(RowOf(advice, "winnow:10").counted);
    EXPECT_NEAR(counted / static_cast<double>(advice.rows.front().counted), 1, whole ? 0 : 0.3);
    EXPECT_EQ(std::any_of(advice.assumptions.begin(), advice.assumptions.end(),
                          [](const std::string& said) {
                            return said.find("prefixes of rocksdb.FixedPrefix") !=
                                   std::string::npos;
                          }),
              !whole);
  }
  std::filesystem::remove_all(folder_ / "db");
  Options database = MakeOptions(TableWith("winnow:10"));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Comparator::CreateFromString(
      testing::StrictConfig(), "leveldb.BytewiseComparator.u64ts", &database.comparator));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), "12345678", "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  AdviceOptions options = Quick();
  options.recorded = {KeyOf(1), KeyOf(19'999), KeyOf(5) + "x", "zzz"};
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_EQ(advice.keys, 20'000);
  EXPECT_EQ(advice.lookups, 4u);
  EXPECT_EQ(advice.absent, 2u);
  EXPECT_EQ(RowOf(advice, "winnow:10").bytes, advice.rows.front().bytes);
}

TEST_F(AdviceTest, ALastLevelWithoutFiltersIsSaidToBeOne) {
  Options database = MakeOptions(TableWith("winnow:10"));
  database.optimize_filters_for_hits = true;
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    Write(db.get(), 20'000, 1);
    MoveTo(db.get(), 3);
  }
  AdviceOptions options = Quick();
  for (const bool has_budget : {false, true}) {
    if (has_budget) options.budget_bytes = 5'000;
    const Advice advice = AdviseOn(folder_ / "db", options);
    EXPECT_EQ(advice.rows.front().bytes, 0);
    EXPECT_THAT(advice.recommendation, AllOf(HasSubstr("optimize_filters_for_hits"),
                                             ::testing::Not(HasSubstr("filter_policy="))));
    EXPECT_FALSE(advice.budget_bytes);
  }
}

TEST_F(AdviceTest, AFewLookupsTellNothing) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.lookups = 1;
  EXPECT_THAT(AdviseOn(folder_ / "db", options).recommendation,
              AllOf(HasSubstr("too few"), HasSubstr("--draws="),
                    ::testing::Not(HasSubstr("filter_policy="))));
  EXPECT_THAT(AdviseOn(folder_ / "db", Quick()).recommendation, HasSubstr("filter_policy="));
}

// As many as the message says are enough, whichever number was too few.
TEST_F(AdviceTest, TheLookupsThatAreSaidToBeEnoughAre) {
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

// Near misses of dense keys are often keys.
TEST_F(AdviceTest, LookupsThatDoNotCountAreCounted) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  const Advice advice = AdviseOn(folder_ / "db", Quick());
  EXPECT_LT(advice.lookups, 20'000u);
  EXPECT_THAT(advice.assumptions,
              Contains(HasSubstr("Of 20000 lookups to make up, " +
                                 std::to_string(20'000 - advice.lookups) + " are left away")));
}

// Files that a database in use deletes between two steps.
class GoneFilesTest : public AdviceTest {
 protected:
  // Deletes files once all lookups are asked.
  Advice AdviseWhileFilesGo(size_t left) {
    const std::vector<AdviceTable> tables = TablesOf(folder_ / "db");
    AdviceOptions options = Quick();
    options.seconds = 1e-9;
    std::string problem;
    Advice advice = Advise(
        tables, options,
        [&](const AdviceStep& step) {
          if (step.name == "building filters" && step.done == 0) {
            for (size_t i = 0; i + left < tables.size(); ++i) {
              std::filesystem::remove(tables[i].path);
            }
          }
        },
        &problem);
    EXPECT_THAT(problem, IsEmpty());
    EXPECT_GT(tables.size(), 12u);
    return advice;
  }
};

TEST_F(GoneFilesTest, AnotherFileIsTriedWhereTheFirstOneIsGone) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  EXPECT_EQ(AdviseWhileFilesGo(1).tried_files, 1u);
}

TEST_F(GoneFilesTest, WhereNothingIsBuiltItIsSaid) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  const Advice advice = AdviseWhileFilesGo(0);
  EXPECT_EQ(advice.tried_files, 0u);
  for (const AdviceRow& row : advice.rows) {
    EXPECT_FALSE(row.nanoseconds_a_key) << row.OnePolicy();
  }
  const AdviceRow& same = RowOf(advice, "bloomfilter:10");
  EXPECT_EQ(same.false_reads, advice.rows.front().false_reads);
  EXPECT_EQ(same.bytes, advice.rows.front().bytes);
  EXPECT_THAT(advice.assumptions, AllOf(Contains(HasSubstr("No filter was built")),
                                        Not(Contains(HasSubstr("for a sample of the files"))),
                                        Not(Contains(HasSubstr("Nanoseconds a key")))));
}

// The table shows what the sentence below it speaks of.
TEST_F(AdviceTest, NothingOfTheTableThatSavesIsPassedOver) {
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
      saves =
          saves || (row.bytes <= 1.005 * now.bytes && row.interval.high < 0.9 * now.false_reads);
      if (row.purpose == RowPurpose::kMemoryOfNow ||
          row.purpose == RowPurpose::kMemoryAlsoCompacted) {
        EXPECT_LE(row.bytes, 1.01 * now.bytes) << TitleOf(row.purpose);
      }
    }
    EXPECT_EQ(advice.recommendation.rfind("Keep", 0) == 0, !saves) << advice.recommendation;
  }
}

TEST_F(AdviceTest, WhyThePolicyOfNowIsNotKnownIsSaid) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  constexpr char kSaid[] = "since the policy in force is not known: ";
  EXPECT_THAT(AdviseOn(folder_ / "db", Quick()).assumptions, Not(Contains(HasSubstr(kSaid))));
  for (const bool missing : {false, true}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "db")) {
      const std::string path = entry.path();
      if (path.find("OPTIONS") != std::string::npos) {
        testing::WriteFile(path, "garbage");
        if (missing) std::filesystem::remove(path);
      }
    }
    const Advice advice = AdviseOn(folder_ / "db", Quick());
    EXPECT_FALSE(advice.rows.front().compacted) << missing;
    EXPECT_THAT(advice.assumptions, Contains(AllOf(HasSubstr(kSaid), HasSubstr("OPTIONS"))));
  }
}

TEST_F(AdviceTest, ALookupOfMergesGoesOn) {
  Options database = MakeOptions(TableWith("bloomfilter:10"));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
      testing::StrictConfig(), "stringappend", &database.merge_operator));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    // Two files on level 0 whose odd numbers are absent from the first.
    for (uint64_t i = 0; i < 20'000; i += 2) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(i < 10'000 ? db->Merge(WriteOptions(), KeyOf(i), "more")
                                  : db->Put(WriteOptions(), KeyOf(i), "new"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  AdviceOptions options = Quick();
  options.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) options.recorded->push_back(KeyOf(i));
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_EQ(advice.absent, 0u);
  EXPECT_GT(advice.rows.front().counted, 10u);
  EXPECT_EQ(advice.rows.front().counted,
            FalsePositives(database, folder_ / "db", *options.recorded));
}

TEST(DrawLookupsTest, ASeekingDrawMeetsThePlacesOfAWholeOne) {
  testing::TemporaryFolder folder;
  testing::WriteSst(TableWith("winnow:10"), 20'000, folder / "1.sst");
  for (const bool whole : {true, false}) {
    std::string error;
    DrawOptions options;
    options.lookups = 4'000;
    options.whole = whole;
    options.seed = 5;
    const std::vector<std::string> keys = DrawLookups(folder / "1.sst", options, &error).lookups;
    EXPECT_THAT(error, IsEmpty());
    ASSERT_EQ(keys.size(), 4'000u) << whole;
    const auto low = std::count_if(keys.begin(), keys.end(),
                                   [](const std::string& key) { return key < KeyOf(5'000); });
    EXPECT_NEAR(static_cast<double>(low), 1000, whole ? 150 : 400) << whole;
    EXPECT_EQ(keys, DrawLookups(folder / "1.sst", options, &error).lookups);
  }
  std::string error;
  DrawLookups(folder / "missing", {}, &error);
  EXPECT_THAT(error, HasSubstr("can't be read"));
}

TEST(FollowLookupsTest, EndWhereTheKeyIsFound) {
  const auto answers = [](std::initializer_list<FileAnswer> list) {
    std::string text;
    for (const FileAnswer answer : list) text.push_back(static_cast<char>(answer));
    return text;
  };
  FamilyLookups lookups;
  lookups.keys = {"a", "b", "c", "d"};
  const std::vector<AskedRange> ranges = {{0, 4}, {1, 4}};
  const std::vector<std::string> said = {
      answers({FileAnswer::kFound, FileAnswer::kFalse, FileAnswer::kMerge, FileAnswer::kDenied}),
      answers({FileAnswer::kFound, FileAnswer::kFalse, FileAnswer::kFalse})};
  FollowLookups(ranges, said, false, &lookups);
  EXPECT_EQ(lookups.lookups, 4u);
  EXPECT_EQ(lookups.absent, 1u);
  EXPECT_EQ(lookups.false_reads, 3u);
  EXPECT_THAT(lookups.asks[0], ::testing::ElementsAre(1, 3));
  EXPECT_THAT(lookups.asks[1], ::testing::ElementsAre(2, 3));
  EXPECT_EQ(lookups.asks_of_one, 1u);
  FollowLookups(ranges, said, true, &lookups);
  EXPECT_EQ(lookups.lookups, 1u);
  EXPECT_EQ(lookups.absent, 1u);
  EXPECT_EQ(lookups.false_reads, 1u);
  EXPECT_THAT(lookups.asks[0], ::testing::ElementsAre(3));
}

// "a" is deleted in the newer file, "b" in the older one, "c" is below all keys that are left.
TEST(FollowLookupsTest, WhatIsDeletedIsAbsentOnceAllIsOne) {
  FamilyLookups lookups;
  lookups.keys = {"a", "b", "c", "d"};
  const std::vector<AskedRange> ranges = {{0, 2}, {0, 3}};
  const auto is = [](FileAnswer answer) { return static_cast<char>(answer); };
  const std::vector<std::string> said = {
      {is(FileAnswer::kDeleted), is(FileAnswer::kFound)},
      {is(FileAnswer::kFound), is(FileAnswer::kDeleted), is(FileAnswer::kDenied)}};
  FollowLookups(ranges, said, false, &lookups);
  EXPECT_EQ(lookups.lookups, 4u);
  EXPECT_EQ(lookups.absent, 2u);
  EXPECT_EQ(lookups.asks_of_one, 2u);  // of "a" and "c"; "d" is in no range
  FollowLookups(ranges, said, true, &lookups);
  EXPECT_EQ(lookups.lookups, 2u);
  EXPECT_EQ(lookups.asks_of_one, 1u);
}

TEST(LiveShareTest, IsOfKeysThatAreLeft) {
  const auto is = [](FileAnswer answer) { return static_cast<char>(answer); };
  // Of four keys two are in both files, one of these is deleted in the newer one.
  const std::vector<AskedRange> ranges = {{0, 3}, {0, 4}};
  const std::vector<std::string> said = {
      {is(FileAnswer::kFound), is(FileAnswer::kDeleted), is(FileAnswer::kDenied)},
      {is(FileAnswer::kFound), is(FileAnswer::kFound), is(FileAnswer::kMerge),
       is(FileAnswer::kFound)}};
  EXPECT_DOUBLE_EQ(LiveShare(ranges, said, 4), (0.5 + 0 + 1 + 1) / 4);
  EXPECT_EQ(LiveShare({}, {}, 0), 1);
}

}  // namespace
}  // namespace winnow::inspect
