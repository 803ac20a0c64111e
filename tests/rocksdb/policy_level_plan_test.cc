// Option level_plan in databases: the rates that files get; no key is lost.

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/family/family.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_level_plan_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::Key;
using testing::MakePolicyFrom;

constexpr uint64_t kKeys = 60'000;
constexpr char kAuto[] = "{id=winnow;level_plan=auto}";

struct FileInTree {
  int level;  // current level
  FilterInfo filter;
};

// Database whose automatic compactions make several levels of files with a few hundred keys.
class LevelPlanTest : public ::testing::Test {
 protected:
  LevelPlanTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  void Open(const std::string& policy,
            const std::function<void(Options*, BlockBasedTableOptions*)>& change = nullptr) {
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(policy);
    Options options = testing::SmallLevels(table);
    options.write_buffer_size = 64 << 20;  // flushes are called, at rest
    if (change) change(&options, &table);
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    options_ = options;
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
  }

  void Put(uint64_t number) {
    constexpr int kKeysOfFlush = 700;
    const std::string key = prefix_ + Key(number);
    ASSERT_STATUS_OK(database_->Put(WriteOptions(), key, "value of " + key));
    model_[key] = "value of " + key;
    if (++puts_ % kKeysOfFlush == 0) FlushAndWaitForCompactions();
  }

  // Puts `n` shuffled keys in `batches` batches, each flushed and compacted before the next. More
  // batches make the tree depend less on the timing of threads.
  void PutAtRandom(uint64_t first, uint64_t n, uint64_t batches = 1) {
    std::vector<uint64_t> keys(n);
    for (uint64_t i = 0; i < n; ++i) keys[i] = first + i;
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(n));
    for (uint64_t i = 0; i < n; ++i) {
      Put(keys[i]);
      if ((i + 1) % (n / batches) == 0) FlushAndWaitForCompactions();
    }
    FlushAndWaitForCompactions();
  }

  void FlushAndWaitForCompactions() {
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    testing::WaitForRest(database_.get());
  }

  std::vector<FileInTree> Files() const {
    // Waits for running jobs, so that no file is incomplete.
    EXPECT_TRUE(database_->PauseBackgroundWork().ok());
    std::map<std::string, int> levels;
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(&metadata);
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) levels[file.name.substr(1)] = level.level;
    }
    std::vector<FileInTree> files;
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      const auto level = levels.find(file.file.substr(file.file.rfind('/') + 1));
      if (level == levels.end()) continue;  // compacted since
      files.push_back({level->second, FilterView(file.block).info()});
    }
    EXPECT_TRUE(database_->ContinueBackgroundWork().ok());
    EXPECT_FALSE(files.empty());
    return files;
  }

  // Returns the filters' memory relative to uniform filters for the same files.
  double MemoryToUniform() const {
    double bytes = 0;
    double uniform = 0;
    for (const FileInTree& file : Files()) {
      if (file.filter.size_bytes == 0) continue;
      bytes += static_cast<double>(file.filter.size_bytes);
      uniform += static_cast<double>(
          core::EstimateBytes(file.filter.num_hashes, core::ForBuilding(FilterOptions())));
    }
    return bytes / uniform;
  }

  // Returns the target false-positive rate of the next flush, of a few keys.
  double RateOfAFlush() {
    EXPECT_TRUE(database_->SetOptions({{"disable_auto_compactions", "true"}}).ok());
    // Waits for running jobs and deletions of files.
    EXPECT_TRUE(database_->PauseBackgroundWork().ok());
    std::set<std::string> before;
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) before.insert(file.file);
    EXPECT_TRUE(database_->ContinueBackgroundWork().ok());
    for (uint64_t key = 0; key < kKeys; key += 500) Put(key);
    EXPECT_TRUE(database_->Flush(FlushOptions()).ok());
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      if (before.count(file.file) == 0) return FilterView(file.block).info().target_fpr;
    }
    return 1;
  }

  void Clear() {
    database_.reset();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, options_));
    model_.clear();
  }

  void ExpectAll() const { testing::ExpectAllKeys(*database_, model_, 2 * kKeys); }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  Options options_;
  std::unique_ptr<DB> database_;
  std::string prefix_;  // of each key
  int puts_ = 0;
  testing::Model model_;
};

