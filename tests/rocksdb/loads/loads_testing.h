// Helpers for tests of filter loads: a clock set by the test, and a database fixture.

#ifndef WINNOW_TESTS_ROCKSDB_LOADS_LOADS_TESTING_H_
#define WINNOW_TESTS_ROCKSDB_LOADS_LOADS_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/loads/load_alarm.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/keeping_logger.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

using testing::KeepingLogger;

inline constexpr uint64_t kFiles = 20;
inline constexpr uint64_t kKeysOfAFile = 20'000;
inline constexpr char kOurs[] = "winnow:32";
inline constexpr char kBuiltIn[] = "{id=winnow;bits_per_key=32;build=bloomfilter}";

inline std::atomic<int64_t> g_second{0};

class FilterLoadsTest : public ::testing::Test {
 protected:
  FilterLoadsTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    g_second = 50;
    LoadMeter::StartAnew([] { return LoadMeter::Time(std::chrono::seconds(g_second)); });
    table_.cache_index_and_filter_blocks = true;
    table_.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(size_t{64} << 20, 2);
    UsePolicy(kOurs);
  }
  ~FilterLoadsTest() override {
    database_.reset();
    LoadMeter::StartAnew(nullptr);
  }

  void UsePolicy(const std::string& text) {
    table_.filter_policy = testing::MakePolicyFrom(text);
    EXPECT_TRUE(SetFilterLoadAlarm(*table_.filter_policy, [this](const FilterLoadAlarm& alarm) {
      alarms_.push_back(alarm.text);
    }));
  }

  virtual ROCKSDB_NAMESPACE::Options MakeOptions() const {
    ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table_);
    options.allow_mmap_reads = is_mapped_;
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
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::OpenForReadOnly(options_, path_, &opened));
    database_ = rocksdb_abi::Own(std::move(opened));
  }

  // Writes kFiles files of distinct keys, each with a filter of about 80 KB.
  void Write() {
    Open();
    ROCKSDB_NAMESPACE::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t file = 0; file < kFiles; ++file) {
      ROCKSDB_NAMESPACE::WriteBatch keys;
      for (uint64_t i = 0; i < kKeysOfAFile; ++i) {
        ASSERT_STATUS_OK(keys.Put(testing::Key(file * kKeysOfAFile + i), ""));
      }
      ASSERT_STATUS_OK(database_->Write(write, &keys));
      ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
  }

  // Gets keys from random files, half of them absent.
  void LookUp(int lookups,
              const ROCKSDB_NAMESPACE::ReadOptions& read = ROCKSDB_NAMESPACE::ReadOptions()) {
    std::string value;
    for (int i = 0; i < lookups; ++i) {
      if (i % lookups_a_second_ == 0) ++g_second;
      const uint64_t key = random_() % (kFiles * kKeysOfAFile);
      database_->Get(read, i % 2 == 0 ? testing::Key(key) : testing::AbsentKey(key), &value);
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

  // Expects no alarm, even for larger filters or after ten minutes: no filter is loaded often
  // enough, or no full cache existed for the whole time.
  void ExpectQuiet() const {
    const FilterLoads loads = Loads();
    EXPECT_LE(loads.minute_blocks_again, kAlarmTimesEach * loads.minute_filters_again);
    if (loads.ten_minutes_bytes_again >= kSlowAlarmTimesFilters * loads.filter_bytes) {
      EXPECT_TRUE(has_new_caches_);
    }
    EXPECT_TRUE(alarms_.empty());
  }

  std::string Log() const { return testing::ReadFile(path_ + "/LOG"); }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table_;
  int lookups_a_second_ = 100;
  int max_open_files_ = -1;
  int table_cache_shard_bits_ = 6;
  bool is_mapped_ = false;
  bool is_listened_ = false;
  bool has_new_caches_ = false;  // each Open() has a new cache
  ROCKSDB_NAMESPACE::Options options_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
  std::vector<std::string> alarms_;
  std::mt19937_64 random_{17};
};

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_LOADS_LOADS_TESTING_H_
