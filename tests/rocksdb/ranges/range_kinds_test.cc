// Data blocks that empty scans read with each kind of range filter, for composite keys, and the
// kind that files get by default: before the first scan and after. docs/results/range-filters.md
// has the figures.
//
// WINNOW_RANGE_KEYS=N uses databases of N keys.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/scanned_shapes.h"
#include "tests/support/files.h"
#include "tests/support/from_environment.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace range_kinds_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::kScannedShapes;
using Shape = testing::ScannedShape;
using Random = std::mt19937_64;
using Keys = std::vector<std::string>;

constexpr int kFiles = 5;  // files on level 0
constexpr size_t kScans = 1000;

class ScannedDatabase {
 public:
  ScannedDatabase(const Shape& shape, const std::string& policy, bool has_longer) {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    Random random(7);
    std::set<std::string> keys;
    while (keys.size() < testing::FromEnvironment("WINNOW_RANGE_KEYS", 20'000)) {
      std::string key = shape.key(&random);
      if (has_longer && random() % 100 == 0) key += 'x';
      keys.insert(std::move(key));
    }
    sorted_.assign(keys.begin(), keys.end());
    shuffled_ = sorted_;
    std::shuffle(shuffled_.begin(), shuffled_.end(), random);
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(policy);
    Options options = testing::MakeOptions(table);
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.level0_file_num_compaction_trigger = 10 * kFiles;
    options.write_buffer_size = 64 << 20;
    options.prefix_extractor = NewRangeExtractor();
    statistics_ = options.statistics;
    database_ = testing::OpenDatabase(options, folder_ / "db");
    Load();
  }

  // Returns the mean number of data blocks read per scan.
  double Scan(const Shape& shape) const {
    Random random(11);
    const uint64_t before = DataBlocks();
    for (size_t scans = 0; scans < kScans;) {
      const auto [begin, end] = shape.scan(sorted_[random() % sorted_.size()], &random);
      const auto next = std::lower_bound(sorted_.begin(), sorted_.end(), begin);
      if (begin >= end || (next != sorted_.end() && *next < end)) continue;
      ++scans;
      EXPECT_FALSE(HasRows(begin, end));
    }
    return static_cast<double>(DataBlocks() - before) / kScans;
  }

  // Replaces all files by newly loaded ones, with the same policy.
  void LoadAgain() {
    CompactRangeOptions all;
    all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database_->CompactRange(all, nullptr, nullptr));
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DeleteFilesInRange(
        database_.get(), database_->DefaultColumnFamily(), nullptr, nullptr));
    Load();
  }

  double FilterBitsAKey() const {
    return 8 * static_cast<double>(testing::FilterBytes(database_.get())) /
           static_cast<double>(sorted_.size());
  }

  void ExpectAllRows() const {
    const std::unique_ptr<Iterator> iterator(database_->NewIterator(ReadOptions()));
    size_t rows = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ++rows;
    EXPECT_EQ(rows, sorted_.size());
    for (size_t i = 0; i < sorted_.size(); i += 97) {
      EXPECT_TRUE(HasRows(sorted_[i], sorted_[i] + '\0')) << i;
    }
  }

 private:
  void Load() {
    const size_t a_file = (shuffled_.size() + kFiles - 1) / kFiles;
    for (size_t i = 0; i < shuffled_.size(); ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), shuffled_[i], std::string(100, 'v')));
      if ((i + 1) % a_file == 0 || i + 1 == shuffled_.size()) {
        ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
      }
    }
  }

  bool HasRows(const std::string& begin, const std::string& end) const {
    const Slice bound(end);
    ReadOptions read;
    read.iterate_upper_bound = &bound;
    read.auto_prefix_mode = true;
    const std::unique_ptr<Iterator> iterator(database_->NewIterator(read));
    iterator->Seek(begin);
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    return iterator->Valid();
  }

  uint64_t DataBlocks() const { return testing::DataBlocksRead(*statistics_); }

  testing::TemporaryFolder folder_;
  Keys sorted_;
  Keys shuffled_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::unique_ptr<DB> database_;
};

std::string PolicyOf(const std::string& options) {
  return "{id=winnow;bits_per_key=10;" + options + "}";
}

class RangeKindsTest : public ::testing::TestWithParam<std::tuple<size_t, bool>> {};

TEST_P(RangeKindsTest, TheDefaultReadsAsLittleAsTheBetterKind) {
  const auto& [number, has_longer] = GetParam();
  const Shape& shape = kScannedShapes[number];
  std::printf("| %s%s |", shape.name, has_longer ? ", one in 100 longer" : "");
  double least = 1e9;
  for (const std::string kind : {"positions", "trees"}) {
    const ScannedDatabase database(shape, PolicyOf("range_bits=15;range_kind=" + kind), has_longer);
    const double blocks = database.Scan(shape);
    std::printf(" %.3f (%.1f) |", blocks, database.FilterBitsAKey());
    least = std::min(least, blocks);
    database.ExpectAllRows();
  }
  ScannedDatabase database(shape, PolicyOf("range_bits=15"), has_longer);
  const double before = database.Scan(shape);
  std::printf(" %.3f (%.1f) |", before, database.FilterBitsAKey());
  database.LoadAgain();
  const double after = database.Scan(shape);
  std::printf(" %.3f (%.1f) |\n", after, database.FilterBitsAKey());
  database.ExpectAllRows();
  const double most = std::max(1.2 * least, least + 0.05);
  EXPECT_LE(shape.is_usual ? before : 0, most);
  EXPECT_LE(after, most);
  EXPECT_LT(most, kFiles / 2.0) << "what is compared are no filters";
}

INSTANTIATE_TEST_SUITE_P(, RangeKindsTest,
                         ::testing::Combine(::testing::Range(size_t{0}, std::size(kScannedShapes)),
                                            ::testing::Bool()));

}  // namespace range_kinds_test
}  // namespace winnow::plugin
