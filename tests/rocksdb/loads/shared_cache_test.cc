// Alarms of several policies with one cache.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/messages/open_databases.h"
#include "tests/rocksdb/loads/loads_testing.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {
namespace shared_cache_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ::testing::HasSubstr;

class SharedMetersTest : public ::testing::Test {
 protected:
  // Size of a filter, too small for an alarm of one policy.
  static constexpr uint64_t kBytes = 80 << 10;

  struct Policy {
    std::unique_ptr<LoadMeter> meter = std::make_unique<LoadMeter>();
    std::string filter;
    std::vector<FilterLoadAlarm> alarms;
  };

  SharedMetersTest() {
    g_second = 50;
    LoadMeter::StartAnew([] { return LoadMeter::Time(std::chrono::seconds(g_second)); });
    before_ = LoadMeter::ReadAll().alarms;
  }
  ~SharedMetersTest() override { LoadMeter::StartAnew(nullptr); }

  static void SeeCache(const std::shared_ptr<Cache>& cache) {
    BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    table.block_cache = cache;
    LoadMeter::See(table);
  }

  Policy& Add(const std::shared_ptr<Cache>& cache) {
    policies_.push_back(std::make_unique<Policy>());
    Policy& added = *policies_.back();
    added.filter = "of " + std::to_string(policies_.size());
    SeeCache(cache);
    added.meter->SetCallback(
        [&added](const FilterLoadAlarm& alarm) { added.alarms.push_back(alarm); });
    return added;
  }

  void Load(const Policy& policy, uint64_t bytes = kBytes) {
    if (policy.meter != nullptr) policy.meter->Note(HashKey(policy.filter).value, bytes);
  }
  // Loads each policy's filter ten times per second.
  void LoadAll(int duration) {
    for (int i = 0; i < 10 * duration; ++i) {
      if (i % 10 == 0) ++g_second;
      for (const std::unique_ptr<Policy>& policy : policies_) Load(*policy);
    }
  }

  uint64_t AlarmsOfTheProcess() const { return LoadMeter::ReadAll().alarms - before_; }

  std::shared_ptr<Cache> cache_ = NewLRUCache(size_t{1} << 20, 0);
  std::vector<std::unique_ptr<Policy>> policies_;
  uint64_t before_ = 0;
};

TEST_F(SharedMetersTest, HaveOneAlarmInTenMinutes) {
  for (int i = 0; i < 100; ++i) Add(cache_);
  LoadAll(20);
  const std::string text = policies_[0]->alarms.at(0).text;
  EXPECT_THAT(text, HasSubstr("filters that Winnow's policies read take 7.8 MiB"));
  for (const std::unique_ptr<Policy>& policy : policies_) {
    ASSERT_EQ(policy->alarms.size(), 1u);
    EXPECT_EQ(policy->alarms[0].loads.alarms, 1u);
    EXPECT_EQ(policy->alarms[0].loads.filters, 1u) << "its own figures";
    EXPECT_EQ(policy->alarms[0].text, text);
    EXPECT_EQ(policy->meter->Read().alarms, 1u);
  }
  EXPECT_EQ(AlarmsOfTheProcess(), 1u);
  EXPECT_THAT(CountersAsPrometheusText(),
              HasSubstr("\nwinnow_filter_load_alarms_total " + std::to_string(before_ + 1) + "\n"));
  g_second += 570;
  LoadAll(5);
  EXPECT_EQ(AlarmsOfTheProcess(), 1u);
  LoadAll(15);
  EXPECT_EQ(AlarmsOfTheProcess(), 2u);
  EXPECT_EQ(policies_[99]->alarms.size(), 2u);
}

// A program may own several caches by one object.
TEST_F(SharedMetersTest, OfOtherCachesAreSummedToo) {
  struct Caches {
    std::shared_ptr<Cache> one = NewLRUCache(size_t{1} << 20, 0);
    std::shared_ptr<Cache> other = NewLRUCache(size_t{2} << 20, 0);
  };
  const auto caches = std::make_shared<Caches>();
  for (int i = 0; i < 100; ++i) {
    Add({caches, i % 2 == 0 ? caches->one.get() : caches->other.get()});
  }
  LoadAll(20);
  EXPECT_EQ(AlarmsOfTheProcess(), 1u);
  ASSERT_EQ(policies_[0]->alarms.size(), 1u);
  EXPECT_THAT(policies_[0]->alarms[0].text, HasSubstr("2 block caches have 3.0 MiB in 2 shards"));
  EXPECT_EQ(policies_[0]->alarms[0].cache_capacity, uint64_t{3} << 20);
}

