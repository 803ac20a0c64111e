// Reading of files for advice: keys, prefixes and timestamps, and the number of lookups per file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"
#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {
namespace read_for_advice_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class ReadForAdviceTest : public AdvisedDatabase {};

// A lookup checks all sixty files on level 0, since their ranges are equal.
TEST_F(ReadForAdviceTest, WhereFilesOverlapFewerLookupsDo) {
  {
    const auto db = OpenDatabase(MakeOptions(TableWith("bloomfilter:6")), folder_ / "db");
    for (uint64_t file = 0; file < 60; ++file) {
      PutAndFlush(db.get(), {30'000, file, 60});
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

// Keys of the other files are drawn by seeks, and their totals are extrapolated.
TEST_F(ReadForAdviceTest, ASampleIsNearTheWhole) {
  Grow(OpenDatabase(MakeOptions(TableWith("")), folder_ / "db").get());
  const Advice whole = AdviseOn(folder_ / "db", Quick());
  ASSERT_GT(whole.files, 12u);
  for (const uint64_t keys : {whole.keys / 4, uint64_t{1}}) {
    AdviceOptions options = Quick();
    options.sample_keys = keys;
    const Advice sample = AdviseOn(folder_ / "db", options);
    for (const char* policy : {"bloomfilter:10", "winnow:10"}) {
      EXPECT_NEAR(RowOf(sample, policy).bytes / RowOf(whole, policy).bytes, 1, 0.02) << policy;
      EXPECT_NEAR(RowOf(sample, policy).false_reads / RowOf(whole, policy).false_reads, 1, 0.25)
          << policy;
    }
  }
}

TEST_F(ReadForAdviceTest, FilesWithoutFiltersAndWithVersionsAreCountedByTheirKeys) {
  Options database = MakeOptions(TableWith(""));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    const ROCKSDB_NAMESPACE::Snapshot* snapshots[3];
    for (auto& snapshot : snapshots) {  // keeps several versions of a key
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

TEST_F(ReadForAdviceTest, PrefixesAndTimestampsAreWhatFiltersHave) {
  for (const bool whole : {true, false}) {
    std::filesystem::remove_all(folder_ / "db");
    BlockBasedTableOptions table = TableWith(kUniform);
    table.whole_key_filtering = whole;
    Options database = MakeOptions(table);
    database.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
    Grow(OpenDatabase(database, folder_ / "db").get());
    AdviceOptions options = Quick();
    options.policies = {kUniform};
    const Advice advice = AdviseOn(folder_ / "db", options);
    const AdviceRow& now = advice.rows.front();
    EXPECT_NEAR(RowOf(advice, kUniform).bytes / now.bytes, 1, 0.02) << whole;
    EXPECT_NEAR(RowOf(advice, kUniform).false_reads / now.false_reads, 1,
                0.05 + 4 / std::sqrt(static_cast<double>(*now.counted)))
        << whole;
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
  EXPECT_NEAR(RowOf(advice, "winnow:10").bytes / advice.rows.front().bytes, 1, 0.02);
}

}  // namespace read_for_advice_test
}  // namespace winnow::inspect
