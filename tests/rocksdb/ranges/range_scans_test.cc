// Data blocks read by scans that return no row or one: without prefix and range filters, with
// RocksDB's prefix filters, and with range filters. docs/range-filters.md has the figures.
//
// WINNOW_RANGE_KEYS=N uses databases of N keys, whose figures are not compared with the page.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/big_endian.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace range_scans_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::BigEndian;
using testing::LastNumber;

constexpr size_t kKeysOfPage = 200'000;
constexpr int kFiles = 8;  // files on level 0; a scan may read each
constexpr int kScans = 4000;
constexpr int kRangeBits = 15;

size_t NumKeys() {
  const char* const text = std::getenv("WINNOW_RANGE_KEYS");
  return text == nullptr ? kKeysOfPage : std::strtoull(text, nullptr, 10);
}

enum class Keys { kIntegers, kEvents };

struct Shape {
  const char* name;
  const char* row;  // name in the page's table
  Keys keys;
  uint64_t width;                                            // width of the scans, in positions
  enum class Begin { kBehindKey, kAtKey, kAnywhere } begin;  // kAtKey scans return a row
};

constexpr Shape kShapes[] = {
    {"IntegersNear16", "random integers, 16 behind a key", Keys::kIntegers, 16,
     Shape::Begin::kBehindKey},
    {"IntegersNear64", "random integers, 64 behind a key", Keys::kIntegers, 64,
     Shape::Begin::kBehindKey},
    {"IntegersNear1024", "random integers, 1,024 behind a key", Keys::kIntegers, 1024,
     Shape::Begin::kBehindKey},
    {"IntegersAnywhere64", "random integers, 64 anywhere", Keys::kIntegers, 64,
     Shape::Begin::kAnywhere},
    {"IntegersAt64", "random integers, 64 from a key on", Keys::kIntegers, 64,
     Shape::Begin::kAtKey},
    {"EventsNear1000", "user and time, the second behind an event", Keys::kEvents, 1000,
     Shape::Begin::kBehindKey},
    {"EventsAnywhere1000", "user and time, any second of a user", Keys::kEvents, 1000,
     Shape::Begin::kAnywhere},
    {"EventsAt1000", "user and time, the second from an event on", Keys::kEvents, 1000,
     Shape::Begin::kAtKey},
};

enum class Filters { kNone, kPrefixes, kRanges };

class ScannedDatabase {
 public:
  ScannedDatabase(Keys shape, Filters filters) : filters_(filters), keys_(MakeKeys(shape)) {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(filters == Filters::kPrefixes ? "bloomfilter:10"
                                                  : filters == Filters::kRanges
                                                      ? "{id=winnow;bits_per_key=10;range_bits=15;"
                                                        "range_kind=positions}"
                                                      : "winnow:10");
    static_assert(kRangeBits == 15);
    Options options = testing::MakeOptions(table);
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.level0_file_num_compaction_trigger = kFiles + 1;
    options.write_buffer_size = 64 << 20;
    if (filters == Filters::kPrefixes) {
      // Prefixes of integers are so long that two keys rarely share one; prefixes of events are
      // users.
      options.prefix_extractor.reset(
          ROCKSDB_NAMESPACE::NewFixedPrefixTransform(shape == Keys::kIntegers ? 5 : 16));
    } else if (filters == Filters::kRanges) {
      options.prefix_extractor = NewRangeExtractor();
    }
    statistics_ = options.statistics;
    database_ = testing::OpenDatabase(options, folder_ / "db");
    Load();
    std::sort(keys_.begin(), keys_.end());
  }

  struct Figures {
    double data_blocks = 0;  // per scan
    int scans = 0;
    int wrong = 0;
  };

  // Runs equal scans for all kinds of filters. Only those that begin at a key return a row.
  Figures Scan(const Shape& shape) const {
    std::mt19937_64 random(11);
    Figures figures;
    const uint64_t before = DataBlocks();
    const bool has_row = shape.begin == Shape::Begin::kAtKey;
    while (figures.scans < kScans) {
      std::string begin = keys_[random() % keys_.size()];
      const std::string head = begin.substr(0, begin.size() - 8);
      uint64_t number = LastNumber(begin) + (has_row ? 0 : 1);
      if (shape.begin == Shape::Begin::kAnywhere) {
        // Events are within the range of existing times.
        number = shape.keys == Keys::kIntegers ? random() : 1'700'000'000'000 + random() % kDay;
      }
      begin = head + BigEndian(number);
      const std::string end = head + BigEndian(number + shape.width);
      if (begin >= end) continue;
      const auto next = std::lower_bound(keys_.begin(), keys_.end(), begin);
      if ((next != keys_.end() && *next < end) != has_row) continue;
      ++figures.scans;
      figures.wrong += HasRows(begin, end) == has_row ? 0 : 1;
    }
    figures.data_blocks = static_cast<double>(DataBlocks() - before) / figures.scans;
    return figures;
  }

  double FilterBitsAKey() const {
    return 8 * static_cast<double>(testing::FilterBytes(database_.get())) /
           static_cast<double>(keys_.size());
  }

