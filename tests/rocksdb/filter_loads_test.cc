// Filter block loads in databases: counts, and the conditions of alarms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/backup_engine.h>

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/loads/loads_testing.h"
#include "tests/support/database_files.h"

namespace winnow::plugin {
namespace filter_loads_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::Key;
using testing::MakePolicyFrom;
using ::testing::Not;

// ---- A cache of a tenth of the filters

class SmallCacheTest : public FilterLoadsTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void WriteForSmallCache() {
    UsePolicy(GetParam());
    Write();
    database_.reset();
    table_.block_cache = NewLRUCache(size_t{160} << 10, 0);
    alarms_.clear();
  }

  void ExpectAlarm() {
    ASSERT_EQ(alarms_.size(), 1u);
    EXPECT_THAT(alarms_[0], HasSubstr("the block cache has 160 KiB in 1 shard, "));
    EXPECT_THAT(alarms_[0], HasSubstr("; what helps"));
  }
};

TEST_P(SmallCacheTest, HasAnAlarmAndBytesAsTheTicker) {
  WriteForSmallCache();
  Open();
  const FilterLoads before = Loads();
  LookUp(3000);
  ExpectAlarm();
  const FilterLoads after = Loads();
  EXPECT_EQ(after.filters, kFiles);
  EXPECT_GT(after.blocks - before.blocks, 2000u);
  EXPECT_NEAR(static_cast<double>(after.bytes - before.bytes), static_cast<double>(Ticker()),
              0.05 * static_cast<double>(Ticker()));
  LookUp(6000);
  EXPECT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(Log(), Not(HasSubstr("[winnow] filters that Winnow's")));
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key", "value"));
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  EXPECT_THAT(Log(), HasSubstr("[winnow] filters that Winnow's")) << "by the next builder";
}

// A read-only opening calls no function of the policy.
TEST_P(SmallCacheTest, HasAnAlarmWhereItIsOnlyRead) {
  WriteForSmallCache();
  OpenToRead();
  LookUp(3000);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr("; no block cache is known; what helps: a block cache of "));
}

TEST_P(SmallCacheTest, HasTheAlarmInTheLogByTheListener) {
  is_listened_ = true;
  WriteForSmallCache();
  Open();
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key", "value"));
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  LookUp(3000);
  ExpectAlarm();
  EXPECT_THAT(Log(), HasSubstr("[winnow] filters that Winnow's"));
  EXPECT_THAT(Log(), HasSubstr("; what helps for " + path_ + ": a block cache of "));
}