TEST_F(SharedMetersTest, SizesOfADatabaseAreThoseOfItsList) {
  const int database = 0;
  for (int i = 0; i < 100; ++i) Add(cache_).meter->Opened(&database, "/data/one", DBOptions());
  NoteListed(&database, {uint64_t{4} << 30, uint64_t{2} << 30});
  LoadAll(20);
  EXPECT_THAT(policies_[0]->alarms.at(0).text,
              HasSubstr("(filters of 4.0 GiB, indexes of 2.0 GiB, and data)"));
  policies_[0]->meter->Closed(&database);
}

TEST_F(SharedMetersTest, OneThroughWhichNothingIsLoadedLearnsNoOldAlarm) {
  for (int i = 0; i < 100; ++i) Add(cache_);
  Policy& idle = Add(cache_);
  const std::unique_ptr<Policy> kept = std::move(policies_.back());
  policies_.pop_back();
  LoadAll(20);
  EXPECT_EQ(AlarmsOfTheProcess(), 1u);
  EXPECT_EQ(idle.meter->Read().alarms, 1u);
  g_second += 700;
  Load(idle);
  EXPECT_TRUE(idle.alarms.empty());
}

TEST_F(SharedMetersTest, WriteOneLineIntoALogAndNameTheFolders) {
  const auto log = std::make_shared<KeepingLogger>();
  ROCKSDB_NAMESPACE::DBOptions options;
  options.info_log = log;
  const int databases[2] = {};
  for (int i = 0; i < 100; ++i) {
    Add(cache_).meter->Opened(&databases[i % 2], i % 2 == 0 ? "/data/one" : "/data/two", options);
  }
  LoadAll(20);
  LoadMeter::WriteLate(log.get());
  ASSERT_EQ(log->lines.size(), 1u);
  EXPECT_THAT(log->lines[0], HasSubstr("; what helps for /data/one /data/two: "));
}

TEST_F(SharedMetersTest, FunctionsOfPoliciesThatAreGoneAreNotCalled) {
  for (int i = 0; i < 100; ++i) Add(cache_);
  bool is_gone = false;
  policies_[99]->meter->SetCallback([&is_gone](const FilterLoadAlarm&) { EXPECT_FALSE(is_gone); });
  policies_[0]->meter->SetCallback([&](const FilterLoadAlarm&) {
    is_gone = true;
    policies_[99]->meter.reset();
  });
  LoadAll(20);
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(AlarmsOfTheProcess(), 1u);
}

// Policies are created and destroyed during loads and alarms of others.
TEST_F(SharedMetersTest, MayGoAtAnyTime) {
  constexpr int kThreads = 8;
  std::atomic<uint64_t> calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &calls] {
      const auto log = std::make_shared<KeepingLogger>();
      ROCKSDB_NAMESPACE::DBOptions options;
      options.info_log = log;
      for (int life = 0; life < 20; ++life) {
        LoadMeter meter;
        std::atomic<bool> lives{true};
        SeeCache(cache_);
        meter.Opened(&meter, "/data", options);
        meter.SetCallback([&calls, &lives](const FilterLoadAlarm&) {
          EXPECT_TRUE(lives);
          ++calls;
          LoadMeter::ReadAll();
        });
        if (t == 0) g_second += 700;
        for (int i = 0; i < 200; ++i) {
          meter.Note(HashKey(std::to_string(t)).value, 1 << 20);
          if (i % 5 == 0) ++g_second;
        }
        meter.Closed(&meter);
        lives = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(calls, 0u);
  EXPECT_GT(AlarmsOfTheProcess(), 0u);
}

}  // namespace shared_cache_test
}  // namespace winnow::plugin
