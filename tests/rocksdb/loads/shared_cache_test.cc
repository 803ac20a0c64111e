// Alarms of several policies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/loads/load_alarm.h"
#include "src/rocksdb/messages/open_databases.h"
#include "tests/rocksdb/loads/loads_testing.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace shared_cache_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::NewLRUCache;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::Key;
using ::testing::Not;

constexpr size_t kFamilies = 100;
constexpr uint64_t kKeysOfAFamily = 2500;  // filter size 5 KB

class SharedCacheTest : public ::testing::Test {
 protected:
  SharedCacheTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    g_second = 50;
    LoadMeter::StartAnew([] { return LoadMeter::Time(std::chrono::seconds(g_second)); });
  }
  ~SharedCacheTest() override {
    Close();
    LoadMeter::StartAnew(nullptr);
  }

  void Close() {
    if (database_ == nullptr) return;
    for (ColumnFamilyHandle* const handle : handles_) {
      EXPECT_TRUE(database_->DestroyColumnFamilyHandle(handle).ok());
    }
    handles_.clear();
    database_.reset();
  }

  // Writes one file with one filter to each column family.
  void Write() {
    BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    table.filter_policy = testing::MakePolicyFrom("winnow:32");
    const ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table);
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
    std::vector<std::string> names;
    for (size_t i = 0; i < kFamilies; ++i) names.push_back("family " + std::to_string(i));
    ASSERT_STATUS_OK(database_->CreateColumnFamilies(options, names, &handles_));
    WriteOptions write;
    write.disableWAL = true;
    for (size_t family = 0; family < kFamilies; ++family) {
      for (uint64_t i = 0; i < kKeysOfAFamily; ++i) {
        const std::string key = Key(family * kKeysOfAFamily + i);
        ASSERT_STATUS_OK(database_->Put(write, handles_[family], key, ""));
      }
      ASSERT_STATUS_OK(database_->Flush(FlushOptions(), handles_[family]));
    }
    Close();
  }

  // Opens the database by its OPTIONS file, which gives each column family its own policy.
  void OpenByOptionsFile(std::shared_ptr<Cache> cache) {
    DBOptions options;
    std::vector<ColumnFamilyDescriptor> families;
    ASSERT_STATUS_OK(
        LoadLatestOptions(testing::StrictConfig(), path_, &options, &families, &cache));
    for (const ColumnFamilyDescriptor& family : families) {
      const auto* table = family.options.table_factory->GetOptions<BlockBasedTableOptions>();
      policies_.push_back(table->filter_policy);
    }
    ASSERT_EQ(std::set(policies_.begin(), policies_.end()).size(), kFamilies + 1);
    alarms_.resize(policies_.size());
    for (size_t i = 0; i < policies_.size(); ++i) {
      SetFilterLoadAlarm(*policies_[i],
                         [this, i](const FilterLoadAlarm& alarm) { alarms_[i].push_back(alarm); });
    }
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(DB::Open(options, path_, families, &handles_, &opened));
    database_ = rocksdb_abi::Own(std::move(opened));
  }

  // Gets keys from random column families, except the empty default one. Half of the keys are
  // absent.
  void LookUp(int lookups) {
    std::string value;
    for (int i = 0; i < lookups; ++i) {
      if (i % 400 == 0) ++g_second;
      const uint64_t key = random_() % (kFamilies * kKeysOfAFamily);
      database_->Get(ReadOptions(), handles_[1 + key / kKeysOfAFamily],
                     i % 2 == 0 ? Key(key) : testing::AbsentKey(key), &value);
    }
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "db";
  std::unique_ptr<DB> database_;
  std::vector<ColumnFamilyHandle*> handles_;
  std::vector<std::shared_ptr<const FilterPolicy>> policies_;  // the first is the default family's
  std::vector<std::vector<FilterLoadAlarm>> alarms_;           // one vector per policy
  std::mt19937_64 random_{17};
};

TEST_F(SharedCacheTest, PoliciesOfOneCacheHaveOneAlarm) {
  Write();
  const uint64_t alarms_before = CurrentFilterLoads().alarms;
  OpenByOptionsFile(NewLRUCache(size_t{100} << 10, 0));
  LookUp(20'000);
  std::set<std::string> texts;
  for (size_t i = 1; i < policies_.size(); ++i) {
    FilterLoads loads;
    ASSERT_TRUE(CurrentFilterLoads(*policies_[i], &loads));
    EXPECT_LT(loads.bytes_again, kAlarmBytesAgain) << "each alone is below the bound";
    EXPECT_EQ(loads.alarms, 1u) << i;
    ASSERT_EQ(alarms_[i].size(), 1u) << i;
    EXPECT_EQ(alarms_[i][0].loads.alarms, 1u);
    texts.insert(alarms_[i][0].text);
  }
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_THAT(texts, Each(HasSubstr("filters that Winnow's policies read take ")));
  EXPECT_EQ(CurrentFilterLoads().alarms - alarms_before, 1u) << "one of the process";
  EXPECT_THAT(CountersAsPrometheusText(), HasSubstr("\nwinnow_filter_load_alarms_total " +
                                                    std::to_string(alarms_before + 1) + "\n"));
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), handles_[1], "key", "value"));
  ASSERT_STATUS_OK(database_->Flush(FlushOptions(), handles_[1]));
  EXPECT_THAT(testing::ReadFile(path_ + "/LOG"), HasSubstr("[winnow] filters that Winnow's"));
}

TEST_F(SharedCacheTest, PoliciesOfOneCacheWithRoomAreQuiet) {
  Write();
  const uint64_t alarms_before = CurrentFilterLoads().alarms;
  OpenByOptionsFile(NewLRUCache(size_t{64} << 20, 0));
  LookUp(20'000);
  EXPECT_EQ(CurrentFilterLoads().alarms, alarms_before);
  for (const std::vector<FilterLoadAlarm>& alarms : alarms_) EXPECT_TRUE(alarms.empty());
}

// ---- The same of meters alone

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
