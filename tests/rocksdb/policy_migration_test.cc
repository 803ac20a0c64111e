// Migration of a database to Winnow and back by its OPTIONS files, as a user does it.

#include <gtest/gtest.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_migration_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::KindsOfFilters;
using testing::NewestOptionsFile;
using testing::NewestOptionsPath;
using testing::StrictConfig;
using testing::TemporaryFolder;
using testing::WriteFile;
using Kinds = std::map<std::string, int>;

constexpr uint64_t kKeys = 20000;

std::string Key(uint64_t i) { return "key" + std::to_string(1000000 + i); }

// Database that is only opened with the options in its own OPTIONS file.
class SavedDatabase {
 public:
  explicit SavedDatabase(const std::string& path) : path_(path) {}

  // Opens the database with its newest OPTIONS file. Only the statistics, which are not saved, are
  // set in code.
  void Open() {
    DBOptions options;
    std::vector<ColumnFamilyDescriptor> families;
    ASSERT_STATUS_OK(LoadLatestOptions(StrictConfig(), path_, &options, &families));
    options.statistics = ROCKSDB_NAMESPACE::CreateDBStatistics();
    statistics_ = options.statistics;
    std::vector<ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB database{};
    ASSERT_STATUS_OK(DB::Open(options, path_, families, &handles, &database));
    database_ = rocksdb_abi::Own(std::move(database));
    for (ColumnFamilyHandle* handle : handles) {
      ASSERT_STATUS_OK(database_->DestroyColumnFamilyHandle(handle));
    }
  }

  void Close() {
    ASSERT_STATUS_OK(database_->Close());
    database_.reset();
  }

  // Replaces the policy in the newest OPTIONS file, whose setting begins with `start`.
  void ChangePolicy(const std::string& start, const std::string& policy) const {
    std::string text = NewestOptionsFile(path_);
    const std::string setting = "filter_policy=";
    const size_t position = text.find(setting + start);
    ASSERT_NE(position, std::string::npos) << setting << start << " in " << text;
    text.replace(position, text.find('\n', position) - position, setting + policy);
    WriteFile(NewestOptionsPath(path_), text);
  }

  void Put(uint64_t first, uint64_t end, const std::string& value) {
    for (uint64_t i = first; i < end; ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(i), value + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  }

  void CompactBefore(uint64_t end) {
    const std::string last = Key(end - 1);
    const Slice before(last);
    ASSERT_STATUS_OK(database_->CompactRange(CompactRangeOptions(), nullptr, &before));
  }

  // Expects `value` for the keys before `changed`, `other` for the rest, and no other keys.
  void ExpectAllKeys(uint64_t changed, const std::string& value, const std::string& other) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      std::string found;
      ASSERT_STATUS_OK(database_->Get(ReadOptions(), Key(i), &found));
      ASSERT_EQ(found, (i < changed ? value : other) + std::to_string(i));
      ASSERT_TRUE(database_->Get(ReadOptions(), Key(i) + "x", &found).IsNotFound());
    }
  }

  // Returns the number of reads that filters have avoided so far.
  uint64_t Spared() const {
    return statistics_->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL);
  }

 private:
  const std::string path_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::unique_ptr<DB> database_;
};

// Writes one compacted file for each half of the keys.
void Create(const std::string& path) {
  BlockBasedTableOptions table;
  table.filter_policy = testing::MakePolicyFrom("bloomfilter:10");
  const auto database = testing::OpenDatabase(testing::MakeOptions(table), path);
  ASSERT_NE(database, nullptr);
  for (const uint64_t first : {uint64_t{0}, kKeys / 2}) {
    for (uint64_t i = first; i < first + kKeys / 2; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(i), "old" + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    const std::string begin = Key(first);
    const Slice from(begin);
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), &from, nullptr));
  }
  ASSERT_STATUS_OK(database->Close());
}

TEST(PolicyMigrationTest, SavedOptionsLeadToWinnowAndBack) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const TemporaryFolder folder;
  const std::string path = folder / "database";
  ASSERT_NO_FATAL_FAILURE(Create(path));
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"built-in bloom", 2}}));
  SavedDatabase database(path);

  // Winnow uses the built-in policy's filters of existing files.
  ASSERT_NO_FATAL_FAILURE(database.ChangePolicy("bloomfilter:10:", "winnow:10"));
  ASSERT_NO_FATAL_FAILURE(database.Open());
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(0, "", "old"));
  EXPECT_GT(database.Spared(), kKeys * 95 / 100);
  ASSERT_NO_FATAL_FAILURE(database.Put(0, kKeys / 2, "new"));
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"built-in bloom", 2}, {"winnow ribbon", 1}}));
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(kKeys / 2, "new", "old"));
  ASSERT_NO_FATAL_FAILURE(database.CompactBefore(kKeys / 2));
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"built-in bloom", 1}, {"winnow ribbon", 1}}));
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(kKeys / 2, "new", "old"));
  ASSERT_NO_FATAL_FAILURE(database.Close());

  // Reopens with the OPTIONS file that has Winnow's policy.
  ASSERT_NO_FATAL_FAILURE(database.Open());
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(kKeys / 2, "new", "old"));
  EXPECT_GT(database.Spared(), kKeys * 95 / 100);
  ASSERT_NO_FATAL_FAILURE(database.Close());

  // The built-in policy treats Winnow's filters as "may match" until the files are compacted.
  ASSERT_NO_FATAL_FAILURE(database.ChangePolicy("{id=winnow.Filter;", "bloomfilter:10"));
  ASSERT_NO_FATAL_FAILURE(database.Open());
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(kKeys / 2, "new", "old"));
  EXPECT_LT(database.Spared(), kKeys * 51 / 100);
  ASSERT_NO_FATAL_FAILURE(database.Put(0, kKeys / 2, "last"));
  ASSERT_NO_FATAL_FAILURE(database.CompactBefore(kKeys / 2));
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"built-in bloom", 2}}));
  ASSERT_NO_FATAL_FAILURE(database.Close());
  ASSERT_NO_FATAL_FAILURE(database.Open());
  ASSERT_NO_FATAL_FAILURE(database.ExpectAllKeys(kKeys / 2, "last", "old"));
  EXPECT_GT(database.Spared(), kKeys * 95 / 100);
  ASSERT_NO_FATAL_FAILURE(database.Close());
}

}  // namespace policy_migration_test
}  // namespace winnow::plugin
