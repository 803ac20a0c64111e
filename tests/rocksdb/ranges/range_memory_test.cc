// Effects of range filters on filter sizes: level plans ignore them, and filter_memory includes
// them and drops them first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/range_of_table.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace range_memory_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;

constexpr uint64_t kMostKeys = 1 << 30;

std::string Key(uint64_t number) {
  char key[24];
  std::snprintf(key, sizeof key, "k%012llu", static_cast<unsigned long long>(number));
  return key;
}

struct Sizes {
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t range_files = 0;
  uint64_t range_bytes = 0;
  std::multiset<double> rates;                // target rates of the filters
  double range_bits = 0;                      // mean over keys
  std::map<int, double> range_bits_of_level;  // keyed by the files' current level
  double PointBits() const {
    return 8 * static_cast<double>(bytes - range_bytes) / static_cast<double>(keys);
  }
};

class RangeMemoryTest : public ::testing::Test {
 protected:
  RangeMemoryTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  void Open(const std::string& policy,
            const std::function<void(Options*, BlockBasedTableOptions*)>& change = nullptr) {
    database_.reset();
    read_.clear();
    filters_.clear();
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(policy);
    options_ = testing::SmallLevels(table);
    options_.write_buffer_size = 64 << 20;  // flushes are called, at rest
    options_.prefix_extractor = NewRangeExtractor();
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    if (change) change(&options_, &table);
    options_.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    options_.listeners = {NewListener(table.filter_policy)};
    database_ = testing::OpenDatabase(options_, path_);
  }

  // Removes the database. The next one gets the same keys.
  void Clear() {
    database_.reset();
    EXPECT_TRUE(ROCKSDB_NAMESPACE::DestroyDB(path_, options_).ok());
    keys_.clear();
    random_.seed(1);
  }

  void PutRandom(uint64_t n) {
    constexpr uint64_t kKeysOfFlush = 700;
    WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = 0; i < n; ++i) {
      if (i > 0 && i % kKeysOfFlush == 0) {
        ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
        testing::WaitForRest(database_.get());
      }
      const std::string key = Key(random_() % kMostKeys);
      ASSERT_STATUS_OK(database_->Put(write, key, "a value of some bytes"));
      keys_.insert(key);
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    testing::WaitForRest(database_.get());
  }

  Sizes Now() {
    Sizes sizes;
    ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
    EXPECT_TRUE(database_->GetPropertiesOfAllTables(&tables).ok());
    for (testing::FileFilter& file : testing::ReadFilters(path_, read_)) {
      read_.insert(file.file);
      filters_[file.file.substr(file.file.rfind('/') + 1)] = std::move(file);
    }
    ROCKSDB_NAMESPACE::ColumnFamilyMetaData tree;
    database_->GetColumnFamilyMetaData(&tree);
    std::map<std::string, std::pair<int, uint64_t>> levels;  // file to level and its keys
    for (const auto& level : tree.levels) {
      uint64_t keys = 0;
      for (const auto& file : level.files) keys += file.num_entries;
      for (const auto& file : level.files) levels[file.name.substr(1)] = {level.level, keys};
    }
    for (const auto& [name, table] : tables) {
      const testing::FileFilter& file = filters_.at(name.substr(name.rfind('/') + 1));
      ++sizes.files;
      sizes.keys += file.entries;
      sizes.bytes += file.block.size();
      const size_t range = testing::RangeFilterOfTable(file.block).size();
      sizes.range_files += range > 0 ? 1 : 0;
      sizes.range_bytes += range;
      sizes.rates.insert(FilterView(file.block).info().target_fpr);
      if (range == 0) continue;
      const RangeFilterInfo info = RangeFilterView(testing::RangeFilterOfTable(file.block)).info();
      const auto [level, keys] = levels.at(name.substr(name.rfind('/') + 1));
      sizes.range_bits += info.range_bits * static_cast<double>(file.entries);
      sizes.range_bits_of_level[level] +=
          info.range_bits * static_cast<double>(file.entries) / static_cast<double>(keys);
    }
    sizes.range_bits /= static_cast<double>(sizes.keys);
    return sizes;
  }

  // Expects the right rows from scans adjacent to keys and elsewhere.
  void ExpectRows() {
    std::mt19937_64 random(2);
    for (int i = 0; i < 2000; ++i) {
      const auto near = keys_.lower_bound(Key(random() % kMostKeys));
      const std::string begin =
          i % 2 == 0 && near != keys_.end() ? *near + "0" : Key(random() % kMostKeys);
      const std::string end = Key(std::stoull(begin.substr(1, 12)) + random() % 2000);
      const Slice bound(end);
      ReadOptions read;
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<Iterator> rows(database_->NewIterator(read));
      auto expected = keys_.lower_bound(begin);
      for (rows->Seek(begin); rows->Valid(); rows->Next(), ++expected) {
        ASSERT_NE(expected, keys_.end());
        ASSERT_EQ(rows->key().ToString(), *expected);
      }
      ASSERT_STATUS_OK(rows->status());
      ASSERT_TRUE(expected == keys_.end() || *expected >= end) << begin << " to " << end;
    }
  }

