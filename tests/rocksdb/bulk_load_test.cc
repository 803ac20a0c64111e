// Files that are ingested or imported: lookups use their filters.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/version_at_least.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace bulk_load_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::IngestExternalFileOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::AbsentKey;
using testing::Key;
using testing::MakePolicyFrom;

constexpr char kUniform[] = "{id=winnow;bits_per_key=10;level_plan=uniform}";
constexpr char kAuto[] = "winnow:10";

class BulkLoadTest : public ::testing::Test {
 protected:
  BulkLoadTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  // Returns options with free levels above the last one for ingestion, and without automatic
  // compactions.
  static Options OptionsWith(const std::string& policy) {
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(policy);
    Options options = testing::SmallLevels(table);
    options.write_buffer_size = 64 << 20;
    options.disable_auto_compactions = true;
    options.listeners.push_back(winnow::NewListener(table.filter_policy));
    return options;
  }

  void Open(const Options& options) {
    database_.reset();
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
  }

  // Writes `count` keys from four threads with one policy, a file per thread. Returns the files.
  std::vector<std::string> Write(const Options& options, uint64_t count, uint64_t step = 1) {
    constexpr uint64_t kThreads = 4;
    std::vector<std::string> paths;
    std::vector<std::thread> threads;
    for (uint64_t part = 0; part < kThreads; ++part) {
      paths.push_back(folder_ / (std::to_string(written_++) + ".sst"));
      threads.emplace_back([&options, path = paths.back(), count, step, part] {
        ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
        ASSERT_STATUS_OK(writer.Open(path));
        for (uint64_t i = count * part / kThreads; i < count * (part + 1) / kThreads; ++i) {
          ASSERT_STATUS_OK(writer.Put(Key(i * step), "value of " + Key(i * step)));
        }
        ASSERT_STATUS_OK(writer.Finish());
      });
    }
    for (std::thread& thread : threads) thread.join();
    return paths;
  }

  static void ExpectKeys(DB* database, ColumnFamilyHandle* family, uint64_t count,
                         uint64_t step = 1) {
    std::string value;
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_STATUS_OK(database->Get({}, family, Key(i * step), &value));
      ASSERT_EQ(value, "value of " + Key(i * step));
    }
  }

  // Expects that filters reject nearly all absent keys.
  static void ExpectFiltersAreUsed(DB* database, ColumnFamilyHandle* family, uint64_t count) {
    ROCKSDB_NAMESPACE::Statistics& statistics = *database->GetDBOptions().statistics;
    const auto useful = [&] {
      return statistics.getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL);
    };
    const uint64_t before = useful();
    std::string value;
    for (uint64_t i = 0; i + 1 < count; ++i) {
      ASSERT_TRUE(database->Get({}, family, AbsentKey(i), &value).IsNotFound());
    }
    EXPECT_GT(useful() - before, count * 9 / 10);
  }

  static std::multiset<int> LevelsOf(DB* database) {
    std::vector<LiveFileMetaData> files;
    database->GetLiveFilesMetaData(&files);
    std::multiset<int> levels;
    for (const LiveFileMetaData& file : files) levels.insert(file.level);
    return levels;
  }

  // Writes `count` keys, shuffled unless `in_order`, and waits for compactions.
  void PutTree(uint64_t first, uint64_t count, bool in_order) {
    std::vector<uint64_t> keys(count);
    for (uint64_t i = 0; i < count; ++i) keys[i] = first + i;
    if (!in_order) std::shuffle(keys.begin(), keys.end(), std::mt19937_64(count));
    for (const uint64_t key : keys) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), Key(key), "value of " + Key(key)));
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
    // Pending compactions never run if they are disabled.
    if (!database_->GetOptions().disable_auto_compactions) testing::WaitForRest(database_.get());
  }

  void CompactAll() {
    ROCKSDB_NAMESPACE::CompactRangeOptions options;
    options.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database_->CompactRange(options, nullptr, nullptr));
  }

  // Fills the last two levels. All files are rewritten; none is a trivial move.
  void PutTwoLevels(uint64_t keys) {
    PutTree(0, keys, false);
    CompactAll();
    for (int flush = 0; flush < 2; ++flush) PutTree(0, keys / 4, false);
    std::vector<LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    std::vector<std::string> flushed;
    for (const LiveFileMetaData& file : files) {
      if (file.level == 0) flushed.push_back(file.name);
    }
    ASSERT_STATUS_OK(database_->CompactFiles(ROCKSDB_NAMESPACE::CompactionOptions(), flushed, 5));
    const std::multiset<int> levels = LevelsOf(database_.get());
    EXPECT_EQ(std::set<int>(levels.begin(), levels.end()), (std::set<int>{5, 6}));
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  int written_ = 0;
  std::unique_ptr<DB> database_;
};

