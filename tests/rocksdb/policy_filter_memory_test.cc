// Option filter_memory in databases: filters stay within the memory, and no key is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/becomes.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_filter_memory_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::Key;
using testing::MakePolicyFrom;

struct Memory {
  uint64_t keys = 0;
  uint64_t bytes = 0;
  double BitsAKey() const { return 8.0 * static_cast<double>(bytes) / static_cast<double>(keys); }
};

class FilterMemoryTest : public ::testing::Test {
 protected:
  FilterMemoryTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }
  ~FilterMemoryTest() override { Close(); }

  // Opens a database with several levels of files of a few hundred keys.
  void Open(const std::string& policy, bool with_listener = true,
            const std::function<void(Options*, BlockBasedTableOptions*)>& change = nullptr) {
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(policy);
    options_ = testing::SmallLevels(table);
    options_.write_buffer_size = 64 << 20;  // flushes are called, at rest
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    if (change) change(&options_, &table);
    options_.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    if (with_listener) options_.listeners.push_back(NewListener(table.filter_policy));
    database_ = testing::OpenDatabase(options_, path_);
    ASSERT_NE(database_, nullptr);
    families_ = {database_->DefaultColumnFamily()};
  }

  void AddFamily(const std::string& name) {
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database_->CreateColumnFamily(options_, name, &family));
    families_.push_back(family);
  }

  void DropFamily(size_t family) {
    ASSERT_STATUS_OK(database_->DropColumnFamily(families_[family]));
    ASSERT_STATUS_OK(database_->DestroyColumnFamilyHandle(families_[family]));
    families_.erase(families_.begin() + static_cast<ptrdiff_t>(family));
  }

  void Close() {
    for (size_t i = 1; i < families_.size(); ++i) {
      EXPECT_TRUE(database_->DestroyColumnFamilyHandle(families_[i]).ok());
    }
    families_.clear();
    database_.reset();
  }

  void Put(uint64_t key, size_t family = 0) {
    const std::string value = "value of " + Key(key);
    WriteOptions write;
    write.disableWAL = true;
    ASSERT_STATUS_OK(database_->Put(write, families_[family], Key(key), value));
    if (family == 0) model_[Key(key)] = value;
  }

  void FlushAndWaitForCompactions() {
    for (ColumnFamilyHandle* family : families_) {
      ASSERT_STATUS_OK(database_->Flush(FlushOptions(), family));
    }
    testing::WaitForRest(database_.get());
  }

  // Puts `n` random keys below kMostKeys, from a fixed seed.
  void PutRandom(uint64_t n, size_t family = 0) {
    constexpr uint64_t kKeysOfFlush = 700;
    for (uint64_t i = 0; i < n; ++i) {
      Put(random_() % kMostKeys, family);
      if (i % kKeysOfFlush == kKeysOfFlush - 1) FlushAndWaitForCompactions();
    }
  }

  void RewriteAll() {
    CompactRangeOptions all;
    all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    for (ColumnFamilyHandle* family : families_) {
      ASSERT_STATUS_OK(database_->CompactRange(all, family, nullptr, nullptr));
    }
  }

  // Returns the keys and filter bytes of all live files, for all column families.
  Memory Now() const {
    Memory memory;
    for (ColumnFamilyHandle* family : families_) {
      ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
      EXPECT_TRUE(database_->GetPropertiesOfAllTables(family, &tables).ok());
      for (const auto& [name, table] : tables) {
        memory.keys += table->num_entries;
        memory.bytes += table->filter_size;
      }
    }
    return memory;
  }

  std::string Log() const { return testing::ReadFile(path_ + "/LOG"); }
  void ExpectAll() const { testing::ExpectAllKeys(*database_, model_, kMostKeys); }

  static constexpr uint64_t kMostKeys = 1 << 17;
  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  Options options_;
  std::unique_ptr<DB> database_;
  std::vector<ColumnFamilyHandle*> families_;
  testing::Model model_;
  std::mt19937_64 random_{1};
};

