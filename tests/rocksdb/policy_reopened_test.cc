// A database opened by a new process without a listener learns its tree from the notes in filters.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "src/core/tree_note.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/trees/known_trees.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_reopened_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::GetDBOptionsFromString;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::MakePolicyFrom;

// WINNOW_REOPENED_KEYS sets another number of keys.
const char* const asked_keys = std::getenv("WINNOW_REOPENED_KEYS");

uint64_t Keys() { return asked_keys != nullptr ? std::strtoull(asked_keys, nullptr, 10) : 200'000; }

using Change = std::function<void(Options*, BlockBasedTableOptions*)>;

// Means of filters by level.
struct Means {
  std::map<int, double> keys;
  std::map<int, double> bytes;
  double all_keys = 0;
  double all_bytes = 0;
  double uniform_bytes = 0;
  // Expected per lookup of an absent key, if levels have no gaps.
  double false_reads = 0;

  double bits(int level) const { return 8 * bytes.at(level) / keys.at(level); }
};

class ReopenedTest : public ::testing::Test {
 protected:
  ReopenedTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  // Opens the database with a new policy, as a new process does.
  void Open(const std::string& policy, const std::string& path, bool with_listener,
            const Change& change) {
    OpenWith(MakePolicyFrom(policy), path, with_listener, change);
  }

  void OpenWith(const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy,
                const std::string& path, bool with_listener, const Change& change) {
    BlockBasedTableOptions table;
    table.filter_policy = policy;
    Options options = testing::SmallLevels(table);
    options.write_buffer_size = 4 << 20;  // never full
    options.target_file_size_base = 256 << 10;
    options.max_bytes_for_level_base = 1 << 20;
    options.max_bytes_for_level_multiplier = 6;
    options.max_open_files = -1;
    if (change) change(&options, &table);
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    if (with_listener) options.listeners.push_back(NewListener(table.filter_policy));
    path_ = path;
    database_ = testing::OpenDatabase(options, path);
  }

  void Write(uint64_t writes) {
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    for (uint64_t i = 0; i < writes; ++i) {
      const std::string key = testing::Key(random_() % Keys());
      ASSERT_STATUS_OK(database_->Put(unlogged, key, key));
      written_.insert(key);
      // Flushes after a fixed number of writes, so that trees differ little between runs.
      if (i % 3000 == 2999) {
        ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
        testing::WaitForRest(database_.get());
      }
      if (i % 16 == 0) {
        std::string value;
        database_->Get(ReadOptions(), testing::Key(random_() % Keys()), &value);
      }
    }
    ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    testing::WaitForRest(database_.get());
  }

  Means Look() {
    std::map<std::string, int> levels;
    ROCKSDB_NAMESPACE::ColumnFamilyMetaData tree;
    database_->GetColumnFamilyMetaData(&tree);
    for (const auto& level : tree.levels) {
      for (const auto& file : level.files) levels[path_ + file.name] = level.level;
    }
    Means means;
    std::map<int, double> rates;
    const FilterBuilder uniform{FilterOptions()};
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      const auto found = levels.find(file.file);
      if (found == levels.end()) continue;
      const FilterInfo info = FilterView(file.block).info();
      means.keys[found->second] += static_cast<double>(info.num_hashes);
      means.bytes[found->second] += static_cast<double>(info.size_bytes);
      means.all_keys += static_cast<double>(info.num_hashes);
      means.all_bytes += static_cast<double>(info.size_bytes);
      means.uniform_bytes += static_cast<double>(uniform.EstimateSize(info.num_hashes));
      const double part = found->second == 0 ? 1 : static_cast<double>(info.num_hashes);
      rates[found->second] += part * info.expected_fpr;
    }
    for (const auto& [level, rate] : rates) {
      means.false_reads += level == 0 ? rate : rate / means.keys.at(level);
    }
    return means;
  }

  void ExpectToFind(const std::set<std::string>& keys) {
    for (const std::string& key : keys) {
      std::string value;
      ASSERT_STATUS_OK(database_->Get(ReadOptions(), key, &value));
    }
  }

  Means Run(const std::string& policy, bool with_listener, const Change& change, bool reopens) {
    random_.seed(1);
    written_.clear();
    const testing::TemporaryFolder folder;
    Open(policy, folder.path() + "/db", with_listener, change);
    Write(Keys());
    if (reopens) {
      database_.reset();
      Open(policy, folder.path() + "/db", with_listener, change);
    }
    Write(Keys() * 3 / 10);
    const Means means = Look();
    ExpectToFind(written_);
    database_.reset();
    return means;
  }

  std::unique_ptr<DB> database_;
  std::string path_;
  std::mt19937_64 random_;
  std::set<std::string> written_;
};

