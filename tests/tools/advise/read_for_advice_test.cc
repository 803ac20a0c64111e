// Reading of files for advice: keys, and the number of lookups per file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace read_for_advice_test {

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
  const Advice all = AdviseOnIt(options);
  EXPECT_EQ(all.lookups_left_out, 0u);
  options.most_asks = 60 * 1'000;
  const Advice few = AdviseOnIt(options);
  EXPECT_NEAR(static_cast<double>(few.lookups_left_out), 19'000, 100);
  EXPECT_LE(few.lookups, 1'100u);
  EXPECT_NEAR(few.rows.front().false_reads / all.rows.front().false_reads, 1, 0.1);
  options.recorded = std::vector<std::string>(20'000, KeyOf(15'000) + "x");
  EXPECT_GT(AdviseOnIt(options).lookups_left_out, 18'000u);
}

// Keys of the other files are drawn by seeks, and their totals are extrapolated.
TEST_F(ReadForAdviceTest, ASampleIsNearTheWhole) {
  Make("");
  const Advice whole = AdviseOnIt(Quick());
  ASSERT_GT(whole.files, 12u);
  for (const uint64_t keys : {whole.keys / 4, uint64_t{1}}) {
    AdviceOptions options = Quick();
    options.sample_keys = keys;
    const Advice sample = AdviseOnIt(options);
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
  const Advice advice = AdviseOnIt(Quick());
  EXPECT_EQ(advice.keys, 20'000);
  EXPECT_EQ(advice.rows.front().bytes, 0);
  EXPECT_NEAR(advice.rows.front().false_reads, 1, 1e-9);
  EXPECT_NEAR(RowOf(advice, "bloomfilter:10").bytes, 25'000, 200);
  EXPECT_THAT(advice.verdict.says,
              ::testing::AllOf(HasSubstr("no filters"), HasSubstr("filter_policy=winnow:10")));
}

}  // namespace read_for_advice_test
}  // namespace winnow::inspect