// Expects a rate by the other files, or the one that the pure function returns for the level, up to
// the uniform rate.
void ExpectPlanned(const FileInTree& file, double absent_share = 1) {
  EXPECT_EQ(file.filter.level_plan, LevelPlan::kAuto);
  if (file.filter.levels_below < 0) {
    EXPECT_GE(file.filter.target_fpr, 0.998 * std::exp2(-family::kMostBits));
    EXPECT_LE(file.filter.target_fpr, 1.002 * std::exp2(-family::kLeastBits));
    return;
  }
  FilterOptions options;
  options.level_plan = LevelPlan::kAuto;
  options.level_size_ratio = 4;  // the column family's
  options.absent_share = absent_share;
  options.levels_below = file.filter.levels_below;
  const double planned = core::PlannedRate(options);
  const double most = std::max(planned, core::RateForBits(10));
  EXPECT_GE(file.filter.target_fpr, 0.998 * planned) << "built for level " << file.filter.level;
  EXPECT_LE(file.filter.target_fpr, 1.002 * most)
      << "level " << file.level << ", built for " << file.filter.level << ", "
      << file.filter.levels_below << " below";
}

class EachOrderTest : public LevelPlanTest, public ::testing::WithParamInterface<bool> {};

TEST_P(EachOrderTest, SmallLevelsGetLowerRates) {
  Open(kAuto, [](Options* options, BlockBasedTableOptions*) {
    if (GetParam()) options->comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  });
  PutAtRandom(0, kKeys);
  // The timing of threads decides which files exist: many on the last level, few above. The upper
  // ones may have most of the keys in their ranges, and then get few bits if rates depend on other
  // files.
  size_t last = 0;
  double log2_of_last = 0;
  for (const FileInTree& file : Files()) {
    ExpectPlanned(file);
    if (file.filter.level == 6) {
      ++last;
      log2_of_last += std::log2(file.filter.target_fpr);
    } else if (file.filter.levels_below > 0) {
      EXPECT_LT(file.filter.target_fpr, core::RateForBits(10));
    }
  }
  EXPECT_GT(last, 10u);
  EXPECT_NEAR(log2_of_last / static_cast<double>(last), std::log2(core::RateForBits(10)), 1.5);
  EXPECT_LE(MemoryToUniform(), 1.1);
  EXPECT_LT(RateOfAFlush(), core::RateForBits(10) / 4);
  ExpectAll();
}

INSTANTIATE_TEST_SUITE_P(Orders, EachOrderTest, ::testing::Values(false, true),
                         [](const auto& is_reverse) {
                           return is_reverse.param ? "Reverse" : "Bytewise";
                         });

TEST_F(LevelPlanTest, KeepsAllKeysInPartitionsWithPrefixes) {
  Open(kAuto, [](Options* options, BlockBasedTableOptions* table) {
    table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table->partition_filters = true;
    table->metadata_block_size = 256;
    options->prefix_extractor.reset(
        ROCKSDB_NAMESPACE::NewFixedPrefixTransform(testing::kPrefixBytes));
  });
  PutAtRandom(0, kKeys / 2);
  for (uint64_t key = kKeys; key < kKeys + kKeys / 4; ++key) Put(key);
  FlushAndWaitForCompactions();
  ExpectAll();
}

TEST_F(LevelPlanTest, ALastLevelThatNeedsNoFiltersHasNone) {
  Open("{id=winnow;level_plan=auto;absent_share=0}");
  PutAtRandom(0, kKeys);
  size_t last = 0;
  for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
    if (file.block.empty()) ++last;
  }
  EXPECT_GT(last, 10u);
  // Files of upper levels have filters, with the plan's rates, or uniform ones if memory is
  // limited.
  size_t with_filter = 0;
  for (const FileInTree& file : Files()) {
    if (file.filter.size_bytes == 0) continue;
    ++with_filter;
    ExpectPlanned(file, 0);
  }
  EXPECT_GT(with_filter, 0u);
  ExpectAll();
}

