// Data blocks read by scans of an absent prefix, with and without prefix filters;
// docs/which-policy.md has the figures.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace short_scans_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;

constexpr int kCustomers = 10'000;  // every second one has orders
constexpr int kOrders = 20;
constexpr int kFiles = 7;  // files on level 0; a scan may read each
constexpr int kScans = 2'000;

std::string Customer(int number) {
  char text[32];
  std::snprintf(text, sizeof text, "customer%08d", number);
  return text;
}

struct Setup {
  const char* name;
  const char* row;  // name in the page's table
  const char* policy;
  bool prefixes;    // sets an extractor and auto_prefix_mode
  bool whole_keys;  // whole_key_filtering
};

std::ostream& operator<<(std::ostream& out, const Setup& setup) { return out << setup.name; }

constexpr Setup kWithoutPrefixes = {"whole_keys", "`winnow:10` alone", "winnow:10", false, true};
constexpr Setup kWithPrefixes = {
    "prefixes", "`winnow:10`, a prefix extractor and `auto_prefix_mode`", "winnow:10", true, true};
constexpr Setup kPrefixesAlone = {"prefixes_alone", "the same with `whole_key_filtering=false`",
                                  "winnow:10", true, false};
constexpr Setup kBuiltin = {"built_in",
                            "`bloomfilter:10`, a prefix extractor and `auto_prefix_mode`",
                            "bloomfilter:10", true, true};

class ScannedDatabase {
 public:
  explicit ScannedDatabase(const Setup& setup) : prefixes_(setup.prefixes) {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(setup.policy);
    table.whole_key_filtering = setup.whole_keys;
    Options options = testing::MakeOptions(table);
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.level0_file_num_compaction_trigger = kFiles + 1;
    if (prefixes_) {
      options.prefix_extractor.reset(
          ROCKSDB_NAMESPACE::NewFixedPrefixTransform(Customer(0).size()));
    }
    statistics_ = options.statistics;
    database_ = testing::OpenDatabase(options, folder_ / "db");
    Load();
  }

  // Returns the number of the customer's rows.
  int Scan(int customer) const {
    return Scan(Customer(customer) + "/", Customer(customer) + "0");  // '0' follows '/'
  }

  // Returns the number of rows in [from, to).
  int Scan(const std::string& from, const std::string& to) const {
    const Slice bound = to;
    ReadOptions options;
    options.iterate_upper_bound = &bound;
    options.auto_prefix_mode = prefixes_;
    const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> rows(database_->NewIterator(options));
    int count = 0;
    for (rows->Seek(from); rows->Valid(); rows->Next()) {
      ++count;
    }
    EXPECT_TRUE(rows->status().ok()) << rows->status().ToString();
    return count;
  }

  uint64_t DataBlocks() const { return testing::DataBlocksRead(*statistics_); }

  double FilterBitsARow() const {
    ROCKSDB_NAMESPACE::TablePropertiesCollection files;
    EXPECT_TRUE(database_->GetPropertiesOfAllTables(&files).ok());
    EXPECT_EQ(files.size(), static_cast<size_t>(kFiles));
    double bits = 0;
    for (const auto& [name, properties] : files) {
      bits += 8 * static_cast<double>(properties->filter_size);
    }
    return bits / (kCustomers / 2 * kOrders);
  }

 private:
  void Load() {
    std::vector<int> rows(kCustomers / 2 * kOrders);
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), std::mt19937_64(7));
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string key =
          Customer(rows[i] / kOrders * 2) + "/order" + std::to_string(rows[i] % kOrders);
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), key, std::string(100, 'v')));
      if ((i + 1) * kFiles / rows.size() > i * kFiles / rows.size()) {
        ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
      }
    }
  }

  testing::TemporaryFolder folder_;
  bool prefixes_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::unique_ptr<DB> database_;
};

// Returns the mean number of data blocks read by a scan without rows.
double BlocksOfAnEmptyScan(const ScannedDatabase& database) {
  const uint64_t before = database.DataBlocks();
  for (int i = 0; i < kScans; ++i) {
    EXPECT_EQ(database.Scan(2 * i + 1), 0);
  }
  return static_cast<double>(database.DataBlocks() - before) / kScans;
}

// Expects a row of the page with nearly these figures, as RocksDB versions cut blocks differently.
void ExpectInThePage(const Setup& setup, double bits, double blocks) {
  std::printf("| %s | %.2f | %.2f |\n", setup.row, bits, blocks);
  const std::string page = testing::ReadFile(WINNOW_SOURCE_DIR "/docs/which-policy.md");
  const std::string start = "| " + std::string(setup.row) + " | ";
  const size_t at = page.find(start);
  ASSERT_NE(at, std::string::npos) << "docs/which-policy.md has no row " << start;
  char* end = nullptr;
  EXPECT_NEAR(std::strtod(&page[at + start.size()], &end), bits, 0.05 * bits) << setup.name;
  EXPECT_NEAR(std::strtod(end + 3, nullptr), blocks, 0.1 * blocks + 0.02) << setup.name;
}

class ShortScansTest : public ::testing::TestWithParam<Setup> {};

TEST_P(ShortScansTest, ReadWhatThePageSays) {
  const ScannedDatabase database(GetParam());
  const double blocks = BlocksOfAnEmptyScan(database);
  ExpectInThePage(GetParam(), database.FilterBitsARow(), blocks);
  if (GetParam().prefixes) {
    EXPECT_LT(blocks, 0.02 * kFiles);  // two files per hundred scans, instead of all files
  } else {
    EXPECT_GT(blocks, 0.9 * kFiles);
  }
  // Prefix filters must hide no row.
  for (int customer = 0; customer < kCustomers; customer += 100) {
    EXPECT_EQ(database.Scan(customer), kOrders) << customer;
  }
  // Scans of several prefixes, and between absent bounds, must also return all rows.
  EXPECT_EQ(database.Scan(Customer(1001) + "/", Customer(1011)), 5 * kOrders);
  EXPECT_EQ(database.Scan("a", "z"), kCustomers / 2 * kOrders);
}

INSTANTIATE_TEST_SUITE_P(Setups, ShortScansTest,
                         ::testing::Values(kWithoutPrefixes, kWithPrefixes, kPrefixesAlone,
                                           kBuiltin),
                         [](const auto& setup) { return setup.param.name; });

}  // namespace short_scans_test
}  // namespace winnow::plugin
