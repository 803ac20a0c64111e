#include "src/sst/filter_partitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "src/sst/sst_filters.h"
#include "src/sst/sst_reader.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace filter_partitions_test {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::KeyOf;
using testing::PartitionedTableWith;
using testing::ReadFile;
using testing::WriteFile;
using testing::WriteSst;

// Entries of shared length, own length and, unless delta encoded, value length; key; offset 300,
// size 5 and offset 310, size 6 or, as zigzag 3, a block behind the first that is 2 bytes shorter;
// one restart at 0.
TEST(ParseIndexBlockTest, KeysShareTheirBeginningsAndDeltasAreSizesOfNeighbours) {
  constexpr std::string_view kWhole =
      "\x00\x03\x03"
      "abc"
      "\xac\x02\x05"
      "\x02\x01\x03"
      "d"
      "\xb6\x02\x06"
      "\0\0\0\0"
      "\x01\0\0\0"sv;
  constexpr std::string_view kDelta =
      "\x00\x03"
      "abc"
      "\xac\x02\x05"
      "\x02\x01"
      "d"
      "\x03"
      "\0\0\0\0"
      "\x01\0\0\0"sv;
  for (const bool is_delta : {false, true}) {
    const auto partitions = ParseIndexBlock(is_delta ? kDelta : kWhole, is_delta);
    ASSERT_TRUE(partitions);
    ASSERT_EQ(partitions->size(), 2u);
    EXPECT_EQ((*partitions)[0].last, "abc");
    EXPECT_EQ((*partitions)[0].place.offset, 300u);
    EXPECT_EQ((*partitions)[0].place.bytes, 5u);
    EXPECT_EQ((*partitions)[1].last, "abd");
    EXPECT_EQ((*partitions)[1].place.offset, 310u);
    EXPECT_EQ((*partitions)[1].place.bytes, is_delta ? 3u : 6u);
  }
}

TEST(ParseIndexBlockTest, AnyBytesAreAllowed) {
  EXPECT_FALSE(ParseIndexBlock("", false));
  EXPECT_FALSE(ParseIndexBlock("\xff\xff\xff\xff", true));
  std::mt19937 random(1);
  size_t parsed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string block(random() % 40, '\0');
    for (char& byte : block) {
      byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 4);
    }
    parsed += ParseIndexBlock(block, round % 2 == 0) ? 1 : 0;
  }
  EXPECT_GT(parsed, 0u);
}

class FilterPartitionsTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "a.sst";
};

TEST_F(FilterPartitionsTest, AreThoseThatRocksDBReads) {
  for (const uint32_t version : {2u, 3u, 4u, 5u}) {
    auto table = PartitionedTableWith("winnow:10");
    table.format_version = version;
    WriteSst(table, 20'000, path_);
    const RawSst sst = ReadRawSst(path_);
    const FilterPartitions found = ReadFilterPartitions(path_, *sst.properties);
    EXPECT_EQ(found.problem, "");
    EXPECT_EQ(found.internal_keys, version < 3);
    ASSERT_EQ(found.partitions.size(), sst.blocks.size());
    const std::string bytes = ReadFile(path_);
    for (size_t i = 0; i < sst.blocks.size(); ++i) {
      const BlockPlace place = found.partitions[i].place;
      EXPECT_EQ(bytes.substr(place.offset, place.bytes), sst.blocks[i]) << version << " " << i;
    }
  }
}

std::string Fixed(uint64_t number, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(number >> (8 * i) & 255);
  }
  return text;
}

// Makes a file with only an index over one partition, the metaindex that names it, and a footer in
// the form of RocksDB's FooterBuilder::Build, without checksums: versions 6 and later, which the
// installed RocksDB may not be able to write.
std::string FileOfVersion(uint64_t version) {
  const std::string trailer(5, '\0');
  const std::string index = "\x00\x03\x03"s + "abc" + "\xac\x02\x05" + Fixed(0, 4) + Fixed(1, 4);
  const std::string name = "partitionedfilter.rocksdb.BuiltinBloomFilter";
  const std::string metaindex = "\x00"s + static_cast<char>(name.size()) + "\x02" + name + "\x00"s +
                                static_cast<char>(index.size()) + Fixed(0, 4) + Fixed(1, 4);
  std::string places;
  if (version < 6) {
    places += static_cast<char>(index.size() + trailer.size());
    places += static_cast<char>(metaindex.size());
  } else {
    places = "\x3e\x00\x7a\x00"s + Fixed(0x11111111, 4) + Fixed(0x22222222, 4) +
             Fixed(metaindex.size(), 4);
  }
  places.resize(40);
  return index + trailer + metaindex + trailer + "\0"s + places + Fixed(version, 4) +
         Fixed(0x88e241b785f4cff7, 8);
}

