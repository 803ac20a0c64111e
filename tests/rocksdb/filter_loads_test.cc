// Loads of filters in databases: what is counted, when there is an alarm and when not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/backup_engine.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/loads/load_alarm.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace {

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

constexpr uint64_t kFiles = 20;
constexpr uint64_t kKeysOfAFile = 20'000;
constexpr char kOurs[] = "winnow:32";
constexpr char kBuiltIn[] = "{id=winnow;bits_per_key=32;build=bloomfilter}";

std::atomic<int64_t> g_second{0};

class FilterLoadsTest : public ::testing::Test {
 protected:
  FilterLoadsTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    g_second = 50;
    LoadMeter::SetClock([] { return LoadMeter::Time(std::chrono::seconds(g_second)); });
    table_.cache_index_and_filter_blocks = true;
    table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
    UsePolicy(kOurs);
  }
  ~FilterLoadsTest() override {
    database_.reset();
    LoadMeter::SetClock(nullptr);
  }

  void UsePolicy(const std::string& text) {
    table_.filter_policy = MakePolicyFrom(text);
    EXPECT_TRUE(SetFilterLoadAlarm(*table_.filter_policy, [this](const FilterLoadAlarm& alarm) {
      alarms_.push_back(alarm.text);
    }));
  }

  virtual Options MakeOptions() const {
    Options options = testing::MakeOptions(table_);
    options.max_open_files = max_open_files_;
    options.table_cache_numshardbits = table_cache_shard_bits_;
    options.write_buffer_size = size_t{64} << 20;
    if (is_listened_) options.listeners.push_back(NewListener(table_.filter_policy));
    return options;
  }

  void Open() {
    database_.reset();
    options_ = MakeOptions();
    database_ = testing::OpenDatabase(options_, path_);
    ASSERT_NE(database_, nullptr);
  }

  void OpenToRead() {
    database_.reset();
    options_ = MakeOptions();
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(DB::OpenForReadOnly(options_, path_, &opened));
    database_ = rocksdb_abi::Own(std::move(opened));
  }

  // Files of different keys, each with a filter of about 80 KB.
  void Write() {
    Open();
    for (uint64_t file = 0; file < kFiles; ++file) {
      for (uint64_t i = 0; i < kKeysOfAFile; ++i) {
        ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(file * kKeysOfAFile + i), ""));
      }
      ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    }
  }

  // Lookups in random files; half of them are vain.
  void LookUp(int lookups, const ReadOptions& read = ReadOptions()) {
    std::string value;
    for (int i = 0; i < lookups; ++i) {
      if (i % lookups_a_second_ == 0) ++g_second;
      const uint64_t key = random_() % (kFiles * kKeysOfAFile);
      database_->Get(read, i % 2 == 0 ? Key(key) : testing::AbsentKey(key), &value);
    }
  }

  FilterLoads Loads() const {
    FilterLoads loads;
    EXPECT_TRUE(CurrentFilterLoads(*table_.filter_policy, &loads));
    return loads;
  }

  uint64_t Ticker() const {
    return options_.statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOCK_CACHE_FILTER_BYTES_INSERT);
  }

  // Also were the filters larger: no filter is loaded so often.
  void ExpectQuiet() const {
    const FilterLoads loads = Loads();
    EXPECT_LE(loads.minute_blocks_again, kAlarmTimesEach * loads.minute_filters_again);
    EXPECT_TRUE(alarms_.empty());
  }

  std::string Log() const { return testing::ReadFile(path_ + "/LOG"); }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  BlockBasedTableOptions table_;
  int lookups_a_second_ = 100;
  int max_open_files_ = -1;
  int table_cache_shard_bits_ = 6;
  bool is_listened_ = false;
  Options options_;
  std::unique_ptr<DB> database_;
  std::vector<std::string> alarms_;
  std::mt19937_64 random_{17};
};

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
    EXPECT_THAT(alarms_[0], HasSubstr("the block cache (160 KiB"));
    EXPECT_THAT(alarms_[0], HasSubstr(" no room for them"));
    EXPECT_THAT(alarms_[0], HasSubstr(" --cache=160KiB`"));
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
  EXPECT_THAT(Log(), Not(HasSubstr("[winnow] filters read through")));
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key", "value"));
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  EXPECT_THAT(Log(), HasSubstr("[winnow] filters read through")) << "by the next builder";
}

// Such an opening does not ask the policy anything.
TEST_P(SmallCacheTest, HasAnAlarmWhereItIsOnlyRead) {
  WriteForSmallCache();
  OpenToRead();
  LookUp(3000);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr("the block cache, which this policy does not know, may have no "
                                    "room for them; `winnow advise FOLDER --cache=SIZE`"));
}

