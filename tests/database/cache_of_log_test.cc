#include "src/database/cache_of_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::inspect {
namespace cache_of_log_test {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::Options;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::TemporaryFolder;
using testing::WriteFile;

constexpr char kDefault[] = "default";

BlockBasedTableOptions TableWithCache(size_t capacity) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(capacity, /*num_shard_bits=*/2);
  return table;
}

void OpenAndClose(const std::string& path, const BlockBasedTableOptions& table) {
  ASSERT_NE(OpenDatabase(MakeOptions(table), path), nullptr);
}

// Returns the capacity in the LOG of the folder, or 0 if it has none.
uint64_t Capacity(const std::string& folder, const std::string& family = kDefault) {
  const std::optional<LoggedCache> cache = CacheOfLog(folder, family);
  return cache ? cache->capacity : 0;
}

TEST(CacheOfLogTest, TellsCacheAndOptionsOfADatabase) {
  const TemporaryFolder folder;
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(123456789, /*num_shard_bits=*/3, /*strict_capacity_limit=*/true,
                                  /*high_pri_pool_ratio=*/0.25);
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.cache_index_and_filter_blocks_with_high_priority = false;
  table.pin_top_level_index_and_filter = false;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.block_size = 12345;
  table.metadata_block_size = 54321;
  table.prepopulate_block_cache = BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  OpenAndClose(folder.path(), table);
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->kind, "LRUCache");
  EXPECT_EQ(cache->capacity, 123456789);
  EXPECT_EQ(cache->num_shard_bits, 3);
  EXPECT_TRUE(cache->strict_capacity_limit);
  EXPECT_EQ(cache->high_pri_pool_ratio, 0.25);
  EXPECT_FALSE(cache->has_secondary_cache);
  EXPECT_THAT(cache->shared_with, IsEmpty());
  EXPECT_FALSE(cache->no_block_cache);
  EXPECT_TRUE(cache->cache_index_and_filter_blocks);
  EXPECT_FALSE(cache->cache_index_and_filter_blocks_with_high_priority);
  EXPECT_TRUE(cache->pin_l0_filter_and_index_blocks_in_cache);
  EXPECT_FALSE(cache->pin_top_level_index_and_filter);
  EXPECT_TRUE(cache->partition_filters);
  EXPECT_EQ(cache->block_size, 12345);
  EXPECT_EQ(cache->metadata_block_size, 54321);
  EXPECT_EQ(cache->prepopulate_block_cache, 1);
}

TEST(CacheOfLogTest, TellsDefaultsOfRocksDb) {
  const TemporaryFolder folder;
  OpenAndClose(folder.path(), BlockBasedTableOptions());
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  const BlockBasedTableOptions defaults;
  EXPECT_FALSE(cache->kind.empty());
  EXPECT_GE(cache->capacity, uint64_t{8} << 20);
  EXPECT_EQ(cache->cache_index_and_filter_blocks, defaults.cache_index_and_filter_blocks);
  EXPECT_EQ(cache->cache_index_and_filter_blocks_with_high_priority,
            defaults.cache_index_and_filter_blocks_with_high_priority);
  EXPECT_EQ(cache->pin_top_level_index_and_filter, defaults.pin_top_level_index_and_filter);
  EXPECT_EQ(cache->block_size, defaults.block_size);
  EXPECT_EQ(cache->metadata_block_size, defaults.metadata_block_size);
  EXPECT_EQ(cache->prepopulate_block_cache, 0);
}

TEST(CacheOfLogTest, TellsThatThereIsNone) {
  const TemporaryFolder folder;
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  OpenAndClose(folder.path(), table);
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_TRUE(cache->no_block_cache);
  EXPECT_EQ(cache->kind, "");
  EXPECT_EQ(cache->capacity, 0);
}

#if WINNOW_ROCKSDB_AT_LEAST(7, 7)
TEST(CacheOfLogTest, NamesAnotherKind) {
  const TemporaryFolder folder;
  BlockBasedTableOptions table;
  table.block_cache =
      ROCKSDB_NAMESPACE::HyperClockCacheOptions(8 << 20, /*estimated_entry_charge=*/4096)
          .MakeSharedCache();
  OpenAndClose(folder.path(), table);
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->kind, table.block_cache->Name());
  EXPECT_EQ(cache->capacity, 8 << 20);
}

// The capacity of a secondary cache, which follows, is not taken for that of the cache.
TEST(CacheOfLogTest, KeepsASecondaryCacheApart) {
  const TemporaryFolder folder;
  ROCKSDB_NAMESPACE::LRUCacheOptions options;
  options.capacity = 7 << 20;
  ROCKSDB_NAMESPACE::CompressedSecondaryCacheOptions secondary;
  secondary.capacity = 99 << 20;
  secondary.compression_type = ROCKSDB_NAMESPACE::kNoCompression;
  options.secondary_cache = NewCompressedSecondaryCache(secondary);
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(options);
  OpenAndClose(folder.path(), table);
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->capacity, 7 << 20);
  EXPECT_TRUE(cache->has_secondary_cache);
}
#endif