  std::string Log() const { return testing::ReadFile(path_ + "/LOG"); }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  Options options_;
  std::unique_ptr<DB> database_;
  std::set<std::string> keys_;
  std::mt19937_64 random_{1};

 private:
  std::set<std::string> read_;  // files already read, which never change
  std::map<std::string, testing::FileFilter> filters_;
};

// Files of an earlier policy are included, whose total filter size is known.
TEST_F(RangeMemoryTest, ALevelPlanGivesTheRatesThatItGivesWithoutThem) {
  for (const bool opens_again : {false, true}) {
    Sizes sizes[2];
    int accurate[2] = {0, 0};
    double bits[2] = {0, 0};  // sums over states of the tree
    for (const bool has_ranges : {false, true}) {
      const std::string policy = std::string("{id=winnow;bits_per_key=10;level_plan=auto") +
                                 (has_ranges ? ";range_bits=15}" : "}");
      Open(policy);
      for (int round = 0; round < 20; ++round) {
        PutRandom(2'000);
        if (opens_again && round == 8) Open(policy);
        if (round <= 8) continue;
        // Counts filters of upper levels, whose rates are far below a uniform filter's. Jobs end in
        // a different order each time, so many states of the tree are counted.
        sizes[has_ranges] = Now();
        bits[has_ranges] += sizes[has_ranges].PointBits();
        for (const double rate : sizes[has_ranges].rates) {
          accurate[has_ranges] += rate < 0.005 ? 1 : 0;
        }
      }
      if (has_ranges) ExpectRows();
      Clear();
    }
    EXPECT_EQ(sizes[1].range_files, sizes[1].files);
    EXPECT_EQ(sizes[0].range_bytes, 0u);
    EXPECT_NEAR(bits[1] / bits[0], 1, 0.1);
    EXPECT_GT(accurate[0], 20);
    EXPECT_GT(accurate[1], accurate[0] / 2) << accurate[0];
  }
}

// Small levels have more range bits at an equal mean of range_bits, so that an empty scan reads
// less.
TEST_F(RangeMemoryTest, SmallLevelsHaveMoreRangeBits) {
  const auto reads = [](const Sizes& sizes) {
    double sum = 0;
    for (const auto& [level, bits] : sizes.range_bits_of_level) sum += std::exp2(15 - bits);
    return sum;
  };
  for (const char* const plan : {"uniform", "auto"}) {
    Open(std::string("{id=winnow;bits_per_key=10;range_bits=15;level_plan=") + plan + "}");
    for (int round = 0; round < 20; ++round) PutRandom(2'000);
    const Sizes now = Now();
    EXPECT_NEAR(now.range_bits, 15, 0.4);
    const auto levels = static_cast<double>(now.range_bits_of_level.size());
    if (plan == std::string("uniform")) {
      EXPECT_NEAR(reads(now), levels, 1e-6);
    } else {
      EXPECT_LT(reads(now), 0.8 * levels);
      EXPECT_GT(now.range_bits_of_level.begin()->second, 15.5);
    }
    ExpectRows();
    Clear();
  }
}

// A growing tree passes all states: range filters in all files, in some, in none, as the log says.
TEST_F(RangeMemoryTest, AGrowingTreeStaysInItsMemory) {
  constexpr double kMemory = 48 << 10;
  for (const char* plan : {"uniform", "auto"}) {
    Open(std::string("{id=winnow;bits_per_key=10;filter_memory=48KiB;range_bits=15;level_plan=") +
         plan + "}");
    bool had_most = false;
    bool had_none = false;
    while (keys_.size() < 60'000) {
      PutRandom(3000);
      const Sizes now = Now();
      EXPECT_LT(static_cast<double>(now.bytes) / kMemory, 1.25) << now.keys << " keys";
      had_most = had_most || now.range_files * 5 > now.files * 4;
      had_none = had_none || now.range_files * 5 < now.files;
      EXPECT_GT(now.PointBits(), 5) << now.keys << " keys";
    }
    EXPECT_TRUE(had_most) << plan;
    EXPECT_TRUE(had_none) << plan;
    EXPECT_THAT(Log(), HasSubstr("range_bits: a file or more has no range filter: filter_memory "
                                 "has room for filters of single keys alone"));
    EXPECT_THAT(Log(), HasSubstr("and no range filters, for lack of room"));
    ExpectRows();
    Clear();
  }
}

// Some partitions have range filters and some do not; scans find their rows in both.
TEST_F(RangeMemoryTest, PartitionsStayInTheMemory) {
  Open("{id=winnow;bits_per_key=10;filter_memory=40KiB;range_bits=15}",
       [](Options*, BlockBasedTableOptions* table) {
         table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
         table->partition_filters = true;
         table->metadata_block_size = 512;
       });
  for (int round = 0; round < 12; ++round) {
    PutRandom(3'000);
    ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
    ASSERT_STATUS_OK(database_->GetPropertiesOfAllTables(&tables));
    uint64_t bytes = 0;
    for (const auto& [name, table] : tables) bytes += table->filter_size;
    // The size includes the partition index.
    EXPECT_LT(bytes, 1.4 * (40 << 10)) << round;
  }
  ExpectRows();
}

}  // namespace range_memory_test
}  // namespace winnow::plugin