TEST_P(SmallCacheTest, HasTheAlarmInTheLogByTheListener) {
  is_listened_ = true;
  WriteForSmallCache();
  Open();
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key", "value"));
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  LookUp(3000);
  ExpectAlarm();
  EXPECT_THAT(Log(), HasSubstr("[winnow] filters read through"));
  EXPECT_THAT(Log(), HasSubstr("`winnow advise " + path_ + " --cache=160KiB`"));
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

// ---- What is quiet

TEST_F(FilterLoadsTest, StartScanAndLookupsAreQuiet) {
  Write();
  database_.reset();
  table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
  const FilterLoads before = Loads();
  Open();
  std::unique_ptr<Iterator> all(database_->NewIterator(ReadOptions()));
  for (all->SeekToFirst(); all->Valid(); all->Next()) continue;
  EXPECT_TRUE(all->status().ok());
  LookUp(3000);
  ExpectQuiet();
  EXPECT_EQ(Loads().blocks - before.blocks, kFiles) << "each once";
}

TEST_F(FilterLoadsTest, MultiGetIsQuiet) {
  Write();
  std::vector<std::string> keys;
  for (int i = 0; i < 64; ++i) keys.push_back(Key(random_() % (kFiles * kKeysOfAFile)));
  const std::vector<ROCKSDB_NAMESPACE::Slice> slices(keys.begin(), keys.end());
  for (int i = 0; i < 100; ++i) {
    ++g_second;
    std::vector<std::string> values;
    database_->MultiGet(ReadOptions(), slices, &values);
  }
  ExpectQuiet();
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
    // Filters of the same keys would be the same.
    ASSERT_STATUS_OK(database_->Put(WriteOptions(), "key " + std::to_string(i), "value"));
    ASSERT_STATUS_OK(database_->CompactRange(compact, nullptr, nullptr));
    LookUp(200);
  }
  ExpectQuiet();
}

TEST_F(FilterLoadsTest, ADatabaseThatIsOpenedThriceAMinuteIsQuiet) {
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

// ---- What is named

TEST_F(FilterLoadsTest, NamesMaxOpenFilesWhereTablesAreOpenedAgain) {
  table_.cache_index_and_filter_blocks = false;
  Write();
  max_open_files_ = 12;  // RocksDB makes 20 of it, of which it leaves 10 for tables
  table_cache_shard_bits_ = 0;
  Open();
  LookUp(4000);
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0], HasSubstr("outside of the block cache, with their tables, and tables are "
                                    "opened again and again: max_open_files=12 is too small"));
  EXPECT_THAT(alarms_[0], Not(HasSubstr("no room")));
}

#if WINNOW_ROCKSDB_AT_LEAST(7, 2)  // before, secondary caches were others
TEST_F(FilterLoadsTest, NamesASecondaryCache) {
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
  EXPECT_THAT(alarms_[0], HasSubstr("secondary cache, without being read from a file"));
}
#endif

TEST_F(FilterLoadsTest, LookupsWithoutFillCacheAreQuietOrNamed) {
  Write();
  table_.block_cache = NewLRUCache(size_t{64} << 20, 2);
  Open();
  table_.block_cache->EraseUnRefEntries();  // what the opening put there
  ReadOptions read;
  read.fill_cache = false;
  LookUp(3000, read);
  if (rocksdb_abi::kFillCacheConcernsFilters) {
    ASSERT_EQ(alarms_.size(), 1u);
    EXPECT_THAT(alarms_[0], HasSubstr("has room for them, so that the cause is another: a database "
                                      "that is opened again and again, lookups with "
                                      "fill_cache=false"));
  } else {
    ExpectQuiet();
  }
}

// ---- Whose loads

TEST_F(FilterLoadsTest, APolicyThatStandsInForAnotherGoesOn) {
  Write();
  const FilterLoads before = Loads();
  EXPECT_GT(before.blocks, 0u);
  // As SetOptions asks, from RocksDB 9.8 on.
  table_.filter_policy->IsInstanceOf("winnow:12");
  const std::shared_ptr<const FilterPolicy> next = MakePolicyFrom("winnow:12");
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

// The program would read members that nobody writes.
TEST_F(FilterLoadsTest, ALargerAlarmThanTheLibrarysIsRefused) {
  const auto alarm = [](const FilterLoadAlarm&) {};
  const FilterPolicy& policy = *table_.filter_policy;
  EXPECT_TRUE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm) - 8));
  EXPECT_TRUE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm)));
  EXPECT_FALSE(SetFilterLoadAlarm(policy, alarm, sizeof(FilterLoadAlarm) + 8));
}

// Of a program that was compiled with another version's header.
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

TEST_F(FilterLoadsTest, TheProcessHasTheSums) {
  const FilterLoads before = CurrentFilterLoads();
  Write();
  LookUp(100);
  EXPECT_EQ(CurrentFilterLoads().blocks - before.blocks, Loads().blocks);
  EXPECT_THAT(CountersAsPrometheusText(),
              HasSubstr("\nwinnow_filter_loads_total " +
                        std::to_string(CurrentFilterLoads().blocks) + "\n"));
}

}  // namespace
}  // namespace winnow::plugin