class EachPlanOfMemoryTest : public FilterMemoryTest,
                             public ::testing::WithParamInterface<const char*> {
 protected:
  static std::string Policy(const std::string& filter_memory) {
    return "{id=winnow;filter_memory=" + filter_memory + ";level_plan=" + GetParam() + "}";
  }
};

// Grows to seven times the keys that have 7 bits in this memory.
TEST_P(EachPlanOfMemoryTest, AGrowingTreeStaysInIt) {
  constexpr double kMemory = 6 << 10;
  Open(Policy("6KiB"));
  bool was_full = false;
  while (model_.size() < 50'000) {
    PutRandom(2000);
    FlushAndWaitForCompactions();
    const Memory now = Now();
    const double share = static_cast<double>(now.bytes) / kMemory;
    // A file of a few hundred keys is a few percent of all, and its filter has a trailer.
    EXPECT_LT(share, 1.25) << now.keys << " keys";
    if (now.keys > 40'000) {
      EXPECT_LT(now.BitsAKey(), 2);
    }
    was_full = was_full || share > 0.9;
  }
  EXPECT_TRUE(was_full);
  EXPECT_THAT(Log(), HasSubstr("filter_memory=6KiB: "));
  ExpectAll();
}

TEST_P(EachPlanOfMemoryTest, KeepsAllKeysWithOneBitAndWithoutFilters) {
  for (const char* memory : {"1", "300", "2KiB"}) {
    Open(Policy(memory), true, [](Options* options, BlockBasedTableOptions* table) {
      table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table->partition_filters = true;
      table->metadata_block_size = 256;
      options->prefix_extractor.reset(
          ROCKSDB_NAMESPACE::NewFixedPrefixTransform(testing::kPrefixBytes));
    });
    PutRandom(8000);
    FlushAndWaitForCompactions();
    ExpectAll();
    // Partitions of a few hundred keys have a trailer each, the first one decides for all, and
    // compactions start at other moments on a busy machine. More than 13 if memory is ignored.
    EXPECT_LT(Now().BitsAKey(), 8) << memory;
    Close();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, options_));
    model_.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, EachPlanOfMemoryTest, ::testing::Values("uniform", "auto"),
                         [](const auto& plan) { return std::string(plan.param); });

