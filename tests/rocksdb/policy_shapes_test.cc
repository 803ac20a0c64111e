// Filter memory with default options for common shapes of data, compared with RocksDB's filters.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_shapes_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TablePropertiesCollection;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::Key;
using testing::MakePolicyFrom;

struct Shape {
  const char* name;
  uint64_t keys;
  size_t value_bytes;
  bool in_order;            // keys are sorted, so flushed files are never merged
  bool partitions;          // partitions have RocksDB's default size
  size_t file_bytes;        // size of a compaction's output file; 0: RocksDB's default
  double of_bloom;          // maximum size relative to the built-in Bloom filter
  double of_ribbon = 1.03;  // maximum size relative to the built-in Ribbon filter
  // decouple_partitioned_filters: "false" cuts partitions with the index, "true" by their own size;
  // null is RocksDB's default, which changed in 10.6.
  const char* decoupled = nullptr;
  uint64_t metadata_bytes = 0;  // metadata_block_size, with a key per data block; 0: the default
};

constexpr double kUsual = 0.78;
// Slots come in blocks of 64, and the trailer has 32 bytes.
constexpr double kOfFewKeys = 0.85;
constexpr double kOfVeryFewKeys = 1;

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

const Shape kShapes[] = {
    {"partitions_of_large_values", 40'000, 400, false, true, 0, kUsual},
    {"partitions_of_very_large_values", 20'000, 2000, false, true, 0, kOfFewKeys},
    // Each key has its own data block and partition entry, as with all larger values.
    {"partitions_of_huge_values", 10'000, 4000, false, true, 0, kOfVeryFewKeys, 1.2},
    {"partitions_of_small_values", 150'000, 20, false, true, 0, kUsual},
    {"sequential_load", 120'000, 100, true, false, 0, kUsual},
    {"files_of_two_thousand_keys", 60'000, 117, false, false, 256 << 10, kUsual},
    {"files_of_a_thousand_keys", 60'000, 117, false, false, 128 << 10, kUsual},
    {"files_of_three_hundred_keys", 40'000, 117, false, false, 32 << 10, kOfFewKeys},
    // Winnow's longer trailer matters where the index cuts partitions of few keys. RocksDB asks a
    // builder for the number of keys that fit in metadata_block_size.
    {"partitions_of_one_byte", 3000, 5, false, true, 0, 1.4, 2, nullptr, 1},
    {"partitions_of_few_bytes", 3000, 5, false, true, 0, 1.4, 2, nullptr, 256},
    {"large_files", 300'000, 20, false, false, 0, kUsual},
};

// Returns the shapes with partitions, cut in both ways, with the limits for each.
std::vector<Shape> CutPartitions() {
  std::vector<Shape> shapes;
  for (const Shape& shape : kShapes) {
    if (!shape.partitions || shape.metadata_bytes != 0) continue;
    shapes.push_back(shape);
    shapes.back().decoupled = "false";
    shapes.push_back(shape);
    shapes.back().decoupled = "true";
    shapes.back().of_bloom = 0.72;
    shapes.back().of_ribbon = 1.03;
  }
  return shapes;
}

// Sets decouple_partitioned_filters. Returns false before RocksDB 9.6, which lacks this option.
bool Cut(const char* decoupled, BlockBasedTableOptions* table) {
  return GetBlockBasedTableOptionsFromString(
             testing::StrictConfig(), *table,
             std::string("decouple_partitioned_filters=") + decoupled, table)
      .ok();
}

struct Filters {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t keys = 0;
};

class PolicyShapesTest : public ::testing::TestWithParam<Shape> {
 protected:
  PolicyShapesTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  static Options OptionsOf(const Shape& shape, const std::string& policy) {
    BlockBasedTableOptions table;
    table.format_version = 5;
    table.filter_policy = MakePolicyFrom(policy);
    if (shape.partitions) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    if (shape.metadata_bytes != 0) {
      table.metadata_block_size = shape.metadata_bytes;
      table.block_size = 1;
    }
    if (shape.decoupled != nullptr) {
      EXPECT_TRUE(Cut(shape.decoupled, &table));
    }
    Options options = testing::MakeOptions(table);
    options.write_buffer_size = 4 << 20;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    if (shape.file_bytes != 0) {
      options.target_file_size_base = shape.file_bytes;
    }
    return options;
  }

  static void Load(const Shape& shape, DB& database) {
    std::vector<uint64_t> keys(shape.keys);
    std::iota(keys.begin(), keys.end(), 0);
    if (!shape.in_order) {
      std::shuffle(keys.begin(), keys.end(), std::mt19937_64(7));
    }
    const std::string value(shape.value_bytes, 'v');
    for (const uint64_t key : keys) {
      ASSERT_STATUS_OK(database.Put(WriteOptions(), Key(key), value));
    }
    ASSERT_STATUS_OK(database.Flush(FlushOptions()));
    if (!shape.in_order) {
      ASSERT_STATUS_OK(database.CompactRange(CompactRangeOptions(), nullptr, nullptr));
    }
  }

  static Filters FiltersOf(const Shape& shape, const std::string& policy) {
    const testing::TemporaryFolder folder;
    const auto database = testing::OpenDatabase(OptionsOf(shape, policy), folder.path() + "/db");
    Load(shape, *database);
    TablePropertiesCollection files;
    EXPECT_TRUE(database->GetPropertiesOfAllTables(&files).ok());
    Filters sum;
    for (const auto& [name, properties] : files) {
      ++sum.files;
      sum.bytes += properties->filter_size;
      sum.keys += properties->num_entries;
    }
    return sum;
  }
};

TEST_P(PolicyShapesTest, SavesWhatARibbonSaves) {
  BlockBasedTableOptions table;
  if (GetParam().decoupled != nullptr && !Cut(GetParam().decoupled, &table)) {
    GTEST_SKIP() << "this RocksDB has no decouple_partitioned_filters";
  }
  const Filters winnow = FiltersOf(GetParam(), "winnow:10");
  const Filters ribbon = FiltersOf(GetParam(), "ribbonfilter:10:-1");
  const Filters bloom = FiltersOf(GetParam(), "bloomfilter:10");
  ASSERT_EQ(winnow.keys, GetParam().keys);
  ASSERT_EQ(bloom.keys, winnow.keys);
  ASSERT_GT(winnow.bytes, 0u);
  const auto share = [&](const Filters& other) {
    return static_cast<double>(winnow.bytes) / static_cast<double>(other.bytes);
  };
  std::printf(
      "%-31s %-15s %6llu files: winnow:10 %llu bytes, of ribbonfilter:10:-1 %.3f, of "
      "bloomfilter:10 %.3f\n",
      GetParam().name,
      GetParam().decoupled == nullptr               ? ""
      : std::string(GetParam().decoupled) == "true" ? "cut by size"
                                                    : "cut as the index",
      static_cast<unsigned long long>(winnow.files), static_cast<unsigned long long>(winnow.bytes),
      share(ribbon), share(bloom));
  EXPECT_LE(share(ribbon), GetParam().of_ribbon);
  EXPECT_LE(share(bloom), GetParam().of_bloom);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PolicyShapesTest, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return shape.param.name; });

INSTANTIATE_TEST_SUITE_P(CutPartitions, PolicyShapesTest, ::testing::ValuesIn(CutPartitions()),
                         [](const auto& shape) {
                           return std::string(shape.param.name) + "_decoupled_" +
                                  shape.param.decoupled;
                         });

}  // namespace policy_shapes_test
}  // namespace winnow::plugin