TEST_F(BulkLoadTest, KeysOfIngestedFilesAreFoundByTheirFilters) {
  constexpr uint64_t kKeys = 20'000;
  for (const char* const policy : {kUniform, kAuto}) {
    const Options options = OptionsWith(policy);
    Open(options);
    ASSERT_STATUS_OK(database_->IngestExternalFile(Write(options, kKeys), {}));
    EXPECT_EQ(LevelsOf(database_.get()), (std::multiset<int>{6, 6, 6, 6}));
    ASSERT_STATUS_OK(database_->IngestExternalFile(Write(options, kKeys / 10, 10), {}));
    EXPECT_EQ(LevelsOf(database_.get()).count(6), 4u);
    ExpectKeys(database_.get(), database_->DefaultColumnFamily(), kKeys);
    ExpectFiltersAreUsed(database_.get(), database_->DefaultColumnFamily(), kKeys);
    database_.reset();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
  }
}

// Ingestion behind: below all existing files, on the last level of a universal tree.
TEST_F(BulkLoadTest, FilesIngestedBehindHaveTheirFilters) {
  constexpr uint64_t kKeys = 4000;
  Options options = OptionsWith(kAuto);
  options.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  options.allow_ingest_behind = true;
  Open(options);
  PutTree(0, 100, true);
  IngestExternalFileOptions behind;
  behind.ingest_behind = true;
  ASSERT_STATUS_OK(database_->IngestExternalFile(Write(options, kKeys), behind));
  EXPECT_EQ(LevelsOf(database_.get()).size(), 5u);
  ExpectKeys(database_.get(), database_->DefaultColumnFamily(), kKeys);
  ExpectFiltersAreUsed(database_.get(), database_->DefaultColumnFamily(), kKeys);
}

TEST_F(BulkLoadTest, AnImportedFamilyIsAsItWasExported) {
  constexpr uint64_t kKeys = 40'000;
  Open(OptionsWith(kAuto));
  PutTwoLevels(kKeys);
  ROCKSDB_NAMESPACE::Checkpoint* made = nullptr;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Checkpoint::Create(database_.get(), &made));
  const std::unique_ptr<ROCKSDB_NAMESPACE::Checkpoint> checkpoint(made);
  ROCKSDB_NAMESPACE::ExportImportFilesMetaData* exported = nullptr;
  ASSERT_STATUS_OK(checkpoint->ExportColumnFamily(database_->DefaultColumnFamily(),
                                                  folder_ / "exported", &exported));
  const std::unique_ptr<ROCKSDB_NAMESPACE::ExportImportFilesMetaData> metadata(exported);
  const std::multiset<int> levels = LevelsOf(database_.get());

  const Options target = OptionsWith(kAuto);
  const auto other = testing::OpenDatabase(target, folder_ / "other");
  ASSERT_NE(other, nullptr);
  ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(other->CreateColumnFamilyWithImport(
      target, "imported", ROCKSDB_NAMESPACE::ImportColumnFamilyOptions(), *metadata, &family));
  EXPECT_EQ(LevelsOf(other.get()), levels);
  ExpectKeys(other.get(), family, kKeys);
  ExpectFiltersAreUsed(other.get(), family, kKeys);
  ASSERT_STATUS_OK(other->DestroyColumnFamilyHandle(family));
}

// RocksDB 9.5 and later: files of another database are ingested to the lowest free level, whichever
// level their plan made them for.
#if WINNOW_ROCKSDB_AT_LEAST(9, 5)
TEST_F(BulkLoadTest, FilesOfAnotherDatabaseAreFoundByTheirFilters) {
  constexpr uint64_t kKeys = 20'000;
  const Options options = OptionsWith(kAuto);
  database_ = testing::OpenDatabase(options, folder_ / "source");
  ASSERT_NE(database_, nullptr);
  PutTree(0, kKeys, true);
  CompactAll();
  std::vector<LiveFileMetaData> files;
  database_->GetLiveFilesMetaData(&files);
  std::vector<std::string> paths;
  for (const LiveFileMetaData& file : files) {
    paths.push_back(file.directory + "/" + file.relative_filename);
  }
  Open(options);
  IngestExternalFileOptions generated;
  generated.allow_db_generated_files = true;
  ASSERT_STATUS_OK(database_->IngestExternalFile(paths, generated));
  ExpectKeys(database_.get(), database_->DefaultColumnFamily(), kKeys);
  ExpectFiltersAreUsed(database_.get(), database_->DefaultColumnFamily(), kKeys);
}
#endif

}  // namespace bulk_load_test
}  // namespace winnow::plugin