TEST_P(SmallCacheTest, HasAnAlarmOfPartitionsWithBytesAsTheTicker) {
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.cache_index_and_filter_blocks = false;
  WriteForSmallCache();
  table_.block_cache = NewLRUCache(size_t{160} << 10, 0);
  Open();
  const FilterLoads before = Loads();
  lookups_a_second_ = 4000;
  LookUp(40'000);
  ExpectAlarm();
  const auto ticker = static_cast<double>(Ticker());
  EXPECT_NEAR(static_cast<double>(Loads().bytes - before.bytes), ticker, 0.05 * ticker);
}

INSTANTIATE_TEST_SUITE_P(Filters, SmallCacheTest, ::testing::Values(kOurs, kBuiltIn),
                         [](const auto& test) {
                           return std::string(test.param) == kOurs ? "Winnows" : "RocksDBs";
                         });

// ---- What the alarm says helps

class RemedyTest : public FilterLoadsTest {
 protected:
  // Returns the alarm of a database in this cache, whose files the listener has listed.
  std::string AlarmWith(std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache, int lookups = 4000) {
    is_listened_ = true;
    Write();
    database_.reset();
    table_.block_cache = std::move(cache);
    alarms_.clear();
    Open();
    EXPECT_TRUE(database_->Put(WriteOptions(), "key", "value").ok());
    EXPECT_TRUE(database_->Flush(FlushOptions()).ok());
    LookUp(lookups);
    return alarms_.empty() ? "no alarm" : alarms_[0];
  }

  // Sets the block cache that the alarm names.
  void TakeCacheOf(const std::string& alarm) {
    const std::regex form("a block cache of ([0-9.]+) (KiB|MiB)( with num_shard_bits=([0-9]))? ");
    std::smatch parts;
    ASSERT_TRUE(std::regex_search(alarm, parts, form)) << alarm;
    const double unit = parts[2] == "KiB" ? 1024 : 1 << 20;
    const auto capacity = static_cast<size_t>(std::stod(parts[1]) * unit);
    table_.block_cache = NewLRUCache(capacity, parts[4].matched ? std::stoi(parts[4]) : 0);
  }

  // Expects that no filter is loaded twice once all have been loaded.
  void ExpectRest() {
    Open();
    LookUp(4000);
    const FilterLoads before = Loads();
    LookUp(4000);
    EXPECT_EQ(Loads().blocks - before.blocks, 0u);
  }
};

TEST_F(RemedyTest, ALargerCacheHasRoom) {
  const std::string alarm = AlarmWith(NewLRUCache(size_t{160} << 10, 0));
  EXPECT_THAT(alarm, HasSubstr(" KiB, indexes of "));
  TakeCacheOf(alarm);
  ExpectRest();
}

TEST_F(RemedyTest, FewerShardsHaveRoomInTheSameCache) {
  const std::string alarm = AlarmWith(NewLRUCache(size_t{8} << 20, 8));
  EXPECT_THAT(alarm, HasSubstr(": a block cache of 8.0 MiB with num_shard_bits="));
  TakeCacheOf(alarm);
  ExpectRest();
}

TEST_F(RemedyTest, FiltersOutsideOfTheCacheStay) {
  EXPECT_THAT(AlarmWith(NewLRUCache(size_t{160} << 10, 0)),
              HasSubstr(", or cache_index_and_filter_blocks=false (filters of "));
  table_.cache_index_and_filter_blocks = false;
  ExpectRest();
}

TEST_F(RemedyTest, PartitionsOfNewFilesLoadFewerBytes) {
  EXPECT_THAT(
      AlarmWith(NewLRUCache(size_t{160} << 10, 0)),
      HasSubstr("in new files partition_filters=true with index_type=kTwoLevelIndexSearch"));
  const uint64_t whole = Ticker();
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  Open();
  ROCKSDB_NAMESPACE::CompactRangeOptions all;
  all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(database_->CompactRange(all, nullptr, nullptr));
  const uint64_t before = Ticker();
  LookUp(4000);
  EXPECT_LT(Ticker() - before, whole / 5);
}

TEST_F(RemedyTest, PinnedPartitionsStay) {
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  lookups_a_second_ = 4000;
  EXPECT_THAT(AlarmWith(NewLRUCache(size_t{160} << 10, 0), 40'000),
              HasSubstr(", or metadata_cache_options={partition_pinning=kAll} (filters of "));
  table_.metadata_cache_options.partition_pinning = ROCKSDB_NAMESPACE::PinningTier::kAll;
  ExpectRest();
}

// ---- What is quiet

TEST_F(FilterLoadsTest, StartScanAndLookupsOfAnyKindAreQuiet) {
  Write();
  database_.reset();
  table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
  const FilterLoads before = Loads();
  Open();
  std::unique_ptr<Iterator> all(database_->NewIterator(ReadOptions()));
  for (all->SeekToFirst(); all->Valid(); all->Next()) continue;
  EXPECT_TRUE(all->status().ok());
  LookUp(3000);
  std::vector<std::string> keys;
  for (int i = 0; i < 64; ++i) keys.push_back(Key(random_() % (kFiles * kKeysOfAFile)));
  std::vector<std::string> values;
  database_->MultiGet(ReadOptions(), {keys.begin(), keys.end()}, &values);
  ExpectQuiet();
  EXPECT_EQ(Loads().blocks - before.blocks, kFiles) << "each once";
}

class FilterLoadsPrefixTest : public FilterLoadsTest {
 protected:
  Options MakeOptions() const override {
    Options options = FilterLoadsTest::MakeOptions();
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(4));
    return options;
  }
};

TEST_F(FilterLoadsPrefixTest, IteratorsWithAPrefixAreQuiet) {
  Write();
  ReadOptions read;
  read.prefix_same_as_start = true;
  for (int i = 0; i < 1000; ++i) {
    if (i % 20 == 0) ++g_second;
    std::unique_ptr<Iterator> iterator(database_->NewIterator(read));
    iterator->Seek(Key(random_() % (kFiles * kKeysOfAFile)));
  }
  EXPECT_GT(Loads().blocks, 0u);
  ExpectQuiet();
}

TEST_F(FilterLoadsTest, BackupIsQuiet) {
  Write();
  ROCKSDB_NAMESPACE::BackupEngine* engine = nullptr;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::BackupEngine::Open(
      ROCKSDB_NAMESPACE::BackupEngineOptions(folder_ / "backup"), ROCKSDB_NAMESPACE::Env::Default(),
      &engine));
  const std::unique_ptr<ROCKSDB_NAMESPACE::BackupEngine> owned(engine);
  for (int i = 0; i < 3; ++i) {
    ++g_second;
    ASSERT_STATUS_OK(engine->CreateNewBackup(database_.get(), true));
    LookUp(100);
  }
  ExpectQuiet();
}

