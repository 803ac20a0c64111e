#include "src/sst/stored_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>

#include <optional>
#include <string>

#include "src/database/table_list.h"
#include "src/sst/sst_reader.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/range_of_table.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace stored_filter_test {

using testing::KeyOf;
using testing::PartitionedTableWith;
using testing::TableWith;
using testing::WriteSst;

constexpr uint64_t kKeys = 5'000;

class StoredFilterTest : public ::testing::Test {
 protected:
  static std::optional<bool> AskKey(StoredFilter* filter, const std::string& key) {
    return filter->MayContain(key, HashKey(key).value);
  }

  // Makes a file with one in ten keys and range filters, and returns its path.
  std::string MakeWithRanges(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
    const std::string database = folder_ / ("db" + std::to_string(++databases_));
    testing::MakeWithRangeFilter(database, table, {kKeys, 0, 10});
    const auto tables = ListTables(database, {}, 1).tables;
    EXPECT_EQ(tables.size(), 1u);
    return tables.at(0).path;
  }

  const ROCKSDB_NAMESPACE::Comparator* const bytewise_ = ROCKSDB_NAMESPACE::BytewiseComparator();
  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "a.sst";

 private:
  int databases_ = 0;
};

TEST_F(StoredFilterTest, AFileWithoutAFilterGivesNoAnswer) {
  WriteSst(TableWith(""), kKeys, path_);
  const RawSst sst = ReadRawSst(path_);
  StoredFilter filter(path_, sst, bytewise_);
  EXPECT_EQ(filter.problem(), "");
  EXPECT_EQ(AskKey(&filter, "absent"), std::nullopt);
  EXPECT_EQ(filter.MayContainRange("a", "b"), std::nullopt);
  EXPECT_EQ(filter.BlockOf("a"), 0u);
}

TEST_F(StoredFilterTest, AFileWithoutARangeFilterGivesNoAnswerOnRanges) {
  for (const std::string policy : {"winnow:10", "bloomfilter:10", "ribbonfilter:10:-1"}) {
    for (const auto& table : {TableWith(policy), PartitionedTableWith(policy)}) {
      WriteSst(table, kKeys, path_);
      const RawSst sst = ReadRawSst(path_);
      StoredFilter filter(path_, sst, bytewise_);
      EXPECT_EQ(AskKey(&filter, KeyOf(7)), true) << policy;
      EXPECT_NE(AskKey(&filter, KeyOf(7) + "x"), std::nullopt) << policy;
      EXPECT_EQ(filter.MayContainRange(KeyOf(7) + "x", KeyOf(7) + "y"), std::nullopt) << policy;
    }
  }
}

TEST_F(StoredFilterTest, EachKeyAndEachRangeWithOneMayBeThere) {
  for (const auto& table :
       {TableWith(testing::kRangePolicy), PartitionedTableWith(testing::kRangePolicy)}) {
    const std::string path = MakeWithRanges(table);
    const RawSst sst = ReadRawSst(path);
    StoredFilter filter(path, sst, bytewise_);
    int denied = 0;
    for (uint64_t i = 0; i < kKeys; i += 10) {
      ASSERT_EQ(AskKey(&filter, KeyOf(i)), true) << i;
      ASSERT_EQ(filter.MayContainRange(KeyOf(i), KeyOf(i + 1)), true) << i;
      ASSERT_EQ(filter.MayContainRange(KeyOf(i & ~15), KeyOf(i + 1)), true) << i;
      denied += filter.MayContainRange(KeyOf(i + 1), KeyOf(i + 3)) == false ? 1 : 0;
    }
    EXPECT_GT(denied, 400);
    // Without a known comparator, or with another one, range queries have no answer.
    EXPECT_EQ(StoredFilter(path, sst, nullptr).MayContainRange(KeyOf(1), KeyOf(3)), std::nullopt);
    EXPECT_EQ(StoredFilter(path, sst, ROCKSDB_NAMESPACE::ReverseBytewiseComparator())
                  .MayContainRange(KeyOf(1), KeyOf(3)),
              std::nullopt);
  }
}

// The index over the partitions has another number of partitions, or other sizes.
TEST_F(StoredFilterTest, OtherPartitionsThanTheIndexNamesGiveNoAnswer) {
  auto table = PartitionedTableWith(testing::kRangePolicy);
  table.block_size = table.metadata_block_size = 256;
  const std::string path = MakeWithRanges(table);
  const RawSst good = ReadRawSst(path);
  ASSERT_GT(good.blocks.size(), 3u);
  const auto expect_no_answer = [&](RawSst sst) {
    sst.partitioned = true;
    StoredFilter filter(path, sst, bytewise_);
    EXPECT_NE(filter.problem(), "");
    EXPECT_TRUE(filter.partitions().partitions.empty());
    for (const std::string& key : {std::string(), KeyOf(0), KeyOf(2'001), std::string("x")}) {
      EXPECT_EQ(AskKey(&filter, key), std::nullopt);
      EXPECT_EQ(filter.MayContainRange(key, key + "z"), std::nullopt);
      EXPECT_EQ(filter.BlockOf(key), 0u);
    }
  };
  for (const size_t left : {size_t{0}, size_t{1}, good.blocks.size() - 1}) {
    RawSst fewer = good;
    fewer.blocks.resize(left);
    expect_no_answer(fewer);
  }
  RawSst more = good;
  more.blocks.push_back(good.blocks.front());
  expect_no_answer(more);
  RawSst other_sizes = good;
  other_sizes.blocks.front() += '\0';
  expect_no_answer(other_sizes);
  RawSst whole = ReadRawSst(path);
  whole.blocks.resize(1);
  whole.partitioned = false;
  EXPECT_NE(StoredFilter(path, whole, bytewise_).MayContainRange(KeyOf(1), KeyOf(3)), std::nullopt);
}

// Each byte of the range filter is changed: a query has an answer, or none.
TEST_F(StoredFilterTest, AnyBytesOfARangeFilterAreAllowed) {
  const std::string path = MakeWithRanges(TableWith(testing::kRangePolicy));
  const RawSst good = ReadRawSst(path);
  ASSERT_EQ(good.blocks.size(), 1u);
  const size_t range_bytes = testing::RangeFilterOfTable(good.blocks[0]).size();
  ASSERT_GT(range_bytes, 0u);
  int unanswered = 0;
  for (size_t byte = 0; byte < good.blocks[0].size(); ++byte) {
    RawSst forged = good;
    forged.blocks[0][byte] = static_cast<char>(~forged.blocks[0][byte]);
    StoredFilter filter(path, forged, bytewise_);
    unanswered += filter.MayContainRange(KeyOf(1), KeyOf(9)) ? 0 : 1;
    EXPECT_NE(AskKey(&filter, KeyOf(1)), std::nullopt);
  }
  EXPECT_GT(unanswered, 0);
}

}  // namespace stored_filter_test
}  // namespace winnow::inspect
