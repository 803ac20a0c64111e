#include "src/rocksdb/load_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class KeepingLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[4096];
    std::vsnprintf(line, sizeof line, format, arguments);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

std::atomic<int64_t> g_second{0};

constexpr uint64_t kFilters = 20;
constexpr uint64_t kBytes = 3 << 20;

class LoadMeterTest : public ::testing::Test {
 protected:
  LoadMeterTest() {
    g_second = 5;  // the machine has just started
    LoadMeter::SetClock([] { return LoadMeter::Time(seconds(g_second)); });
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    table.block_cache = cache_;
    meter_.See(table);
    meter_.SetCallback([this](const FilterLoadAlarm& alarm) { alarms_.push_back(alarm); });
  }
  ~LoadMeterTest() override { LoadMeter::SetClock(nullptr); }

  // Each filter once.
  void LoadAll() {
    for (uint64_t i = 0; i < kFilters; ++i) {
      meter_.Note(HashKey("filter " + std::to_string(i)).value, kBytes);
    }
  }
  // As where a cache has no room.
  void Thrash() {
    for (int i = 0; i < 10; ++i) {
      ++g_second;
      LoadAll();
    }
  }

  const std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache_ =
      ROCKSDB_NAMESPACE::NewLRUCache(size_t{1} << 20, 0);
  LoadMeter meter_;
  std::vector<FilterLoadAlarm> alarms_;
  const int threads_[8] = {};  // names of databases
};

TEST_F(LoadMeterTest, RaisesAnAlarmOnceInTenMinutes) {
  Thrash();
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0].text, HasSubstr("filters read through this policy take 60 MiB; "));
  EXPECT_THAT(alarms_[0].text, HasSubstr("--cache=1MiB`"));
  EXPECT_EQ(alarms_[0].loads.filters, kFilters);
  EXPECT_EQ(alarms_[0].loads.alarms, 1u);
  EXPECT_EQ(alarms_[0].cache_capacity, uint64_t{1} << 20);
  for (int i = 0; i < 58; ++i) Thrash();
  EXPECT_EQ(alarms_.size(), 1u);
  for (int i = 0; i < 3; ++i) Thrash();
  EXPECT_EQ(alarms_.size(), 2u);
  EXPECT_EQ(meter_.Read().alarms, 2u);
}

// As where a database is opened thrice a minute, for an hour: no reason to say anything.
TEST_F(LoadMeterTest, ThreeLoadsAMinuteAreQuiet) {
  for (int i = 0; i < 180; ++i) {
    LoadAll();
    g_second += 20;
  }
  EXPECT_GT(meter_.Read().minute_bytes_again, uint64_t{100} << 20);
  EXPECT_TRUE(alarms_.empty());
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

TEST_F(LoadMeterTest, WritesToTheLogsOfOpenDatabases) {
  const auto one = std::make_shared<KeepingLogger>();
  const auto closed = std::make_shared<KeepingLogger>();
  auto gone = std::make_shared<KeepingLogger>();
  const int databases[3] = {};
  meter_.Opened(&databases[0], "/data/one", one, -1);
  meter_.Opened(&databases[1], "/data/closed", closed, -1);
  meter_.Opened(&databases[2], "/data/gone", gone, -1);
  meter_.Closed(&databases[1]);
  gone.reset();
  Thrash();
  ASSERT_EQ(one->lines.size(), 1u);
  EXPECT_THAT(one->lines[0], HasSubstr("[winnow] filters read through this policy take 60 MiB"));
  EXPECT_THAT(one->lines[0], HasSubstr("winnow advise /data/one --cache"));
  EXPECT_TRUE(closed->lines.empty());
  meter_.WriteLate(one.get());
  EXPECT_EQ(one->lines.size(), 1u) << "it was written";
}

TEST_F(LoadMeterTest, NamesADatabaseWithoutALog) {
  const int database = 0;
  meter_.Opened(&database, "/data/one", nullptr, -1);
  Thrash();
  ASSERT_EQ(alarms_.size(), 1u);
  EXPECT_THAT(alarms_[0].text, HasSubstr("winnow advise /data/one --cache"));
}

TEST_F(LoadMeterTest, OfSeveralDatabasesNamesNone) {
  const auto one = std::make_shared<KeepingLogger>();
  const auto other = std::make_shared<KeepingLogger>();
  const int databases[2] = {};
  meter_.Opened(&databases[0], "/data/one", one, -1);
  meter_.Opened(&databases[1], "/data/other", other, -1);
  Thrash();
  ASSERT_EQ(one->lines.size(), 1u);
  ASSERT_EQ(other->lines.size(), 1u);
  EXPECT_THAT(one->lines[0], HasSubstr("winnow advise FOLDER"));
}

// Where nothing showed the log before.
TEST_F(LoadMeterTest, WritesToALogThatABuilderShows) {
  KeepingLogger log, late;
  meter_.WriteLate(nullptr);
  meter_.WriteLate(&log);
  EXPECT_TRUE(log.lines.empty());
  Thrash();
  meter_.WriteLate(&log);
  meter_.WriteLate(&log);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_THAT(log.lines[0], HasSubstr("[winnow] filters read through this policy"));
  g_second += 601;
  meter_.WriteLate(&late);
  EXPECT_TRUE(late.lines.empty()) << "ten minutes ago";
  Thrash();
  meter_.WriteLate(&log);
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

// A million with WINNOW_TEST_LOADS=1000000.
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
          meter_.Opened(&threads_[t], "/data", log, 100);
          meter_.WriteLate(log.get());
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

}  // namespace
}  // namespace winnow::plugin
