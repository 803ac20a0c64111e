// Causes that an alarm names, in real databases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <string>

#include "tests/rocksdb/loads/loads_testing.h"

namespace winnow::plugin {
namespace alarm_causes_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::ReadOptions;
using ::testing::HasSubstr;

using AlarmCausesTest = FilterLoadsTest;

TEST_F(AlarmCausesTest, NamesMaxOpenFilesWhereTablesAreOpenedAgain) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  max_open_files_ = 12;  // RocksDB raises it to 20 and leaves 10 for tables
  table_cache_shard_bits_ = 0;
  Open();
  LookUp(4000);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr(": max_open_files=-1 for filters outside of the cache, or "));
  EXPECT_THAT(alarms_[0], HasSubstr("opened again and again (max_open_files=12), "));
}

#if WINNOW_ROCKSDB_AT_LEAST(7, 2)  // earlier secondary caches differ
TEST_F(AlarmCausesTest, NamesASecondaryCache) {
  Write();
  database_.reset();
  ROCKSDB_NAMESPACE::LRUCacheOptions cache(size_t{160} << 10, 0, false, 0.5);
  ROCKSDB_NAMESPACE::CompressedSecondaryCacheOptions secondary;
  secondary.capacity = size_t{64} << 20;
  cache.secondary_cache = ROCKSDB_NAMESPACE::NewCompressedSecondaryCache(secondary);
  table_.block_cache = NewLRUCache(cache);
  Open();
  LookUp(4000);
  EXPECT_GT(options_.statistics->getTickerCount(ROCKSDB_NAMESPACE::SECONDARY_CACHE_HITS), 1000u);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr(", a secondary cache"));
}
#endif

TEST_F(AlarmCausesTest, LookupsWithoutFillCacheAreQuietOrNamed) {
  Write();
  table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
  Open();
  table_.block_cache->EraseUnRefEntries();  // erases blocks that Open() loaded
  ReadOptions read;
  read.fill_cache = false;
  LookUp(3000, read);
  if (rocksdb_abi::kFillCacheConcernsFilters) {
    ASSERT_EQ(alarms_.size(), 1u);
    EXPECT_THAT(alarms_[0], HasSubstr(", fill_cache=false"));
  } else {
    ExpectQuiet();
  }
}

// RocksDB does not cache blocks of memory-mapped files.
class MappedFilesTest : public FilterLoadsTest {
 protected:
  ROCKSDB_NAMESPACE::Options MakeOptions() const override {
    ROCKSDB_NAMESPACE::Options options = FilterLoadsTest::MakeOptions();
    options.allow_mmap_reads = true;
    return options;
  }

  // Returns the number of filter blocks loaded by `lookups` lookups.
  uint64_t LoadsOf(int lookups) {
    Open();
    const uint64_t before = Loads().blocks;
    LookUp(lookups);
    return Loads().blocks - before;
  }
};

TEST_F(MappedFilesTest, AreNamedWhereFiltersAreInACacheWithRoom) {
  Write();
  EXPECT_GE(LoadsOf(4000), 4000u) << "each lookup";
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr(", allow_mmap_reads"));
}

// Filters outside the cache stay in memory, as the alarm says.
TEST_F(MappedFilesTest, AreQuietWhereFiltersAreOutsideOfTheCache) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  EXPECT_LE(LoadsOf(4000), kFiles);
  ExpectQuiet();
}

// Filter partitions are looked up in the cache even then, pinned or not.
TEST_F(MappedFilesTest, HavePartitionsLoadedForEachLookup) {
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.cache_index_and_filter_blocks = false;
  table_.metadata_cache_options.partition_pinning = ROCKSDB_NAMESPACE::PinningTier::kAll;
  Write();
  EXPECT_GE(LoadsOf(1000), 1000u);
}

// VerifyChecksum() opens each table again, and loads its filter if that is not in the cache.
TEST_F(AlarmCausesTest, VerifyChecksumIsNamedWhereFiltersAreOutsideOfTheCache) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  Open();
  const uint64_t before = Loads().blocks;
  for (int i = 0; i < 110; ++i) {
    if (i % 2 == 0) ++g_second;
    ASSERT_STATUS_OK(database_->VerifyChecksum());
  }
  EXPECT_EQ(Loads().blocks - before, 110 * kFiles);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr(", DB::VerifyChecksum"));
}

TEST_F(AlarmCausesTest, VerifyChecksumIsQuietWhereFiltersAreInTheCache) {
  Write();
  Open();
  const uint64_t before = Loads().blocks;
  for (int i = 0; i < 10; ++i) ASSERT_STATUS_OK(database_->VerifyChecksum());
  EXPECT_EQ(Loads().blocks, before);
}

}  // namespace alarm_causes_test
}  // namespace winnow::plugin