void Cached(Options*, BlockBasedTableOptions* table) {
  table->cache_index_and_filter_blocks = true;
  table->block_cache = ROCKSDB_NAMESPACE::NewLRUCache(32 << 20);
}
void FewOpen(Options* options, BlockBasedTableOptions*) { options->max_open_files = 20; }
void Partitioned(Options*, BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
}
void Universal(Options* options, BlockBasedTableOptions*) {
  options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
}
void UniversalCached(Options* options, BlockBasedTableOptions* table) {
  Universal(options, table);
  Cached(options, table);
}
// Makes RocksDB open files after DB::Open. Returns false before RocksDB 11.1, which added this.
bool OpenLater(Options* options) {
  DBOptions changed;
  if (!GetDBOptionsFromString(ConfigOptions(), *options,
                              "open_files_async=true;skip_stats_update_on_db_open=true", &changed)
           .ok()) {
    return false;
  }
  static_cast<DBOptions&>(*options) = changed;
  return true;
}
const std::map<std::string, Change> kShapes = {
    {"usual", nullptr},
    {"cached", Cached},
    {"few open files", FewOpen},
    {"partitioned", Partitioned},
    {"opened later", [](Options* options, auto*) { OpenLater(options); }},
    {"universal", Universal},
    {"universal cached", UniversalCached}};

void Show(const std::string& shape, const char* what, const Means& means) {
  std::printf("%-16s %-12s", shape.c_str(), what);
  for (const auto& [level, keys] : means.keys) {
    std::printf(" %d: %7.0f %6.2f", level, keys, means.bits(level));
  }
  std::printf("  all %.3f, false reads %.5f\n", 8 * means.all_bytes / means.all_keys,
              means.false_reads);
  std::fflush(stdout);
}

// Levels get the filters that they have without a restart, but for what sampled lookups change.
// WINNOW_REOPENED_KEYS=1000000 prints all shapes, compared with a listener's tree, uniform filters
// and a tree without notes.
TEST_F(ReopenedTest, TheTreeIsKnown) {
  for (const auto& [shape, change] : kShapes) {
    Options any;
    if (shape == "opened later" && !OpenLater(&any)) continue;
    const bool is_compared = shape == "usual" || shape == "cached" || shape == "opened later";
    if (!is_compared && asked_keys == nullptr) continue;
    const Means notes = Run("winnow:10", false, change, true);
    const Means same = Run("winnow:10", false, change, false);
    Show(shape, "notes", notes);
    Show(shape, "not reopened", same);
    if (asked_keys != nullptr) {
      Show(shape, "no notes", Run("{id=winnow;tree_notes=0}", false, change, true));
      Show(shape, "listener", Run("winnow:10", true, change, true));
      Show(shape, "uniform", Run("{id=winnow;level_plan=uniform}", false, change, true));
    }
    if (!is_compared) continue;
    for (const auto& [level, keys] : same.keys) {
      const auto others = notes.keys.find(level);
      const double least = same.all_keys / 10;
      if (keys < least || others == notes.keys.end() || others->second < least) continue;
      EXPECT_NEAR(notes.bits(level), same.bits(level), 1.3) << shape << ", level " << level;
    }
    // Uniform filters have 7 bits on level 0, too.
    EXPECT_GT(notes.bits(0), same.bits(0) - 1.5) << shape;
    EXPECT_GT(same.bits(0), 9) << shape;
  }
}