TEST_F(FilterLoadsTest, CompactionIsQuiet) {
  Write();
  ROCKSDB_NAMESPACE::CompactRangeOptions compact;
  compact.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  for (int i = 0; i < 5; ++i) {
    ++g_second;
    // Filters of equal keys would have equal bytes.
    ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key " + std::to_string(i), "value"));
    ASSERT_STATUS_OK(database_->CompactRange(compact, nullptr, nullptr));
    LookUp(200);
  }
  ExpectQuiet();
}

TEST_F(FilterLoadsTest, ADatabaseThatIsOpenedThriceAMinuteIsQuiet) {
  has_new_caches_ = true;
  for (const bool is_in_cache : {true, false}) {
    table_.cache_index_and_filter_blocks = is_in_cache;
    UsePolicy(kOurs);
    if (is_in_cache) Write();
    for (int i = 0; i < 9; ++i) {
      table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
      Open();
      LookUp(500);
      g_second += 15;
    }
    ExpectQuiet();
    EXPECT_GE(Loads().minute_filters_again, kFiles) << "it is loaded again, though";
  }
}

TEST_F(FilterLoadsTest, BlocksThatFlushesPutIntoTheCacheAreQuiet) {
  table_.prepopulate_block_cache = BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  Write();
  LookUp(3000);
  ExpectQuiet();
  EXPECT_EQ(Loads().blocks, kFiles) << "each once";
}

TEST_F(FilterLoadsTest, PartitionsOutsideOfTheCachesOptionsAreQuietWhereThereIsRoom) {
  table_.partition_filters = true;
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.cache_index_and_filter_blocks = false;
  Write();
  LookUp(3000);
  ExpectQuiet();
  EXPECT_EQ(Loads().blocks_again, 0u);
}

// ---- Whose loads

TEST_F(FilterLoadsTest, APolicyThatStandsInForAnotherGoesOn) {
  Write();
  const FilterLoads before = Loads();
  EXPECT_GT(before.blocks, 0u);
  const auto next = MakePolicyFrom("winnow:12", table_.filter_policy);
  FilterLoads loads;
  EXPECT_TRUE(CurrentFilterLoads(*next, &loads));
  EXPECT_EQ(loads.blocks, before.blocks);
}

TEST_F(FilterLoadsTest, OtherPoliciesHaveNone) {
  const std::shared_ptr<const FilterPolicy> builtin(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10));
  FilterLoads loads;
  loads.blocks = 17;
  EXPECT_FALSE(CurrentFilterLoads(*builtin, &loads));
  EXPECT_EQ(loads.blocks, 0u);
  EXPECT_FALSE(SetFilterLoadAlarm(*builtin, [](const FilterLoadAlarm&) {}));
}

// The program would read members that the library does not write.
TEST_F(FilterLoadsTest, ALargerAlarmThanTheLibrarysIsRefused) {
  const auto alarm = [](const FilterLoadAlarm&) {};
  const FilterPolicy& policy = *table_.filter_policy;
  EXPECT_TRUE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm) - 8));
  EXPECT_TRUE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm)));
  EXPECT_FALSE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm) + 8));
}

// Reads the figures like a program compiled with another version's header.
TEST_F(FilterLoadsTest, FiguresMayGrow) {
  Write();
  FilterLoads older;
  older.blocks_again = 17;
  EXPECT_TRUE(FillFilterLoads(table_.filter_policy.get(), &older, 16));
  EXPECT_EQ(older.blocks, Loads().blocks);
  EXPECT_EQ(older.blocks_again, 17u) << "is not told";
  struct {
    FilterLoads loads;
    uint64_t newer = 17;
  } newer;
  EXPECT_TRUE(FillFilterLoads(table_.filter_policy.get(), &newer.loads, sizeof newer));
  EXPECT_EQ(newer.loads.blocks, Loads().blocks);
  EXPECT_EQ(newer.newer, 17u) << "is not known";
}

}  // namespace filter_loads_test
}  // namespace winnow::plugin
