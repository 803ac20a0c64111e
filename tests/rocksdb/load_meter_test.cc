#include "src/rocksdb/load_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/loads/load_alarm.h"
#include "tests/rocksdb/loads/loads_testing.h"
#include "tests/support/sanitized.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace load_meter_test {

using std::chrono::seconds;
using ::testing::HasSubstr;

ROCKSDB_NAMESPACE::DBOptions With(const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) {
  ROCKSDB_NAMESPACE::DBOptions options;
  options.info_log = log;
  return options;
}

constexpr uint64_t kFilters = 20;
constexpr uint64_t kBytes = 3 << 20;

class LoadMeterTest : public ::testing::Test {
 protected:
  LoadMeterTest() {
    g_second = 5;  // seconds since the machine started
    LoadMeter::StartAnew([] { return LoadMeter::Time(seconds(g_second)); });
    meter_.SetCallback([this](const FilterLoadAlarm& alarm) { alarms_.push_back(alarm); });
  }
  ~LoadMeterTest() override { LoadMeter::StartAnew(nullptr); }

  static void SeeCache(const std::shared_ptr<ROCKSDB_NAMESPACE::Cache>& cache) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    table.block_cache = cache;
    LoadMeter::See(table);
  }

  // Loads each filter once.
  static void LoadAll(LoadMeter* meter) {
    for (uint64_t i = 0; i < kFilters; ++i) {
      meter->Note(HashKey("filter " + std::to_string(i)).value, kBytes);
    }
  }
  void LoadAll() { LoadAll(&meter_); }
  // Loads all filters repeatedly, as if the cache were too small for them.
  void Thrash() {
    SeeCache(cache_);
    for (int i = 0; i < 10; ++i) {
      ++g_second;
      LoadAll();
    }
  }

  const std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache_ =
      ROCKSDB_NAMESPACE::NewLRUCache(size_t{1} << 20, 0);
  LoadMeter meter_;
  std::vector<FilterLoadAlarm> alarms_;
  const int threads_[8] = {};  // addresses stand for databases
};

TEST_F(LoadMeterTest, RaisesAnAlarmOnceInTenMinutes) {
  Thrash();
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0].text, HasSubstr("filters that Winnow's policies read take 60 MiB; "));
  EXPECT_THAT(alarms_[0].text,
              HasSubstr("what helps: a block cache of 120 MiB (filters of 60 MiB, the "));
  EXPECT_EQ(alarms_[0].loads.filters, kFilters);
  EXPECT_EQ(alarms_[0].loads.alarms, 1u);
  EXPECT_EQ(alarms_[0].cache_capacity, uint64_t{1} << 20);
  for (int i = 0; i < 58; ++i) Thrash();
  EXPECT_EQ(alarms_.size(), 1u);
  for (int i = 0; i < 3; ++i) Thrash();
  EXPECT_EQ(alarms_.size(), 2u);
  EXPECT_EQ(meter_.Read().alarms, 2u);
}

TEST_F(LoadMeterTest, DifferentFiltersAreQuiet) {
  for (uint64_t i = 0; i < 10'000; ++i) {
    if (i % 100 == 0) ++g_second;
    meter_.Note(HashKey("another " + std::to_string(i)).value, kBytes);
  }
  EXPECT_TRUE(alarms_.empty());
  EXPECT_EQ(meter_.Read().blocks_again, 0u);
}

TEST_F(LoadMeterTest, WhatTheProgramsFunctionThrowsIsDropped) {
  int calls = 0;
  meter_.SetCallback([&calls](const FilterLoadAlarm&) {
    ++calls;
    throw std::runtime_error("no");
  });
  Thrash();
  EXPECT_EQ(calls, 1);
  meter_.SetCallback(nullptr);
  g_second += 600;
  Thrash();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(meter_.Read().alarms, 2u);
}

TEST_F(LoadMeterTest, TheProgramsFunctionMayReadAndSetFunctions) {
  uint64_t read = 0;
  meter_.SetCallback([this, &read](const FilterLoadAlarm&) {
    read = meter_.Read().blocks + LoadMeter::ReadAll().blocks;
    meter_.SetCallback(nullptr);
  });
  Thrash();
  EXPECT_GT(read, 0u);
}

