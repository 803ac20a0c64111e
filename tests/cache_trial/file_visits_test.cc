#include "src/cache_trial/file_visits.h"

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/cache_trial/trial_cache.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace file_visits_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using testing::KeyOf;

constexpr uint64_t kKeys = 50'000;

VisitedFile Visit(const std::string& path, const std::vector<std::string>& keys) {
  VisitedFile visited = VisitFile(path, keys.data(), keys.size(), [](double) {});
  EXPECT_EQ(visited.error, "");
  EXPECT_EQ(visited.visits.size(), keys.size());
  return visited;
}

std::vector<std::string> AllKeys(const std::string& behind) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i + 1 < kKeys; ++i) {
    keys.push_back(KeyOf(i) + behind);
  }
  return keys;
}

TEST(FileVisitsTest, EveryDataBlockIsVisitedInItsOrder) {
  const testing::TemporaryFolder folder;
  testing::WriteSst(testing::TableWith("winnow:10"), kKeys, folder / "a.sst");
  const VisitedFile visited = Visit(folder / "a.sst", AllKeys(""));
  uint32_t block = 0;
  float place = 0;
  for (const struct Visit& visit : visited.visits) {
    ASSERT_TRUE(visit.found);
    ASSERT_TRUE(visit.ends);
    ASSERT_TRUE(visit.may_contain);
    ASSERT_TRUE(visit.data_block == block || visit.data_block == block + 1);
    ASSERT_GE(visit.place, place);
    ASSERT_LT(visit.place, 1);
    block = visit.data_block;
    place = visit.place;
  }
  EXPECT_EQ(block + 1, visited.data_blocks);
  EXPECT_GT(visited.data_blocks, 100u);
  EXPECT_GT(place, 0.98);
  EXPECT_FALSE(visited.partitioned);
  EXPECT_EQ(visited.filter_parts, 1u);
}

TEST(FileVisitsTest, AbsentKeysAskTheFilterAndTheBlockWhereTheyWouldBe) {
  const testing::TemporaryFolder folder;
  testing::WriteSst(testing::TableWith("winnow:10"), kKeys, folder / "a.sst");
  const VisitedFile present = Visit(folder / "a.sst", AllKeys(""));
  const VisitedFile absent = Visit(folder / "a.sst", AllKeys("x"));
  size_t let_through = 0;
  size_t two = 0;
  size_t next = 0;  // separator behind the last key of a block, by which its end is detected
  for (size_t i = 0; i < absent.visits.size(); ++i) {
    ASSERT_FALSE(absent.visits[i].found);
    const uint32_t behind = absent.visits[i].data_block - present.visits[i].data_block;
    ASSERT_LE(behind, 1u) << i;
    next += behind;
    let_through += absent.visits[i].may_contain ? 1 : 0;
    two += absent.visits[i].two_blocks ? 1 : 0;
  }
  EXPECT_GT(let_through, kKeys / 400);
  EXPECT_LT(let_through, kKeys / 50);
  EXPECT_LT(two + next, absent.data_blocks);
}

TEST(FileVisitsTest, PartitionsAreThoseThatTheFileHas) {
  const testing::TemporaryFolder folder;
  testing::WriteSst(testing::PartitionedTableWith("winnow:10"), kKeys, folder / "a.sst");
  const VisitedFile visited = Visit(folder / "a.sst", AllKeys(""));
  EXPECT_TRUE(visited.partitioned);
  EXPECT_GT(visited.filter_parts, 10u);
  EXPECT_GT(visited.index_parts, 10u);
  EXPECT_GT(visited.filter_top, 0u);
  EXPECT_GT(visited.index_top, 0u);
  std::set<uint32_t> partitions;
  for (const struct Visit& visit : visited.visits) {
    partitions.insert(visit.filter_block);
  }
  EXPECT_EQ(partitions.size(), visited.filter_parts);
  EXPECT_EQ(*partitions.rbegin() + 1, visited.filter_parts);
}

// Compares with a database that reads each filter, index and data block once.
TEST(FileVisitsTest, ChargesAreThoseOfTheTickers) {
  using namespace ROCKSDB_NAMESPACE;  // NOLINT: tickers
  for (const bool partitioned : {false, true}) {
    const testing::TemporaryFolder folder;
    BlockBasedTableOptions table =
        partitioned ? testing::PartitionedTableWith("winnow:10") : testing::TableWith("winnow:10");
    table.cache_index_and_filter_blocks = true;
    table.pin_top_level_index_and_filter = false;
    table.block_cache = NewLRUCache(64 << 20, 0);
    Options options = testing::MakeOptions(table);
    std::string path;
    {
      const auto db = testing::OpenDatabase(options, folder / "db");
      for (uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_STATUS_OK(db->Put({}, KeyOf(i), "value"));
      }
      ASSERT_STATUS_OK(db->Flush({}));
      std::vector<LiveFileMetaData> files;
      db->GetLiveFilesMetaData(&files);
      ASSERT_EQ(files.size(), 1u);
      path = files[0].db_path + files[0].name;
    }
    const VisitedFile visited = Visit(path, AllKeys(""));
    table.block_cache = NewLRUCache(64 << 20, 0);
    options = testing::MakeOptions(table);
    const auto db = testing::OpenDatabase(options, folder / "db");
    ASSERT_NE(db, nullptr);
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(db->Get({}, KeyOf(i), &value));
    }
    const auto ticker = [&](uint32_t number) {
      return static_cast<double>(options.statistics->getTickerCount(number));
    };
    const auto charge = [&](uint64_t (*of)(uint64_t), uint64_t bytes, uint64_t parts) {
      return static_cast<double>(of(bytes / parts) * parts);
    };
    const double filter = charge(ChargeOfFilter, visited.filter_bytes, visited.filter_parts) +
                          (partitioned ? charge(ChargeOfBlock, visited.filter_top, 1) : 0);
    EXPECT_NEAR(filter / ticker(BLOCK_CACHE_FILTER_BYTES_INSERT), 1, 0.02) << partitioned;
    const double index =
        partitioned
            ? charge(ChargeOfBlock, visited.index_bytes - visited.index_top, visited.index_parts) +
                  charge(ChargeOfBlock, visited.index_top, 1)
            : charge(ChargeOfBlock, visited.index_bytes, 1);
    EXPECT_NEAR(index / ticker(BLOCK_CACHE_INDEX_BYTES_INSERT), 1, 0.05) << partitioned;
    EXPECT_NEAR(static_cast<double>(visited.data_charge * visited.data_blocks) /
                    ticker(BLOCK_CACHE_DATA_BYTES_INSERT),
                1, 0.01)
        << partitioned;
  }
}

TEST(FileVisitsTest, SaysWhatItCannotRead) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "a.sst", "no table");
  EXPECT_NE(VisitFile(folder / "a.sst", nullptr, 0, [](double) {}).error, "");
}

}  // namespace file_visits_test
}  // namespace winnow::inspect