// Each sorted run's rate follows its share of the keys.
TEST_F(LevelPlanTest, SmallRunsOfUniversalCompactionGetLowerRates) {
  Open(kAuto, [](Options* options, BlockBasedTableOptions* table) {
    options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
    options->level_compaction_dynamic_level_bytes = false;
    options->listeners.push_back(NewListener(table->filter_policy));
  });
  for (uint64_t key = 0; key < kKeys; ++key) Put(key * 7919 % kKeys);
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  ASSERT_STATUS_OK(database_->CompactRange({}, nullptr, nullptr));
  for (uint64_t key = 0; key < kKeys; key += 20) Put(key);
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  const double uniform = core::RateForBits(10);
  const std::vector<FileInTree> files = Files();
  int deepest = 0;
  for (const FileInTree& file : files) deepest = std::max(deepest, file.level);
  // Mean difference in bits per key from a uniform filter. The timing of threads decides which
  // sorted runs exist.
  double more_bits[2] = {0, 0};  // deepest level, other levels
  double keys[2] = {0, 0};
  for (const FileInTree& file : files) {
    EXPECT_EQ(file.filter.level_plan, LevelPlan::kAuto);
    EXPECT_EQ(file.filter.levels_below, -1);
    const auto n = static_cast<double>(file.filter.num_hashes);
    const size_t i = file.level == deepest ? 0 : 1;
    more_bits[i] += n * std::log2(uniform / file.filter.target_fpr);
    keys[i] += n;
  }
  ASSERT_GT(keys[0], 0);
  ASSERT_GT(keys[1], 0);
  const double last = more_bits[0] / keys[0];
  const double above = more_bits[1] / keys[1];
  EXPECT_NEAR(last, -0.3, 1);
  EXPECT_GT(above, last + 0.5);
  EXPECT_LE(MemoryToUniform(), 1.1);
  ExpectAll();
}

// FIFO compaction merges no files, so files of one size get equal lookups.
TEST_F(LevelPlanTest, FilesOfFifoCompactionHaveEqualRates) {
  Open(kAuto, [](Options* options, BlockBasedTableOptions*) {
    options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
    options->level_compaction_dynamic_level_bytes = false;
    options->compaction_options_fifo.max_table_files_size = 1 << 30;
  });
  for (uint64_t key = 0; key < kKeys / 2; ++key) Put(key * 7919 % kKeys);
  ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
  const std::vector<FileInTree> files = Files();
  EXPECT_GT(files.size(), 4u);
  uint64_t most = 0;
  for (const FileInTree& file : files) most = std::max(most, file.filter.num_hashes);
  for (const FileInTree& file : files) {
    EXPECT_EQ(file.filter.level_plan, LevelPlan::kAuto);
    EXPECT_EQ(file.filter.levels_below, -1);
    if (file.filter.num_hashes < most / 2) continue;  // the last flush
    EXPECT_NEAR(std::log2(file.filter.target_fpr / core::RateForBits(10)), 0, 0.8);
  }
  EXPECT_LE(MemoryToUniform(), 1.1);
  ExpectAll();
}

TEST_F(LevelPlanTest, ByLevelAndLearnedMeanAuto) {
  for (const std::string plan : {"by_level", "learned"}) {
    Open("{id=winnow;level_plan=" + plan + ";absent_share=0.1;level_size_ratio=20}");
    PutAtRandom(0, kKeys / 2);
    size_t by_files = 0;
    for (const FileInTree& file : Files()) {
      ExpectPlanned(file);
      if (file.filter.levels_below < 0) ++by_files;
    }
    EXPECT_GT(by_files, 0u);
    EXPECT_LE(MemoryToUniform(), 1.1);
    ExpectAll();
    Clear();
  }
}

TEST_F(LevelPlanTest, LookupsThatAreLearnedFromAreCounted) {
  for (const std::string plan : {"uniform", "auto"}) {
    Open("{id=winnow;level_plan=" + plan + "}");
    PutAtRandom(0, kKeys);
    const SampleCounters before = CurrentSampleCounters();
    for (uint64_t key = 0; key < kKeys; ++key) {
      std::string value;
      ASSERT_TRUE(database_->Get({}, Key(key) + "absent", &value).IsNotFound());
    }
    PutAtRandom(0, kKeys);
    const SampleCounters after = CurrentSampleCounters();
    const uint64_t sampled = after.lookups_sampled - before.lookups_sampled;
    if (plan == "auto") {
      EXPECT_GT(sampled, kKeys / 1024 / 4);
      EXPECT_GT(after.filters_learned, before.filters_learned);
    } else {
      EXPECT_EQ(sampled, 0u);
      EXPECT_EQ(after.filters_learned, before.filters_learned);
    }
    ExpectAll();
    Clear();
  }
}

