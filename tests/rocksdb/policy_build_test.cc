// Option `build`: a policy that reads Winnow's filters and builds RocksDB's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_build_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::TemporaryFolder;
using Kinds = std::map<std::string, int>;

constexpr uint64_t kKeys = 20000;
constexpr char kReads[] = "{id=winnow;bits_per_key=10;build=bloomfilter}";

std::string Key(uint64_t i) { return "key" + std::to_string(1000000 + i); }

class PolicyBuildTest : public ::testing::Test {
 protected:
  PolicyBuildTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  void Open(const std::string& policy) {
    BlockBasedTableOptions table;
    table.optimize_filters_for_memory = false;
    table.format_version = 5;
    if (policy != "none") {
      table.filter_policy = MakePolicyFrom(policy);
    }
    options_ = MakeOptions(table);
    database_.reset();
    database_ = OpenDatabase(options_, path_);
    ASSERT_NE(database_, nullptr);
  }

  void WriteAll() {
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(i), "value" + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    CompactRangeOptions all;  // forced, since an unchanged file would be a trivial move
    all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database_->CompactRange(all, nullptr, nullptr));
  }

  // Returns the number of data blocks read for kKeys absent keys. Expects to find all present keys.
  uint64_t BlocksReadForAbsentKeys() {
    std::string value;
    const auto count = [this] { return testing::DataBlocksRead(*options_.statistics); };
    for (uint64_t i = 0; i < kKeys; ++i) {
      const Status status = database_->Get(ReadOptions(), Key(i), &value);
      EXPECT_TRUE(status.ok()) << Key(i) << " " << status.ToString();
    }
    const uint64_t before = count();
    for (uint64_t i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(database_->Get(ReadOptions(), Key(i) + "x", &value).IsNotFound()) << Key(i);
    }
    return count() - before;
  }

  std::string Log() const { return ReadFile(path_ + "/LOG"); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  Options options_;
  std::unique_ptr<DB> database_;
};

TEST_F(PolicyBuildTest, StockRocksDBReadsTheFilesAtItsUsualCost) {
  const struct {
    const char* stock;
    const char* ours;
    const char* kind;
  } cases[] = {
      {"bloomfilter:10", kReads, "built-in bloom"},
      {"ribbonfilter:10:-1", "{id=winnow;bits_per_key=10;bloom_before_level=-1;build=ribbonfilter}",
       "built-in ribbon"},
  };
  for (const auto& [stock, ours, kind] : cases) {
    std::map<std::string, std::map<std::string, uint64_t>> blocks;  // keyed by builder and reader
    for (const std::string builder : {stock, ours}) {
      Open(builder);
      WriteAll();
      EXPECT_EQ(KindsOfFilters(path_), (Kinds{{kind, 1}})) << builder;
      if (builder == ours) {
        EXPECT_EQ(testing::ReadFilters(path_).at(0).policy_name, "winnow.Filter");
      }
      for (const std::string reader : {stock, ours, "none"}) {
        Open(reader);
        blocks[builder][reader] = BlocksReadForAbsentKeys();
      }
      database_.reset();
      ASSERT_STATUS_OK(DestroyDB(path_, Options()));
    }
    EXPECT_GT(blocks[stock][stock], 0u);
    EXPECT_LT(blocks[stock][stock], kKeys * 2 / 100);
    EXPECT_EQ(blocks[ours], blocks[stock]);
    EXPECT_EQ(blocks[stock][ours], blocks[stock][stock]);
    // A RocksDB that has dropped the policy uses no filters at all.
    EXPECT_GT(blocks[ours]["none"], kKeys * 95 / 100);
  }
}

TEST_F(PolicyBuildTest, WinnowsFiltersOfOldFilesStayInUse) {
  Open("winnow:10");
  WriteAll();
  const uint64_t ours = BlocksReadForAbsentKeys();
  EXPECT_LT(ours, kKeys * 2 / 100);
  Open(kReads);
  EXPECT_EQ(BlocksReadForAbsentKeys(), ours);
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"winnow ribbon", 1}}));
  // RocksDB alone cannot use these filters, which is why all readers should be upgraded first.
  Open("bloomfilter:10");
  EXPECT_GT(BlocksReadForAbsentKeys(), kKeys * 95 / 100);
}

TEST_F(PolicyBuildTest, TheNextFileFollowsWhenItIsChanged) {
  const char* const ways[] = {"table_factory.filter_policy.build",
                              "block_based_table_factory.filter_policy.build"};
  Open(std::string("winnow:10"));
  for (const char* way : ways) {
    for (const auto& [build, kind] :
         std::map<std::string, std::string>{{"bloomfilter", "built-in bloom"},
                                            {"ribbonfilter", "built-in ribbon"},
                                            {"winnow", "winnow ribbon"}}) {
      ASSERT_STATUS_OK(database_->SetOptions({{way, build}}));
      WriteAll();
      EXPECT_EQ(KindsOfFilters(path_), (Kinds{{kind, 1}})) << way;
      EXPECT_LT(BlocksReadForAbsentKeys(), kKeys * 2 / 100);
    }
  }
  ASSERT_STATUS_OK(database_->SetOptions(
      {{"block_based_table_factory", "{filter_policy={build=bloomfilter;bits_per_key=12}}"}}));
  WriteAll();
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"built-in bloom", 1}}));
  EXPECT_THAT(Log(), HasSubstr("which builds RocksDB's bloomfilter:12 "));
  // The policy can be replaced from RocksDB 9.8.
  const Status replaced = database_->SetOptions(
      {{"block_based_table_factory", "{filter_policy={id=winnow;build=ribbonfilter}}"}});
  EXPECT_EQ(replaced.ok(), WINNOW_ROCKSDB_AT_LEAST(9, 8)) << replaced.ToString();
  WriteAll();
  EXPECT_EQ(KindsOfFilters(path_),
            (Kinds{{replaced.ok() ? "built-in ribbon" : "built-in bloom", 1}}));
}

}  // namespace policy_build_test
}  // namespace winnow::plugin