  // Counts the rows of a scan, which must be found as without filters.
  int RowsBehind(size_t key, size_t rows) const {
    const Slice bound(keys_[key + rows]);
    ReadOptions read;
    read.iterate_upper_bound = &bound;
    const std::unique_ptr<Iterator> iterator(database_->NewIterator(read));
    int found = 0;
    for (iterator->Seek(keys_[key]); iterator->Valid(); iterator->Next()) ++found;
    return found;
  }

 private:
  static constexpr uint64_t kDay = 86'400'000;

  static std::vector<std::string> MakeKeys(Keys shape) {
    std::mt19937_64 random(7);
    std::vector<std::string> keys;
    while (keys.size() < NumKeys()) {
      if (shape == Keys::kIntegers) {
        keys.push_back(BigEndian(random()));
        continue;
      }
      const std::string user = BigEndian(random()) + BigEndian(random());
      for (int i = 0; i < 50; ++i) {
        keys.push_back(user + BigEndian(1'700'000'000'000 + random() % kDay));
      }
    }
    std::shuffle(keys.begin(), keys.end(), random);
    return keys;
  }

  void Load() {
    for (size_t i = 0; i < keys_.size(); ++i) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), keys_[i], std::string(100, 'v')));
      if ((i + 1) * kFiles / keys_.size() > i * kFiles / keys_.size()) {
        ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
      }
    }
  }

  bool HasRows(const std::string& begin, const std::string& end) const {
    const Slice bound(end);
    ReadOptions read;
    read.iterate_upper_bound = &bound;
    read.auto_prefix_mode = filters_ == Filters::kPrefixes;  // range filters need no mode
    const std::unique_ptr<Iterator> iterator(database_->NewIterator(read));
    iterator->Seek(begin);
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    return iterator->Valid();
  }

  uint64_t DataBlocks() const { return testing::DataBlocksRead(*statistics_); }

  testing::TemporaryFolder folder_;
  const Filters filters_;
  std::vector<std::string> keys_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::unique_ptr<DB> database_;
};

// Expects a row of the page with nearly these figures, as RocksDB versions cut blocks differently.
void ExpectInThePage(const std::string& name, const std::vector<double>& figures) {
  std::string row = "| " + name + " |";
  for (const double figure : figures) {
    char cell[32];
    std::snprintf(cell, sizeof cell, figure < 0.1 ? " %.3f |" : " %.2f |", figure);
    row += cell;
  }
  std::printf("%s\n", row.c_str());
  if (NumKeys() != kKeysOfPage) return;
  const std::string page = testing::ReadFile(WINNOW_SOURCE_DIR "/docs/range-filters.md");
  const std::string start = "| " + name + " |";
  const size_t at = page.find(start);
  ASSERT_NE(at, std::string::npos) << "docs/range-filters.md has no row " << start;
  const char* cell = &page[at + start.size()];
  for (const double figure : figures) {
    char* end = nullptr;
    EXPECT_NEAR(std::strtod(cell, &end), figure, 0.15 * figure + 0.01) << name;
    cell = end + 2;
  }
}

class RangeScansTest : public ::testing::TestWithParam<Keys> {};

TEST_P(RangeScansTest, ReadWhatThePageSays) {
  const ScannedDatabase none(GetParam(), Filters::kNone);
  const ScannedDatabase prefixes(GetParam(), Filters::kPrefixes);
  const ScannedDatabase ranges(GetParam(), Filters::kRanges);
  ExpectInThePage(GetParam() == Keys::kIntegers ? "filter bits per key, integers"
                                                : "filter bits per key, user and time",
                  {none.FilterBitsAKey(), prefixes.FilterBitsAKey(), ranges.FilterBitsAKey()});
  for (const Shape& shape : kShapes) {
    if (shape.keys != GetParam()) continue;
    SCOPED_TRACE(shape.name);
    std::vector<double> blocks;
    for (const ScannedDatabase* database : {&none, &prefixes, &ranges}) {
      const ScannedDatabase::Figures figures = database->Scan(shape);
      EXPECT_EQ(figures.wrong, 0);
      blocks.push_back(figures.data_blocks);
    }
    ExpectInThePage(shape.row, blocks);
    // The tolerance is twice the standard deviation of kScans scans.
    const double most = kFiles * static_cast<double>(shape.width) / (1 << kRangeBits);
    const double rows = shape.begin == Shape::Begin::kAtKey ? 1 : 0;  // each in a block of one file
    EXPECT_LT(blocks[2], rows + 1.1 * most + 2 * std::sqrt(most / kScans));
    EXPECT_LE(blocks[2], blocks[0]);
  }
  for (size_t key = 0; key + 100 < NumKeys(); key += NumKeys() / 500) {
    ASSERT_EQ(ranges.RowsBehind(key, 99), 99) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(, RangeScansTest, ::testing::Values(Keys::kIntegers, Keys::kEvents),
                         [](const auto& test) {
                           return std::string(test.param == Keys::kIntegers ? "Integers"
                                                                            : "Events");
                         });

}  // namespace range_scans_test
}  // namespace winnow::plugin