TEST_F(FilterMemoryTest, WithoutAListenerBitsPerKeyCountsAndTheLogSaysSo) {
  Open("{id=winnow;bits_per_key=12;filter_memory=1KiB}", /*with_listener=*/false);
  PutRandom(10'000);
  FlushAndWaitForCompactions();
  EXPECT_GT(Now().BitsAKey(), 8);
  EXPECT_THAT(Log(), HasSubstr("filter_memory=1KiB is not in force, as not all live files are "
                               "known: filters are built by bits_per_key=12"));
  ExpectAll();
}

TEST_F(FilterMemoryTest, SetOptionsGoesToItAndBack) {
  Open("winnow:10");
  PutRandom(20'000);
  FlushAndWaitForCompactions();
  const auto set = [&](const std::string& options) {
    ASSERT_STATUS_OK(database_->SetOptions(
        {{"block_based_table_factory", "{filter_policy={" + options + "}}"}}));
    RewriteAll();
    RewriteAll();
  };
  EXPECT_GT(Now().BitsAKey(), 6.5);
  set("filter_memory=8KiB");
  EXPECT_LT(Now().bytes, 1.1 * 8192);
  EXPECT_GT(Now().bytes, 0.6 * 8192);
  set("filter_memory=12KiB;level_plan=auto");
  EXPECT_LT(Now().bytes, 1.1 * 12288);
  EXPECT_GT(Now().bytes, 0.6 * 12288);
  set("filter_memory=0");
  EXPECT_GT(Now().BitsAKey(), 6.5);
  // Refused, without an error from RocksDB 9.8 on.
  database_->SetOptions({{"block_based_table_factory", "{filter_policy={filter_memory=lots}}"}})
      .PermitUncheckedError();
  RewriteAll();
  EXPECT_GT(Now().BitsAKey(), 6.5);
  ExpectAll();
}

// Many files, since the keys of upper levels vary by a factor of four if files are few.
TEST_F(FilterMemoryTest, ItIsForTheFilesThatHaveFilters) {
  Open("{id=winnow;filter_memory=8KiB;level_plan=auto;absent_share=0}");
  for (int round = 0; round < 40; ++round) {
    PutRandom(3000);
    FlushAndWaitForCompactions();
  }
  EXPECT_LT(Now().bytes, 1.1 * 8192);
  EXPECT_GT(Now().bytes, 0.75 * 8192);
  ExpectAll();
}

// The first files hold the memory, and none is ever rewritten.
TEST_F(FilterMemoryTest, ATimeSeriesStaysInItAndTheLogSaysWhoHoldsIt) {
  const char* const policy = "{id=winnow;filter_memory=4KiB;level_plan=auto}";
  Open(policy);
  uint64_t most = 0;
  for (uint64_t key = 0; key < 60'000; ++key) {
    Put(key);
    if (key % 1000 != 999) continue;
    FlushAndWaitForCompactions();
    most = std::max(most, Now().bytes);
  }
  EXPECT_LT(most, 1.1 * 4096);
  EXPECT_GT(Now().bytes, 0.8 * 4096);
  Close();
  Open(policy);
  // New files get bits_per_key until the old files are known, which takes some flushes, or some
  // seconds on a slow machine: the listener pauses after each list of files.
  const std::string line = "new files of the last level get no filters";
  uint64_t key = 60'000;
  EXPECT_TRUE(testing::Becomes([&] {
    if (Log().find(line) != std::string::npos) return true;
    for (int i = 0; i < (key < 90'000 ? 500 : 1); ++i) Put(key++);
    FlushAndWaitForCompactions();
    return false;
  }));
  const double before_known = 10.0 / 8 * static_cast<double>(key - 60'000);
  for (int i = 0; i < 2000; ++i) {
    Put(key++);
    if (key % 500 == 0) FlushAndWaitForCompactions();
  }
  EXPECT_LT(Now().bytes, 1.1 * (4096 + before_known));
  ExpectAll();
}

// A new column family per day, and the oldest is dropped. Each file gets its share although none is
// rewritten; the first files get more, as the memory is empty, until they are dropped.
TEST_F(FilterMemoryTest, FamiliesThatComeAndGoShareIt) {
  constexpr size_t kAlive = 8;
  constexpr int kKeys = 20'000;
  for (const char* const plan : {"uniform", "auto"}) {
    Open(std::string("{id=winnow;filter_memory=256KiB;level_plan=") + plan + "}", true,
         [](Options* options, BlockBasedTableOptions*) { options->write_buffer_size = 64 << 20; });
    uint64_t key = 0;
    for (int day = 0; day < 40; ++day) {
      AddFamily("day" + std::to_string(day));
      for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < kKeys / 2; ++i) Put(key++, families_.size() - 1);
        ASSERT_STATUS_OK(database_->Flush(FlushOptions(), families_.back()));
      }
      testing::WaitForRest(database_.get());
      if (families_.size() > 1 + kAlive) DropFamily(1);
      const Memory now = Now();
      EXPECT_LE(now.bytes, 1.02 * (256 << 10)) << plan << ", day " << day;
      if (day < 2 * static_cast<int>(kAlive)) continue;
      EXPECT_GT(now.bytes, 0.75 * (256 << 10)) << plan << ", day " << day;
      for (ColumnFamilyHandle* const family : families_) {
        ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
        ASSERT_STATUS_OK(database_->GetPropertiesOfAllTables(family, &tables));
        for (const auto& [name, table] : tables) {
          const Memory file{table->num_entries, table->filter_size};
          EXPECT_GE(file.BitsAKey(), now.BitsAKey() / 2) << plan << ", day " << day;
        }
      }
    }
    EXPECT_THAT(Log(), HasSubstr(" column families have filters of"));
    Close();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, options_));
  }
}

}  // namespace policy_filter_memory_test
}  // namespace winnow::plugin