TEST(CacheOfLogTest, TellsFamiliesApartAndWhichShareACache) {
  const TemporaryFolder folder;
  const BlockBasedTableOptions shared = TableWithCache(1 << 20);
  const auto add = [](DB* database, const char* name, const BlockBasedTableOptions& table) {
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(
        database->CreateColumnFamily(ColumnFamilyOptions(MakeOptions(table)), name, &family));
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  };
  {
    const auto database = OpenDatabase(MakeOptions(shared), folder.path());
    add(database.get(), "own [one]", TableWithCache(2 << 20));
    add(database.get(), "shared", shared);
  }
  EXPECT_EQ(Capacity(folder.path()), 1 << 20);
  EXPECT_EQ(Capacity(folder.path(), "own [one]"), 2 << 20);
  EXPECT_EQ(Capacity(folder.path(), "shared"), 1 << 20);
  EXPECT_FALSE(CacheOfLog(folder.path(), "own"));
  EXPECT_THAT(CacheOfLog(folder.path(), kDefault)->shared_with, ElementsAre("shared"));
  EXPECT_THAT(CacheOfLog(folder.path(), "shared")->shared_with, ElementsAre(kDefault));
  EXPECT_THAT(CacheOfLog(folder.path(), "own [one]")->shared_with, IsEmpty());
}

TEST(CacheOfLogTest, FollowsSetOptions) {
  const TemporaryFolder folder;
  const auto database = OpenDatabase(MakeOptions(TableWithCache(1 << 20)), folder.path());
  ASSERT_STATUS_OK(database->SetOptions(
      {{"block_based_table_factory", "{block_size=16K;block_restart_interval=8;}"}}));
  const std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->block_size, 16 << 10);
  EXPECT_EQ(cache->capacity, 1 << 20);
  ASSERT_FALSE(
      database->SetOptions({{"block_based_table_factory", "{block_size=32K;nosuch=1;}"}}).ok());
  EXPECT_EQ(CacheOfLog(folder.path(), kDefault)->block_size, 16 << 10) << "it failed";
}

TEST(CacheOfLogTest, TakesTheNewestLogThatSpeaksOfTheFamily) {
  const TemporaryFolder folder;
  OpenAndClose(folder.path(), TableWithCache(1 << 20));
  OpenAndClose(folder.path(), TableWithCache(2 << 20));
  OpenAndClose(folder.path(), TableWithCache(3 << 20));
  EXPECT_EQ(Capacity(folder.path()), 3 << 20);
  WriteFile(folder / "LOG", "2026/11/23-00:38:34.175340 11281 RocksDB version: 7.8.3\n");
  EXPECT_EQ(Capacity(folder.path()), 2 << 20);
  fs::remove(folder / "LOG");
  EXPECT_EQ(Capacity(folder.path()), 2 << 20);
}

// RocksDB begins a new LOG when the old one is too large, and repeats some of the options, without
// those of column families.
TEST(CacheOfLogTest, ReadsOnInOlderLogsWhereOneHadGrown) {
  const TemporaryFolder folder;
  Options options = MakeOptions(TableWithCache(5 << 20));
  options.max_log_file_size = 60000;
  const auto database = OpenDatabase(options, folder.path());
  // RocksDB writes the first lines of a new LOG after creating it.
  const auto has_grown = [&] {
    const std::string log = ReadFile(folder / "LOG");
    return log.find("Options for column family") == std::string::npos &&
           log.find("block_cache_options") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !has_grown(); ++i) {
    ASSERT_STATUS_OK(database->Put({}, "key", "value"));
    ASSERT_STATUS_OK(database->Flush({}));
  }
  const std::string log = ReadFile(folder / "LOG");
  ASSERT_EQ(log.find("Options for column family"), std::string::npos);
  ASSERT_NE(log.find("block_cache_options"), std::string::npos);
  EXPECT_EQ(Capacity(folder.path()), 5 << 20);
}

TEST(CacheOfLogTest, FindsTheLogInItsOwnFolder) {
  const TemporaryFolder folder;
  const TemporaryFolder logs;
  Options options = MakeOptions(TableWithCache(6 << 20));
  options.db_log_dir = logs.path();
  for (const char* name : {"db", "a #1/db"}) {
    fs::create_directories(fs::path(folder / name).parent_path());
    ASSERT_NE(OpenDatabase(options, folder / name), nullptr);
    ASSERT_FALSE(fs::exists(folder / name + "/LOG"));
    EXPECT_EQ(Capacity(folder / name), 6 << 20) << name;
    EXPECT_EQ(Capacity(folder / name + "/"), 6 << 20) << name;
  }
}