// The database is opened by a new policy: it knows each live file before the first one is written.
TEST_F(ReopenedTest, EachFileIsKnownAtOnceWhereReadersTell) {
  const testing::TemporaryFolder folder;
  Open("winnow:10", folder / "db", false, nullptr);
  Write(50'000);
  database_.reset();
  const auto policy = MakePolicyFrom("winnow:10");
  OpenWith(policy, folder / "db", false, nullptr);
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  database_->GetLiveFilesMetaData(&files);
  ASSERT_STATUS_OK(database_->Put(WriteOptions(), testing::Key(0), "value"));
  ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  const auto record = EngineOf(policy.get())
                          ->known()
                          ->trees.RecordOf(database_->GetDBOptions().info_log.get(), "default");
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->family.totals().files, files.size() + 1);
  double keys = 1;
  for (const auto& file : files) keys += static_cast<double>(file.num_entries);
  EXPECT_EQ(record->family.totals().keys, keys);
}

TEST_F(ReopenedTest, AFilterThatManyThreadsReadIsOneFile) {
  const testing::TemporaryFolder folder;
  Open("winnow:10", folder / "db", false, nullptr);
  Write(100'000);
  database_.reset();
  std::vector<std::string> blocks;
  for (const testing::FileFilter& file : testing::ReadFilters(folder / "db")) {
    if (core::TreeNoteOf(file.block)) blocks.push_back(file.block);
  }
  ASSERT_GT(blocks.size(), 1u);
  for (int round = 0; round < 100; ++round) {
    const auto policy = MakePolicyFrom("winnow:10");
    BlockBasedTableOptions table;
    table.filter_policy = policy;
    Options options;
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    ASSERT_STATUS_OK(policy->ValidateOptions(options, options));
    std::atomic<bool> begins{false};
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader>> readers(4 * blocks.size());
    for (size_t i = 0; i < readers.size(); i += blocks.size()) {
      threads.emplace_back([&, i] {
        while (!begins) {
        }
        for (size_t at = 0; at < blocks.size(); ++at) {
          readers[i + at].reset(policy->GetFilterBitsReader(blocks[at]));
        }
      });
    }
    begins = true;
    for (std::thread& thread : threads) thread.join();
    KnownTrees& trees = EngineOf(policy.get())->known()->trees;
    trees.Learn(&threads, "default", BuildFacts(), true);
    ASSERT_EQ(trees.RecordOf(&threads, "default")->family.totals().files, blocks.size());
  }
}

// Copies of a database have equal tree ids and some equal filters.
TEST_F(ReopenedTest, TwoDatabasesOfOneBackupTakeLittleMore) {
  const testing::TemporaryFolder folder;
  random_.seed(1);
  Open("winnow:10", folder / "one", false, nullptr);
  Write(Keys());
  database_.reset();
  std::filesystem::copy(folder / "one", folder / "two", std::filesystem::copy_options::recursive);

  const auto policy = MakePolicyFrom("winnow:10");
  const auto open = [&](const std::string& path) {
    OpenWith(policy, path, false, nullptr);
    return std::move(database_);
  };
  std::unique_ptr<DB> one = open(folder / "one");
  std::unique_ptr<DB> two = open(folder / "two");
  const std::set<std::string> before = std::move(written_);
  std::set<std::string> of_one;
  std::set<std::string> of_two;
  for (int round = 0; round < 4; ++round) {
    for (const auto& [database, written] : {std::pair{&one, &of_one}, {&two, &of_two}}) {
      std::swap(database_, *database);
      std::swap(written_, *written);
      Write(Keys() / 4);
      std::swap(database_, *database);
      std::swap(written_, *written);
    }
  }
  for (const auto& [database, written, path] :
       {std::tuple{&one, &of_one, folder / "one"}, {&two, &of_two, folder / "two"}}) {
    database_ = std::move(*database);
    path_ = path;
    const Means means = Look();
    EXPECT_LT(means.all_bytes / means.uniform_bytes, 1.07);
    written->insert(before.begin(), before.end());
    ExpectToFind(*written);
    database_.reset();
  }
}

}  // namespace policy_reopened_test
}  // namespace winnow::plugin