TEST_F(LoadMeterTest, WritesToTheLogsOfOpenDatabasesAndNamesThem) {
  const auto one = std::make_shared<KeepingLogger>();
  const auto closed = std::make_shared<KeepingLogger>();
  auto gone = std::make_shared<KeepingLogger>();
  const auto other = std::make_shared<KeepingLogger>();
  const int databases[5] = {};
  meter_.Opened(&databases[0], "/data/one", With(one));
  meter_.Opened(&databases[3], "/data/other", With(other));
  meter_.Opened(&databases[4], "/data/silent", With(nullptr));
  meter_.Opened(&databases[1], "/data/closed", With(closed));
  meter_.Opened(&databases[2], "/data/gone", With(gone));
  meter_.Closed(&databases[1]);
  gone.reset();
  Thrash();
  ASSERT_EQ(one->lines.size(), 1u);
  EXPECT_THAT(one->lines[0], HasSubstr("[winnow] filters that Winnow's policies read take 60 MiB"));
  EXPECT_THAT(one->lines[0], HasSubstr("what helps for /data/one /data/other /data/silent: "));
  EXPECT_EQ(other->lines, one->lines);
  EXPECT_TRUE(closed->lines.empty());
  LoadMeter::WriteLate(one.get());
  EXPECT_EQ(one->lines.size(), 1u) << "it was written";
}

// The meter had no LOG before.
TEST_F(LoadMeterTest, WritesToALogThatABuilderShows) {
  KeepingLogger log, late;
  LoadMeter::WriteLate(nullptr);
  LoadMeter::WriteLate(&log);
  EXPECT_TRUE(log.lines.empty());
  Thrash();
  LoadMeter::WriteLate(&log);
  LoadMeter::WriteLate(&log);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_THAT(log.lines[0], HasSubstr("[winnow] filters that Winnow's policies"));
  g_second += 601;
  LoadMeter::WriteLate(&late);
  EXPECT_TRUE(late.lines.empty()) << "ten minutes ago";
  Thrash();
  LoadMeter::WriteLate(&log);
  EXPECT_EQ(log.lines.size(), 2u);
}

TEST_F(LoadMeterTest, SumsAreOverMetersThatAreGoneToo) {
  const FilterLoads before = LoadMeter::ReadAll();
  LoadAll();
  {
    LoadMeter other;
    other.Note(1, 1000);
    other.Note(1, 1000);
    const FilterLoads both = LoadMeter::ReadAll();
    EXPECT_EQ(both.blocks - before.blocks, kFilters + 2);
    EXPECT_EQ(both.filters - before.filters, kFilters + 1);
  }
  const FilterLoads after = LoadMeter::ReadAll();
  EXPECT_EQ(after.blocks - before.blocks, kFilters + 2);
  EXPECT_EQ(after.bytes - before.bytes, kFilters * kBytes + 2000);
  EXPECT_EQ(after.blocks_again - before.blocks_again, 1u);
  EXPECT_EQ(after.filters - before.filters, kFilters);
}

// ---- Where the disk is the limit, and no filter comes three times a minute

struct SlowShape {
  const char* name;
  uint64_t filters;
  uint64_t filter_bytes;
  uint64_t loads_a_minute;   // loads per minute, of the filters in turn
  uint64_t cache_bytes;      // 0 if filters are outside the cache
  uint64_t minutes_a_cache;  // lifetime of a cache, in minutes
  bool has_alarm;
};

class SlowLoadsTest : public LoadMeterTest, public ::testing::WithParamInterface<SlowShape> {
 protected:
  void See() {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = GetParam().cache_bytes > 0;
    table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(GetParam().cache_bytes, 0);
    LoadMeter::See(table);
    seen_ = table.block_cache;
  }

  LoadMeter slow_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> seen_;
};

