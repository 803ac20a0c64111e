#include "tools/winnow/verify/verify_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table_properties.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/sst/internal_keys.h"
#include "src/sst/sst_filters.h"
#include "tests/support/files.h"
#include "tests/support/hex.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/range_of_table.h"
#include "tests/tools/forgetful_policy.h"
#include "tests/tools/tool_testing.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace verify_file_test {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FlipBits;
using ::testing::HasSubstr;
using testing::Hex;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::kRangePolicy;
using testing::MakeOptions;
using testing::MakeWithRangeFilter;
using testing::PlaceOfFilter;
using testing::ReadFile;
using testing::TableOf;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

// Policies that build all kinds of filters.
const char* const kPolicies[] = {
    "winnow:10",
    "{id=winnow;bloom_before_level=2147483647}",
    "{id=winnow;bits_per_key=10;ribbon_min_keys=1}",
    "bloomfilter:10",
    "ribbonfilter:10:-1",
};

class VerifyFileTest : public ::testing::Test {
 protected:
  // RocksDB's estimate for legacy Bloom filters is too high if they are small.
  void ExpectGood(const std::string& path, uint64_t keys, const std::string& what,
                  bool legacy = false) {
    const FileVerdict verdict = VerifyFile(path, {});
    EXPECT_FALSE(verdict.error) << what << ": " << *verdict.error;
    EXPECT_THAT(verdict.faults, IsEmpty()) << what;
    EXPECT_THAT(verdict.remarks, IsEmpty()) << what;
    EXPECT_EQ(verdict.false_negatives, 0u) << what;
    EXPECT_GE(verdict.keys, keys) << what;
    EXPECT_EQ(verdict.samples, 10'000u) << what;
    ASSERT_TRUE(verdict.measured_fpr && verdict.expected_fpr) << what;
    const double expected = *verdict.expected_fpr * 10'000;
    const double positives = static_cast<double>(verdict.false_positives);
    const double chance = 5 * std::sqrt(expected) + 1;
    EXPECT_LT(positives, expected + chance) << what;
    EXPECT_GT(positives, legacy ? expected / 10 : expected - chance) << what;
    EXPECT_LE(verdict.interval.low, *verdict.measured_fpr) << what;
    EXPECT_GT(verdict.interval.high, *verdict.measured_fpr) << what;
  }

  // Verifies the first SST file of the database.
  FileVerdict VerifyDatabase() { return VerifyFile(testing::SstFilesIn(folder_ / "db").at(0), {}); }

  // Returns options of a table without checksums, which would cover damage.
  static BlockBasedTableOptions Unchecked(const std::string& policy, bool partitioned = false) {
    BlockBasedTableOptions table = TableOf(policy, partitioned);
    table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
    return table;
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "a.sst";
};

TEST_F(VerifyFileTest, GoodFilesOfAllKindsAreGood) {
  for (const char* policy : kPolicies) {
    for (const uint64_t keys : {100, 20'000}) {
      WriteSst(TableWith(policy), keys, path_);
      ExpectGood(path_, keys, policy);
    }
    for (const uint32_t version : {2, 3, 4, 5}) {
      BlockBasedTableOptions table = testing::PartitionedTableWith(policy);
      table.format_version = version;
      WriteSst(table, 20'000, path_);
      ExpectGood(path_, 20'000, policy, /*legacy=*/version < 5);
      EXPECT_GT(VerifyFile(path_, {}).partitions, 10) << policy;
    }
  }
}

TEST_F(VerifyFileTest, ALostKeyIsNamed) {
  for (const char* policy : kPolicies) {
    for (const bool partitioned : {false, true}) {
      BlockBasedTableOptions table = TableOf(policy, partitioned);
      table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, KeyOf(12'345));
      WriteSst(table, 20'000, path_);
      const FileVerdict verdict = VerifyFile(path_, {});
      EXPECT_FALSE(verdict.error) << policy;
      EXPECT_EQ(verdict.false_negatives, 1u) << policy;
      ASSERT_EQ(verdict.denied.size(), 1u) << policy;
      EXPECT_EQ(verdict.denied[0].bytes, KeyOf(12'345));
      EXPECT_EQ(verdict.denied[0].partition.has_value(), partitioned);
      ASSERT_EQ(verdict.faults.size(), 1u) << policy;
      EXPECT_THAT(verdict.faults[0], ::testing::HasSubstr("the key 0x" + Hex(KeyOf(12'345))));
      EXPECT_FALSE(verdict.ok());
    }
  }
}

TEST_F(VerifyFileTest, ALostPrefixIsNamed) {
  for (const bool partitioned : {false, true}) {
    BlockBasedTableOptions table = TableOf("winnow:10", partitioned);
    table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, KeyOf(50'000).substr(0, 8));
    table.whole_key_filtering = false;
    Options options = MakeOptions(table);
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
    WriteSst(options, 100'000, path_);
    const FileVerdict verdict = VerifyFile(path_, {});
    EXPECT_GE(verdict.false_negatives, 1u);
    ASSERT_FALSE(verdict.denied.empty());
    EXPECT_EQ(verdict.denied[0].bytes, KeyOf(50'000).substr(0, 8));
    EXPECT_TRUE(verdict.denied[0].is_prefix);
  }
}

// golden_outputs_test has range filters beside filters of whole keys.
TEST_F(VerifyFileTest, RangeFiltersAreAskedForEveryKey) {
  for (const bool partitioned : {false, true}) {
    BlockBasedTableOptions table = TableOf(kRangePolicy, partitioned);
    table.whole_key_filtering = false;
    fs::remove_all(folder_ / "db");
    MakeWithRangeFilter(folder_ / "db", table, {20'000, 0, 3});
    const FileVerdict verdict = VerifyDatabase();
    EXPECT_TRUE(verdict.ok());
    ASSERT_TRUE(verdict.range) << partitioned;
    EXPECT_EQ(verdict.range->keys, (20'000u + 2) / 3);
    EXPECT_EQ(verdict.range->false_negatives, 0u);
    EXPECT_EQ(verdict.partitions > 1, partitioned);
  }
}

TEST_F(VerifyFileTest, AKeyThatARangeFilterDeniesIsNamed) {
  for (const bool partitioned : {false, true}) {
    BlockBasedTableOptions table = TableOf(kRangePolicy, partitioned);
    // The policy learns the key order from another database.
    fs::remove_all(folder_ / "own");
    fs::remove_all(folder_ / "db");
    MakeWithRangeFilter(folder_ / "own", table, {1});
    table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, KeyOf(4'002));
    MakeWithRangeFilter(folder_ / "db", table, {20'000, 0, 3});
    const FileVerdict verdict = VerifyDatabase();
    ASSERT_TRUE(verdict.range);
    EXPECT_EQ(verdict.range->false_negatives, 1u);
    ASSERT_EQ(verdict.range->denied.size(), 1u);
    EXPECT_EQ(verdict.range->denied[0].bytes, KeyOf(4'002));
    EXPECT_EQ(verdict.range->denied[0].partition.has_value(), partitioned);
    EXPECT_THAT(verdict.faults,
                Contains(AllOf(HasSubstr("the range filter denies 1 of the 6667 keys of the file"),
                               HasSubstr(Hex(KeyOf(4'002))))));
  }
}

TEST_F(VerifyFileTest, ADamagedRangeFilterIsAFault) {
  const BlockBasedTableOptions table = Unchecked(kRangePolicy);
  MakeWithRangeFilter(folder_ / "db", table, {20'000, 0, 3});
  const std::string path = testing::SstFilesIn(folder_ / "db").at(0);
  const auto [place, bytes] = PlaceOfFilter(path);
  const std::string block = ReadFile(path).substr(place, bytes);
  FlipBits(path, place + bytes - testing::RangeFilterOfTable(block).size() / 2, 8);
  EXPECT_THAT(VerifyFile(path, {}).faults, Contains(HasSubstr("and so is its range filter")));
}

// A key that its own partition rejects must not be found in another one, which may contain it by
// chance or, as here, actually.
TEST_F(VerifyFileTest, OnlyTheKeysOwnPartitionCounts) {
  const BlockBasedTableOptions table = Unchecked("winnow:10", true);
  WriteSst(table, 20'000, path_);
  std::string error;
  const std::vector<std::string> blocks = ReadFilterBlocks(path_, &error);
  ASSERT_GT(blocks.size(), 10u) << error;
  // Exchanges two partitions of equal size.
  size_t one = 0, other = 1;
  while (one + 1 < blocks.size() && blocks[one].size() != blocks[other].size()) {
    if (++other == blocks.size()) other = ++one + 1;
  }
  ASSERT_LT(other, blocks.size());
  std::string bytes = ReadFile(path_);
  const size_t first = bytes.find(blocks[one]);
  const size_t second = bytes.find(blocks[other]);
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(second, std::string::npos);
  bytes.replace(first, blocks[one].size(), blocks[other]);
  bytes.replace(second, blocks[one].size(), blocks[one]);
  WriteFile(path_, bytes);
  const FileVerdict verdict = VerifyFile(path_, {});
  EXPECT_FALSE(verdict.error);
  EXPECT_GT(verdict.false_negatives, 500u);
}

// No checksum covers the filter, whose marker byte is of an unknown kind.
TEST_F(VerifyFileTest, AFilterThatNeverDeniesIsAFaultAndOneOfAnUnknownKindIsNotVerified) {
  for (const char* policy : {"winnow:10", "bloomfilter:10", "ribbonfilter:10:-1"}) {
    const BlockBasedTableOptions table = Unchecked(policy);
    WriteSst(table, 5'000, path_);
    const auto [place, size] = PlaceOfFilter(path_);
    const std::string good = ReadFile(path_);
    const auto verify_with = [&, place = place, size = size](char byte) {
      std::string bytes = good;
      bytes.replace(place, size, size, byte);
      WriteFile(path_, bytes);
      return VerifyFile(path_, {});
    };
    const FileVerdict zeroed = verify_with('\0');
    EXPECT_FALSE(zeroed.error) << policy;
    EXPECT_THAT(zeroed.faults, ElementsAre(HasSubstr("for every key"))) << policy;
    const FileVerdict unknown = verify_with('\x90');
    ASSERT_TRUE(unknown.error) << policy;
    EXPECT_THAT(*unknown.error, HasSubstr("can't be verified")) << policy;
    EXPECT_THAT(unknown.faults, IsEmpty()) << policy;
  }
}

TEST_F(VerifyFileTest, PropertiesThatAreGoneAreAFault) {
  const BlockBasedTableOptions table = Unchecked("winnow:10");
  WriteSst(table, 5'000, path_);
  // The end of "rocksdb.filter.size", which shares "rocksdb.filter." with the preceding name,
  // becomes "sizf", which is still sorted.
  FlipBits(path_, ReadFile(path_).find("\x0f\x04\x02size") + 6, 'e' ^ 'f');
  EXPECT_THAT(VerifyFile(path_, {}).faults, ElementsAre(HasSubstr("properties say nothing")));
}

// RocksDB opens the file nevertheless.
TEST_F(VerifyFileTest, AFileWithoutPropertiesIsNotRead) {
  const BlockBasedTableOptions table = Unchecked("winnow:10");
  WriteSst(table, 5'000, path_);
  FlipBits(path_, ReadFile(path_).rfind("rocksdb.properties") + 17, 's' ^ 't');
  const FileVerdict verdict = VerifyFile(path_, {});
  ASSERT_TRUE(verdict.error);
  EXPECT_THAT(*verdict.error, HasSubstr("no properties"));
  EXPECT_TRUE(ReadSst(path_).error);
  std::unique_ptr<InternalKeys> keys;
  EXPECT_FALSE(InternalKeys::Open(path_, ROCKSDB_NAMESPACE::BytewiseComparator(), &keys).ok());
}

// The rate equals that of a Bloom filter with half the bits per key.
TEST_F(VerifyFileTest, ATooHighRateIsAFault) {
  const BlockBasedTableOptions table = Unchecked("bloomfilter:10");
  WriteSst(table, 20'000, path_);
  const auto [place, size] = PlaceOfFilter(path_);
  std::string bytes = ReadFile(path_);
  for (size_t i = place; i < place + size - 5; ++i) bytes[i] = static_cast<char>(bytes[i] | 0x11);
  WriteFile(path_, bytes);
  const FileVerdict verdict = VerifyFile(path_, {});
  EXPECT_EQ(verdict.false_negatives, 0u);
  ASSERT_EQ(verdict.faults.size(), 1u);
  EXPECT_THAT(verdict.faults[0], HasSubstr("of absent keys"));
  EXPECT_GT(*verdict.measured_fpr, 2 * *verdict.expected_fpr);
  EXPECT_TRUE(VerifyFile(path_, {/*samples=*/0}).ok());
}

TEST_F(VerifyFileTest, DeletionsAndMergesAreAskedToo) {
  for (const std::string forgotten : {"deleted", "merged"}) {
    fs::remove_all(folder_ / "db");
    BlockBasedTableOptions table = TableWith("winnow:16");
    table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, forgotten);
    Options options = MakeOptions(table);
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
        testing::StrictConfig(), "stringappend", &options.merge_operator));
    {
      const auto database = testing::OpenDatabase(options, folder_ / "db");
      ASSERT_STATUS_OK(database->Put(WriteOptions(), "a", "value"));
      ASSERT_STATUS_OK(database->Delete(WriteOptions(), "deleted"));
      ASSERT_STATUS_OK(database->Merge(WriteOptions(), "merged", "value"));
      ASSERT_STATUS_OK(
          database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), "x", "z"));
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    const FileVerdict verdict = VerifyDatabase();
    EXPECT_EQ(verdict.entries, 3u);
    EXPECT_EQ(verdict.false_negatives, 1u);
    ASSERT_EQ(verdict.faults.size(), 1u);
    EXPECT_EQ(verdict.denied.at(0).bytes, forgotten);
  }
}

// Versions of one key are in several blocks, so that the index needs sequence numbers.
TEST_F(VerifyFileTest, VersionsInSeveralPartitionsAreFound) {
  BlockBasedTableOptions table = testing::PartitionedTableWith("winnow:10");
  table.metadata_block_size = 64;
  table.block_size = 256;
  Options options = MakeOptions(table);
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(4));
  {
    const auto database = testing::OpenDatabase(options, folder_ / "db");
    std::vector<const ROCKSDB_NAMESPACE::Snapshot*> snapshots;
    for (int version = 0; version < 400; ++version) {
      for (const char* key : {"many versions", "many verticals"}) {
        ASSERT_STATUS_OK(database->Put(WriteOptions(), key, std::string(50, 'v')));
      }
      ASSERT_STATUS_OK(database->Put(WriteOptions(), KeyOf(static_cast<uint64_t>(version)), "v"));
      snapshots.push_back(database->GetSnapshot());
    }
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    for (const auto* snapshot : snapshots) {
      database->ReleaseSnapshot(snapshot);
    }
  }
  const FileVerdict verdict = VerifyDatabase();
  EXPECT_FALSE(verdict.error);
  EXPECT_THAT(verdict.faults, IsEmpty());
  EXPECT_EQ(verdict.entries, 1'200u);
  EXPECT_GT(verdict.partitions, 2);
}

// RocksDB before 6.2.4 did not add this prefix, and no property states which version wrote a file.
TEST_F(VerifyFileTest, TheFirstPrefixIsAskedInThePartitionBeforeWhereNewerVersionsBuiltIt) {
  const BlockBasedTableOptions table = Unchecked("winnow:10", true);
  Options options = MakeOptions(table);
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(10));
  WriteSst(options, 20'000, path_);
  const FileVerdict newer = VerifyFile(path_, {});
  EXPECT_TRUE(newer.ok());
  // A renamed property counts as missing.
  FlipBits(path_, ReadFile(path_).find("session.identity"), 's' ^ 't');
  const FileVerdict older = VerifyFile(path_, {});
  EXPECT_TRUE(older.ok());
  EXPECT_EQ(older.partitions, newer.partitions);
  EXPECT_LT(older.keys, newer.keys);
  EXPECT_GT(older.keys + static_cast<uint64_t>(newer.partitions), newer.keys);
}

// Comparator of a database with persist_user_defined_timestamps=false: its name implies timestamps,
// but keys have none.
class NameOfTimestamps final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  const char* Name() const override { return "leveldb.BytewiseComparator.u64ts"; }
  int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class NoTimestampsProperty final : public ROCKSDB_NAMESPACE::TablePropertiesCollector {
 public:
  using Properties = ROCKSDB_NAMESPACE::UserCollectedProperties;
  const char* Name() const override { return "NoTimestampsProperty"; }
  ROCKSDB_NAMESPACE::Status Finish(Properties* properties) override {
    (*properties)["rocksdb.user.defined.timestamps.persisted"] = std::string(1, 0);
    return ROCKSDB_NAMESPACE::Status::OK();
  }
  Properties GetReadableProperties() const override { return {}; }
};

class NoTimestampsPropertyFactory final
    : public ROCKSDB_NAMESPACE::TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "NoTimestampsPropertyFactory"; }
  ROCKSDB_NAMESPACE::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new NoTimestampsProperty;
  }
};

TEST_F(VerifyFileTest, TimestampsThatWereNotKeptAreNotLeftOut) {
  const NameOfTimestamps comparator;
  for (const bool partitioned : {false, true}) {
    Options options = MakeOptions(TableOf("winnow:10", partitioned));
    options.comparator = &comparator;
    WriteSst(options, 20'000, path_);
    EXPECT_FALSE(VerifyFile(path_, {}).ok()) << "nothing says that there are none";
    options.table_properties_collector_factories.push_back(
        std::make_shared<NoTimestampsPropertyFactory>());
    WriteSst(options, 20'000, path_);
    ExpectGood(path_, 20'000, partitioned ? "partitioned" : "whole");
  }
}

// A program passes a policy that another database has validated to an open database.
TEST_F(VerifyFileTest, ARangeFilterOfKeysInAnotherOrderIsAFault) {
  const NameOfTimestamps comparator;
  const BlockBasedTableOptions table = TableWith(kRangePolicy);
  Options options = MakeOptions(table);
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::SliceTransform::CreateFromString(
      testing::StrictConfig(), "winnow.range", &options.prefix_extractor));
  const auto bytewise = testing::OpenDatabase(options, folder_ / "bytewise");
  options.comparator = &comparator;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(TableWith("winnow:10")));
  const auto database = testing::OpenDatabase(options, folder_ / "db");
  options.table_factory->GetOptions<BlockBasedTableOptions>()->filter_policy = table.filter_policy;
  testing::PutAndFlush(database.get(), {1'000});
  const FileVerdict verdict = VerifyDatabase();
  EXPECT_THAT(verdict.faults, Contains(HasSubstr("and not by their bytes: scans may miss")));
}

TEST_F(VerifyFileTest, ProgressIsTold) {
  WriteSst(TableWith("winnow:10"), 200'000, path_);
  std::vector<double> shares;
  VerifyFile(path_, {}, [&shares](uint64_t, double share) { shares.push_back(share); });
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_NEAR(shares[2], 3 * 65'536 / 200'000.0, 1e-6);
}

}  // namespace verify_file_test
}  // namespace winnow::inspect
