// A set of keys gets the same filter bytes with every RocksDB version, so that a database that
// moves between versions has one kind of filter. The checksums below were printed by this test and
// hold for all versions that the suite runs with.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/formulas/xxh3.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {
namespace filter_bytes_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using testing::OpenDatabase;
using testing::ReadFilters;
using testing::TemporaryFolder;

struct Expected {
  const char* policy;
  uint64_t keys;
  const char* kind;
  size_t bytes;
  uint64_t sum;  // XXH3, seed 0
};

std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.policy << " of " << expected.keys << " keys";
}

class FilterBytesTest : public ::testing::TestWithParam<Expected> {};

TEST_P(FilterBytesTest, AreTheSameInEveryVersion) {
  const Expected& expected = GetParam();
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const TemporaryFolder folder;
  BlockBasedTableOptions table;
  table.filter_policy = MakePolicyFrom(expected.policy);
  // The level is stored in the filter; MakeOptions() gives the same levels with every version.
  const ROCKSDB_NAMESPACE::Options options = MakeOptions(table);
  CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  {
    const auto database = OpenDatabase(options, folder / "database");
    ASSERT_NE(database, nullptr);
    for (uint64_t i = 0; i < expected.keys; ++i) {
      ASSERT_STATUS_OK(database->Put({}, "key " + std::to_string(i * 2654435761), "value"));
    }
    ASSERT_STATUS_OK(database->Flush({}));
    ASSERT_STATUS_OK(database->CompactRange(compaction, nullptr, nullptr));
  }
  const std::vector<testing::FileFilter> filters = ReadFilters(folder / "database");
  ASSERT_EQ(filters.size(), 1u);
  const std::string& block = filters[0].block;
  EXPECT_EQ(testing::KindOf(block), expected.kind);
  EXPECT_EQ(block.size(), expected.bytes);
  EXPECT_EQ(XXH3_64bits(block.data(), block.size()), expected.sum);
}

INSTANTIATE_TEST_SUITE_P(
    All, FilterBytesTest,
    ::testing::Values(
        Expected{"{id=winnow:10;level_plan=uniform}", 1, "winnow bloom", 101, 0x6767966b3befa9dc},
        Expected{"{id=winnow:10;ribbon_min_keys=3000;level_plan=uniform}", 500, "winnow bloom", 677,
                 0xd7b8b8e68df0ebcf},
        Expected{"{id=winnow:12.5;ribbon_min_keys=0;bloom_before_level=-1;level_plan=uniform}", 500,
                 "winnow ribbon", 685, 0x738e5a40eadade85},
        Expected{"{id=winnow:10;level_plan=uniform}", 20000, "winnow ribbon", 17255,
                 0xe07fc151afaf085},
        Expected{"{id=winnow:7.3;level_plan=uniform}", 100000, "winnow ribbon", 62923,
                 0xeb5ebaf1ec2a6767}));

}  // namespace filter_bytes_test
}  // namespace winnow
