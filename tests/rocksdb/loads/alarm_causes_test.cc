// Causes that an alarm names, in real databases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <string>

#include "tests/rocksdb/loads/loads_testing.h"

namespace winnow::plugin {
namespace alarm_causes_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ReadOptions;
using ::testing::HasSubstr;

class AlarmCausesTest : public FilterLoadsTest {
 protected:
  // Opens the database. Returns the number of filter blocks that this work loads.
  template <typename Work>
  uint64_t LoadsOf(const Work& work) {
    Open();
    const uint64_t before = Loads().blocks;
    work();
    return Loads().blocks - before;
  }
  uint64_t LoadsOfLookups(int lookups) {
    return LoadsOf([&] { LookUp(lookups); });
  }
  uint64_t LoadsOfChecks(int checks) {
    return LoadsOf([&] {
      for (int i = 0; i < checks; ++i) {
        if (i % 2 == 0) ++g_second;
        ASSERT_STATUS_OK(database_->VerifyChecksum());
      }
    });
  }
  void ExpectNamed(const std::string& cause) const {
    ASSERT_EQ(alarms_.size(), 1u);
    EXPECT_THAT(alarms_[0], HasSubstr(cause));
  }
};

TEST_F(AlarmCausesTest, NamesMaxOpenFilesWhereTablesAreOpenedAgain) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  max_open_files_ = 12;  // RocksDB raises it to 20 and leaves 10 for tables
  table_cache_shard_bits_ = 0;
  LoadsOfLookups(4000);
  ExpectNamed(": max_open_files=-1 for filters outside of the cache, or ");
  ExpectNamed("opened again and again (max_open_files=12), ");
}

TEST_F(AlarmCausesTest, LookupsWithoutFillCacheAreQuietOrNamed) {
  Write();
  table_.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(size_t{64} << 20, 2);
  Open();
  table_.block_cache->EraseUnRefEntries();  // erases blocks that Open() loaded
  ReadOptions read;
  read.fill_cache = false;
  LookUp(3000, read);
  if (rocksdb_abi::kFillCacheConcernsFilters) {
    ExpectNamed(", fill_cache=false");
  } else {
    ExpectQuiet();
  }
}

// RocksDB does not cache blocks of memory-mapped files.
TEST_F(AlarmCausesTest, MappedFilesAreNamedWhereFiltersAreInACacheWithRoom) {
  is_mapped_ = true;
  Write();
  EXPECT_GE(LoadsOfLookups(4000), 4000u) << "each lookup";
  ExpectNamed(", allow_mmap_reads");
}

// Filters outside the cache stay in memory, as the alarm says.
TEST_F(AlarmCausesTest, MappedFilesAreQuietWhereFiltersAreOutsideOfTheCache) {
  is_mapped_ = true;
  table_.cache_index_and_filter_blocks = false;
  Write();
  EXPECT_LE(LoadsOfLookups(4000), kFiles);
  ExpectQuiet();
}

// Filter partitions are looked up in the cache even then, pinned or not.
TEST_F(AlarmCausesTest, MappedFilesHavePartitionsLoadedForEachLookup) {
  is_mapped_ = true;
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.cache_index_and_filter_blocks = false;
  table_.metadata_cache_options.partition_pinning = ROCKSDB_NAMESPACE::PinningTier::kAll;
  Write();
  EXPECT_GE(LoadsOfLookups(1000), 1000u);
}

// VerifyChecksum() opens each table again, and loads its filter if that is not in the cache.
TEST_F(AlarmCausesTest, VerifyChecksumIsNamedWhereFiltersAreOutsideOfTheCache) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  EXPECT_EQ(LoadsOfChecks(110), 110 * kFiles);
  ExpectNamed(", DB::VerifyChecksum");
}

TEST_F(AlarmCausesTest, VerifyChecksumIsQuietWhereFiltersAreInTheCache) {
  Write();
  EXPECT_EQ(LoadsOfChecks(10), 0u);
}

}  // namespace alarm_causes_test
}  // namespace winnow::plugin