TEST_F(FilterPartitionsTest, FootersOfAllVersionsAreRead) {
  ROCKSDB_NAMESPACE::TableProperties properties;
  properties.index_key_is_user_key = 1;
  for (uint64_t version = 2; version <= 7; ++version) {
    WriteFile(path_, FileOfVersion(version));
    const FilterPartitions found = ReadFilterPartitions(path_, properties);
    EXPECT_EQ(found.problem, "") << version;
    ASSERT_EQ(found.partitions.size(), 1u) << version;
    EXPECT_EQ(found.partitions[0].last, "abc");
    EXPECT_EQ(found.partitions[0].place.offset, 300u);
  }
  for (const uint64_t version : {0, 1, 8}) {
    WriteFile(path_, FileOfVersion(version));
    EXPECT_THAT(ReadFilterPartitions(path_, properties).problem,
                ::testing::HasSubstr("format version " + std::to_string(version)));
  }
}

TEST_F(FilterPartitionsTest, KeysGoToTheFirstPartitionThatEndsNotBeforeThem) {
  WriteSst(PartitionedTableWith("winnow:10"), 20'000, path_);
  const FilterPartitions found = ReadFilterPartitions(path_, *ReadRawSst(path_).properties);
  ASSERT_GT(found.partitions.size(), 10u);
  PartitionWalk walk(found, ROCKSDB_NAMESPACE::BytewiseComparator());
  for (uint64_t i = 0; i < 20'000; ++i) {
    const std::string key = KeyOf(i);
    const size_t number = walk.PartitionOf({key, 0, 1});
    ASSERT_EQ(FindPartition(found, ROCKSDB_NAMESPACE::BytewiseComparator(), {key, 0, 1}), number);
    if (number > 0) {
      ASSERT_LT(found.partitions[number - 1].last, key);
    }
    if (number + 1 < found.partitions.size()) {
      ASSERT_GE(found.partitions[number].last, key);
    }
  }
  EXPECT_EQ(walk.PartitionOf({"after all", 0, 1}), found.partitions.size() - 1);
  EXPECT_EQ(FindPartition(found, ROCKSDB_NAMESPACE::BytewiseComparator(), {"after all", 0, 1}),
            found.partitions.size() - 1);
}

TEST_F(FilterPartitionsTest, OfOneUserKeyTheNewestComesFirst) {
  FilterPartitions partitions;
  partitions.internal_keys = true;
  partitions.partitions.resize(3);
  partitions.partitions[0].last = "key\x01\x05\0\0\0\0\0\0"s;
  partitions.partitions[1].last = "key\x01\x03\0\0\0\0\0\0"s;
  partitions.partitions[2].last = "kez\x01\x03\0\0\0\0\0\0"s;
  PartitionWalk walk(partitions, ROCKSDB_NAMESPACE::BytewiseComparator());
  EXPECT_EQ(walk.PartitionOf({"key", 9, 1}), 0u);
  EXPECT_EQ(walk.PartitionOf({"key", 5, 1}), 0u);
  EXPECT_EQ(walk.PartitionOf({"key", 5, 0}), 1u);
  EXPECT_EQ(walk.PartitionOf({"key", 4, 1}), 1u);
  EXPECT_EQ(walk.PartitionOf({"key", 2, 1}), 2u);
}

TEST_F(FilterPartitionsTest, DamageIsSaidAndNoPartition) {
  WriteSst(PartitionedTableWith("winnow:10"), 5'000, path_);
  const auto properties = ReadRawSst(path_).properties;
  const std::string good = ReadFile(path_);
  WriteFile(path_, good.substr(good.size() - 20));
  EXPECT_THAT(ReadFilterPartitions(path_, *properties).problem, ::testing::HasSubstr("end"));
  WriteFile(path_, good.substr(0, good.size() - 1));
  EXPECT_THAT(ReadFilterPartitions(path_, *properties).problem,
              ::testing::HasSubstr("no block-based table"));
  WriteFile(path_, good.substr(good.size() - 60));  // offsets in the footer are beyond the end
  EXPECT_NE(ReadFilterPartitions(path_, *properties).problem, "");
  EXPECT_NE(ReadFilterPartitions(folder_ / "missing", *properties).problem, "");
  WriteSst(testing::TableWith("winnow:10"), 5'000, path_);
  EXPECT_THAT(ReadFilterPartitions(path_, *ReadRawSst(path_).properties).problem,
              ::testing::HasSubstr("names no partitioned filter"));
}

}  // namespace filter_partitions_test
}  // namespace winnow::inspect