TEST(CacheOfLogTest, SaysNothingWhereThereIsNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(CacheOfLog(folder.path(), kDefault));
  EXPECT_FALSE(CacheOfLog(folder / "missing", kDefault));
  fs::create_directory(folder / "LOG");
  EXPECT_FALSE(CacheOfLog(folder.path(), kDefault));
  fs::remove(folder / "LOG");
  fs::create_symlink("/dev/zero", folder / "LOG");
  EXPECT_FALSE(CacheOfLog(folder.path(), kDefault));
}

// Log lines in the form of RocksDB 11.9.
constexpr char kStart[] =
    "2026/11/23-00:38:34.175279 11281 [db/column_family.cc:712] --------------- Options for column "
    "family [default]:\n"
    "2026/11/23-00:38:34.175340 11281            table_factory options:   "
    "flush_block_policy_factory: FlushBlockBySizePolicyFactory (0x55b3f27ee860)\n";
constexpr char kTable[] =
    "  cache_index_and_filter_blocks: 1\n"
    "  no_block_cache: 0\n"
    "  block_cache: 0x55b3f27eebe0\n"
    "  block_cache_name: AutoHyperClockCache\n"
    "  block_cache_options:\n"
    "    capacity : 33554432\n"
    "    num_shard_bits : 0\n"
    "    strict_capacity_limit : 0\n"
    "    memory_allocator : None\n"
    "  persistent_cache: 0x55b3f27eedd0\n"
    "  persistent_cache_options:\n"
    "    capacity : 77\n"
    "  block_size: 4096\n"
    "  metadata_block_size: 4096\n"
    "  filter_policy: nullptr\n"
    "  format_version: 7\n";
constexpr char kChange[] =
    "2026/11/23-00:39:34.175279 11281 [db/db_impl/db_impl.cc:1] SetOptions() on [1] column "
    "families, inputs:\n"
    "2026/11/23-00:39:34.175280 11281 [db/db_impl/db_impl.cc:2] Set options on column family "
    "[default] (0/1), inputs:\n"
    "2026/11/23-00:39:34.175281 11281 [db/db_impl/db_impl.cc:3] block_based_table_factory: "
    "{cache_index_and_filter_blocks=false;metadata_block_size=65536;}\n";
constexpr char kSucceeded[] =
    "2026/11/23-00:39:34.175282 11281 [db/db_impl/db_impl.cc:4] Set options on column family "
    "[default] (0/1) succeeded, updated CF options:\n";

TEST(CacheOfLogTest, ReadsTheLinesOfNewerVersions) {
  const TemporaryFolder folder;
  WriteFile(folder / "LOG", std::string(kStart) + kTable + kChange);
  std::optional<LoggedCache> cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->kind, "AutoHyperClockCache");
  EXPECT_EQ(cache->capacity, 33554432);
  EXPECT_TRUE(cache->cache_index_and_filter_blocks);
  EXPECT_EQ(cache->metadata_block_size, 4096);
  WriteFile(folder / "LOG", std::string(kStart) + kTable + kChange + kSucceeded);
  cache = CacheOfLog(folder.path(), kDefault);
  ASSERT_TRUE(cache);
  EXPECT_FALSE(cache->cache_index_and_filter_blocks);
  EXPECT_EQ(cache->metadata_block_size, 65536);
}

TEST(CacheOfLogTest, TakesNothingFromADamagedLog) {
  const TemporaryFolder folder;
  const std::string log = std::string(kStart) + kTable;
  for (size_t size = 0; size < log.size() - 3; ++size) {
    WriteFile(folder / "LOG", log.substr(0, size));
    ASSERT_FALSE(CacheOfLog(folder.path(), kDefault)) << size;
  }
  for (const char* wrong : {"33554432x", "-1", "99999999999999999999", "", "17179869184g"}) {
    std::string damaged = log;
    damaged.replace(damaged.find("33554432"), 8, wrong);
    WriteFile(folder / "LOG", damaged);
    EXPECT_FALSE(CacheOfLog(folder.path(), kDefault)) << wrong;
  }
  WriteFile(folder / "LOG", log + kStart + "  cache_index_and_filter_blocks: 0\n");
  EXPECT_EQ(Capacity(folder.path()), 33554432) << "a later one is cut off";
}

// A sparse file, so that nothing is written.
TEST(CacheOfLogTest, ReadsTheBeginningOfAHugeLogAlone) {
  const TemporaryFolder folder;
  WriteFile(folder / "LOG", std::string(kStart) + kTable);
  fs::resize_file(folder / "LOG", uint64_t{1} << 40);
  EXPECT_EQ(Capacity(folder.path()), 33554432);
  WriteFile(folder / "LOG", "");
  fs::resize_file(folder / "LOG", uint64_t{1} << 40);
  EXPECT_FALSE(CacheOfLog(folder.path(), kDefault));
}

}  // namespace cache_of_log_test
}  // namespace winnow::inspect
