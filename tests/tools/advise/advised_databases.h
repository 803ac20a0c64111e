// Helpers for tests of advice: databases with several levels, and advice on them.

#ifndef WINNOW_TESTS_TOOLS_ADVISE_ADVISED_DATABASES_H_
#define WINNOW_TESTS_TOOLS_ADVISE_ADVISED_DATABASES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/database/table_list.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::KeyOf;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::TableWith;

inline constexpr char kUniform[] = "{id=winnow;bits_per_key=10;level_plan=uniform}";

inline std::vector<ListedTable> TablesOf(const std::string& database) {
  return ListTables(database, {}, 1).tables;
}

inline AdviceOptions Quick() {
  AdviceOptions options;
  options.lookups = 20'000;
  options.jobs = 2;
  return options;
}

inline Advice AdviseOn(const std::string& database, const AdviceOptions& options) {
  std::string problem;
  const Advice advice = Advise(
      TablesOf(database), options, [](const AdviceStep&) {}, &problem);
  EXPECT_EQ(problem, "");
  return advice;
}

inline AdviceReading ReadingOf(const std::string& database, const AdviceOptions& options) {
  AdviceReading reading;
  EXPECT_EQ(ReadForAdvice(
                TablesOf(database), options, [](const AdviceStep&) {}, &reading),
            "");
  return reading;
}

inline const AdviceRow& RowOf(const Advice& advice, std::string_view policy) {
  for (const AdviceRow& row : advice.rows) {
    if (row.OnePolicy() == policy) return row;
  }
  ADD_FAILURE() << "there is no row for " << policy;
  return advice.rows.front();
}

// Compacts all files of level 0 to a level.
inline void MoveTo(DB* db, int level) {
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  std::vector<std::string> names;
  for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
  ROCKSDB_NAMESPACE::CompactionOptions compaction;
  compaction.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
  compaction.output_file_size_limit = 16 << 10;
  ASSERT_STATUS_OK(db->CompactFiles(compaction, names, level));
}

inline void CompactAll(DB* db) {
  ROCKSDB_NAMESPACE::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(db->CompactRange(compaction, nullptr, nullptr));
}

// Writes every `step`th even number below `end` in four flushes, each over the whole range.
inline void Write(DB* db, uint64_t end, uint64_t step) {
  for (uint64_t flush = 0; flush < 4; ++flush) {
    for (uint64_t i = flush; i < end / (2 * step); i += 4) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(2 * step * i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
}

inline constexpr uint64_t kEnd = 120'000;

// Writes levels 3, 2, 1 and 0, each with a part of the keys of the level below, with deletions on
// level 1 and two files on level 0.
inline void Grow(DB* db) {
  Write(db, kEnd, 1);
  MoveTo(db, 3);
  Write(db, kEnd, 7);
  MoveTo(db, 2);
  Write(db, kEnd / 2, 40);
  for (uint64_t i = 0; i < 500; ++i) {
    ASSERT_STATUS_OK(db->Delete(WriteOptions(), KeyOf(100 * i)));
  }
  ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  MoveTo(db, 1);
  for (const uint64_t first : {0u, 3u}) {
    for (uint64_t i = first; i < kEnd / 2; i += 97) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), KeyOf(2 * i), "newest"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
}

// Returns present, deleted and absent keys within the range and beyond it, without repeats, since a
// repeated key counts its one answer several times.
inline std::vector<std::string> DistinctLookups(size_t n) {
  std::mt19937_64 random(7);
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t number = random() % (kEnd + kEnd / 8);
    keys.push_back(i % 16 == 0   ? KeyOf(100 * (random() % 500))
                   : i % 32 == 1 ? std::string("00000000.007")
                   : i % 3 == 0  ? KeyOf(number)
                                 : KeyOf(number) + "x");
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

inline uint64_t FalsePositives(const Options& options, const std::string& path,
                               const std::vector<std::string>& keys) {
  const auto db = OpenDatabase(options, path);
  const auto count = [&](uint32_t ticker) { return options.statistics->getTickerCount(ticker); };
  const uint64_t positive = count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE);
  const uint64_t right = count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  std::string value;
  for (const std::string& key : keys) {
    const auto status = db->Get(ReadOptions(), key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
  }
  return count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) - positive -
         (count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE) - right);
}

// Returns options for files of about eighty keys, whose filters are rounded to whole cache lines.
inline Options SmallFiles(const std::string& policy) {
  BlockBasedTableOptions table = TableWith(policy);
  table.block_size = 1 << 10;
  table.optimize_filters_for_memory = false;
  Options options = MakeOptions(table);
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.target_file_size_base = 9'500;
  return options;
}

inline void WriteValues(DB* db, uint64_t first, uint64_t end, uint64_t step) {
  PutAndFlush(db, {end, first, step}, nullptr, std::string(100, 'v'));
}

// Fills a database of small files on one level.
inline void FillSmallFiles(DB* db) {
  WriteValues(db, 0, 12'000, 1);
  CompactAll(db);
}

class AdvisedDatabase : public ::testing::Test {
 protected:
  // Makes the database "db" anew, filled by Grow() or another function.
  void Make(const Options& options, void (*fill)(DB*) = Grow) {
    std::filesystem::remove_all(folder_ / "db");
    fill(OpenDatabase(options, folder_ / "db").get());
  }
  void Make(const std::string& policy) { Make(MakeOptions(TableWith(policy))); }

  Advice AdviseOnIt(const AdviceOptions& options) { return AdviseOn(folder_ / "db", options); }

  testing::TemporaryFolder folder_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TESTS_TOOLS_ADVISE_ADVISED_DATABASES_H_