TEST_P(SlowLoadsTest, HaveAnAlarmOfTenMinutesOrNone) {
  const SlowShape& shape = GetParam();
  slow_.SetCallback([this](const FilterLoadAlarm& alarm) { alarms_.push_back(alarm); });
  for (uint64_t load = 0; load < 30 * shape.loads_a_minute; ++load) {
    if (load % (shape.minutes_a_cache * shape.loads_a_minute) == 0) See();
    g_second = static_cast<int64_t>(5 + 60 * load / shape.loads_a_minute);
    slow_.Note(HashKey("filter " + std::to_string(load % shape.filters)).value, shape.filter_bytes);
  }
  const FilterLoads loads = slow_.Read();
  EXPECT_LE(loads.minute_blocks_again, kAlarmTimesEach * loads.minute_filters_again);
  if (!shape.has_alarm) {
    EXPECT_TRUE(alarms_.empty()) << alarms_[0].text;
    return;
  }
  ASSERT_EQ(alarms_.size(), 2u) << "in half an hour";
  for (const FilterLoadAlarm& alarm : alarms_) {
    EXPECT_THAT(alarm.text, HasSubstr("filters that Winnow's policies read take "));
    EXPECT_THAT(alarm.text, HasSubstr("; in the last ten minutes "));
    EXPECT_GE(alarm.loads.ten_minutes_bytes_again, 5 * alarm.loads.filter_bytes);
  }
}

constexpr uint64_t kMiB = uint64_t{1} << 20;

INSTANTIATE_TEST_SUITE_P(
    Shapes, SlowLoadsTest,
    ::testing::Values(
        // Twelve lookups per minute, each in three files: 3.2 GB in half an hour.
        SlowShape{"NineMegabytesALookup", 20, 3 * kMiB, 36, kMiB, 30, true},
        SlowShape{"FiveAndAHalfTimesAll", 100, 3 * kMiB, 55, kMiB, 30, true},
        SlowShape{"FourAndAHalfTimesAll", 100, 3 * kMiB, 45, kMiB, 30, false},
        SlowShape{"EachAgainInTenMinutes", 400, 3 * kMiB, 41, kMiB, 30, false},
        SlowShape{"FewBytes", 20, kMiB, 36, kMiB, 30, false},
        SlowShape{"RoomInTheCache", 20, 3 * kMiB, 36, 1024 * kMiB, 30, false},
        SlowShape{"ANewCacheEachMinute", 20, 3 * kMiB, 36, kMiB, 1, false},
        SlowShape{"ANewCacheEachNineMinutes", 20, 3 * kMiB, 36, kMiB, 9, false},
        SlowShape{"OutsideOfTheCache", 20, 3 * kMiB, 36, 0, 30, false}),
    [](const auto& test) { return std::string(test.param.name); });

// Threads read all meters while a child is forked and creates its own meter.
TEST_F(LoadMeterTest, AForkedChildMakesMetersWhileThreadsReadThem) {
  if (testing::kSanitized) GTEST_SKIP() << "skipped: a sanitizer's malloc may hang in such a child";
  std::atomic<bool> may_end{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&may_end] {
      while (!may_end) LoadMeter::ReadAll();
    });
  }
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      { const LoadMeter made; }
      ::_exit(0);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "child " << i << " ended by signal " << WTERMSIG(status);
  }
  may_end = true;
  for (std::thread& thread : threads) thread.join();
}

// WINNOW_TEST_LOADS=1000000 runs a million loads.
TEST_F(LoadMeterTest, IsSafeFromManyThreads) {
  constexpr uint64_t kThreads = 8;
  const char* const asked = std::getenv("WINNOW_TEST_LOADS");
  const uint64_t loads_of_a_thread = (asked != nullptr ? std::stoull(asked) : 40'000) / kThreads;
  std::atomic<uint64_t> calls{0};
  meter_.SetCallback([&calls](const FilterLoadAlarm&) { ++calls; });
  const auto log = std::make_shared<KeepingLogger>();
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &log, loads_of_a_thread] {
      for (uint64_t i = 0; i < loads_of_a_thread; ++i) {
        meter_.Note(HashKey(std::to_string((i + t) % 1000)).value, kBytes);
        if (i % 1000 == 0) {
          ++g_second;
          meter_.Opened(&threads_[t], "/data", With(log));
          LoadMeter::WriteLate(log.get());
          LoadMeter::ReadAll();
          meter_.Closed(&threads_[t]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(meter_.Read().blocks, kThreads * loads_of_a_thread);
  EXPECT_EQ(meter_.Read().alarms, calls);
}

}  // namespace load_meter_test
}  // namespace winnow::plugin