// Files of a sequential load reach the last level by trivial moves. A long common prefix changes
// nothing.
TEST_F(LevelPlanTest, AutoGivesNoMoreBitsToWhatIsMovedDown) {
  prefix_ = std::string(64, 'p');
  Open(kAuto);
  PutAtRandom(0, kKeys);
  for (uint64_t key = kKeys; key < 2 * kKeys; ++key) Put(key);
  FlushAndWaitForCompactions();
  size_t moved = 0;
  size_t with_more_bits = 0;
  for (const FileInTree& file : Files()) {
    if (file.level != 6 || file.filter.level == 6) continue;
    ++moved;
    if (file.filter.target_fpr < 0.99 * core::RateForBits(10)) ++with_more_bits;
  }
  // The first of these files overlap random keys; by level alone, all would have more bits.
  EXPECT_GT(moved, 20u);
  EXPECT_LT(with_more_bits, moved / 5);
  EXPECT_LE(MemoryToUniform(), 1.04);
  for (const auto& [key, value] : model_) {
    std::string found;
    ASSERT_STATUS_OK(database_->Get({}, key, &found));
  }
}

// RocksDB does not report deleted files.
TEST_F(LevelPlanTest, WhatWasDeletedIsNoLevelBelow) {
  for (const bool by_files : {false, true}) {
    Open(kAuto);
    PutAtRandom(0, kKeys);
    const std::string first = Key(0);
    const std::string last = Key(kKeys);
    if (by_files) {
      const ROCKSDB_NAMESPACE::Slice begin = first;
      const ROCKSDB_NAMESPACE::Slice end = last;
      ASSERT_STATUS_OK(database_->CompactRange({}, nullptr, nullptr));
      ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DeleteFilesInRange(
          database_.get(), database_->DefaultColumnFamily(), &begin, &end));
    } else {
      ASSERT_STATUS_OK(
          database_->DeleteRange(WriteOptions(), database_->DefaultColumnFamily(), first, last));
      ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
      ASSERT_STATUS_OK(database_->CompactRange({}, nullptr, nullptr));
    }
    model_.clear();
    for (uint64_t key = 0; key < kKeys; ++key) Put(key);
    FlushAndWaitForCompactions();
    EXPECT_LE(MemoryToUniform(), 1.04) << by_files;
    ExpectAll();
    Clear();
  }
}

// The deepest files with filters have no more bits than a uniform policy's.
TEST_F(LevelPlanTest, WithoutFiltersForHitsTheLevelAboveIsTheLast) {
  for (const bool dynamic : {false, true}) {
    Open(kAuto, [&](Options* options, BlockBasedTableOptions*) {
      options->optimize_filters_for_hits = true;
      options->level_compaction_dynamic_level_bytes = dynamic;
    });
    PutAtRandom(0, kKeys, 10);
    // Existing filters cannot change when other files are deleted.
    EXPECT_LE(MemoryToUniform(), 1.07) << dynamic;
    size_t with_filter = 0;
    for (const FileInTree& file : Files()) {
      if (file.filter.size_bytes == 0) continue;
      ++with_filter;
      // One level less than with filters on the last level; half a level more if a flush built the
      // filter.
      const int level = file.filter.level;
      EXPECT_LE(file.filter.levels_below, level == 0 ? 2.5 : 5 - level) << level;
    }
    EXPECT_GT(with_filter, 0u);
    ExpectAll();
    Clear();
  }
}

TEST_F(LevelPlanTest, WhatIsKnownOutlastsOtherOptionsFamiliesAndAnOpen) {
  Open(kAuto);
  PutAtRandom(0, kKeys);
  ASSERT_STATUS_OK(database_->SetOptions({{"max_write_buffer_number", "5"}}));
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(database_->CreateColumnFamily(options_, "other", &family));
  EXPECT_LT(RateOfAFlush(), core::RateForBits(10) / 4);
  ASSERT_STATUS_OK(database_->DropColumnFamily(family));
  ASSERT_STATUS_OK(database_->DestroyColumnFamilyHandle(family));
  database_.reset();
  database_ = testing::OpenDatabase(options_, path_);
  EXPECT_LT(RateOfAFlush(), core::RateForBits(10) / 4);
  ExpectAll();
}

}  // namespace policy_level_plan_test
}  // namespace winnow::plugin
