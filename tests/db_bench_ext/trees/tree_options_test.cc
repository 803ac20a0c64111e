// Tests of the RocksDB options of opened trees.

#include "db_bench_ext/read_amplification/trees/tree_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

namespace winnow::bench {
namespace tree_options_test {

using ::testing::HasSubstr;

const rocksdb::BlockBasedTableOptions& Table(const rocksdb::Options& options) {
  return *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}

TEST(ParseCompressionTest, NamesAreKnownOrTheErrorNamesThoseThatAre) {
  EXPECT_EQ(*ParseCompression("none"), rocksdb::kNoCompression);
  EXPECT_EQ(*ParseCompression("lz4"), rocksdb::kLZ4Compression);
  EXPECT_THAT(std::string(ParseCompression("gzip").status().message()), HasSubstr("lz4"));
}

TEST(TreeOptionsTest, FlagsReachRocksDB) {
  TreeOptions options;
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_background_jobs = 3;
  options.optimize_filters_for_hits = true;
  options.prefix_size = 8;
  options.whole_key_filtering = false;
  options.metadata_block_size = 1234;
  options.write_buffer_size = 1 << 20;
  const rocksdb::Options growing = GrowingOptions(options, Policy{"none", nullptr});
  EXPECT_EQ(growing.compaction_style, rocksdb::kCompactionStyleUniversal);
  EXPECT_TRUE(growing.level_compaction_dynamic_level_bytes);
  EXPECT_EQ(growing.max_background_jobs, 3);
  EXPECT_TRUE(growing.optimize_filters_for_hits);
  EXPECT_EQ(growing.prefix_extractor->AsString(), "rocksdb.FixedPrefix.8");
  EXPECT_FALSE(Table(growing).whole_key_filtering);
  EXPECT_EQ(Table(growing).metadata_block_size, 1234u);
  EXPECT_EQ(growing.write_buffer_size, size_t{1} << 20);
  EXPECT_FALSE(growing.disable_auto_compactions);
}

// A policy plans rates from the options of the tree, which must not depend on how it is opened.
TEST(TreeOptionsTest, GrowingAndRestingTreesHaveTheSameShape) {
  TreeOptions options;
  options.max_bytes_for_level_multiplier = 8;
  options.num_levels = 5;
  options.level_compaction_dynamic_level_bytes = true;
  const Policy none{"none", nullptr};
  const rocksdb::Options growing = GrowingOptions(options, none);
  const rocksdb::Options resting = RestingOptions(options, none);
  EXPECT_EQ(growing.max_bytes_for_level_multiplier, 8);
  EXPECT_EQ(resting.max_bytes_for_level_multiplier, 8);
  EXPECT_EQ(growing.num_levels, resting.num_levels);
  EXPECT_TRUE(resting.disable_auto_compactions) << "a tree that rests is never merged";
  EXPECT_TRUE(resting.level_compaction_dynamic_level_bytes);
}

TEST(TreeOptionsTest, WhatTheFileSaysIsKeptButTheFlagPartitionsFilters) {
  auto file = std::make_shared<FileOptions>();
  file->database.max_subcompactions = 3;
  file->table.block_restart_interval = 7;
  file->table.partition_filters = true;
  file->table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  TreeOptions options;
  options.file = file;
  for (const bool partitioned : {false, true}) {
    options.partition_index_and_filters = partitioned;
    const rocksdb::Options resting = RestingOptions(options, Policy{"none", nullptr});
    const rocksdb::BlockBasedTableOptions& table = Table(resting);
    EXPECT_EQ(resting.max_subcompactions, 3u);
    EXPECT_EQ(table.block_restart_interval, 7);
    EXPECT_EQ(table.partition_filters, partitioned);
    EXPECT_EQ(table.index_type == rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch,
              partitioned);
    EXPECT_EQ(table.cache_index_and_filter_blocks, partitioned);
  }
}

}  // namespace tree_options_test
}  // namespace winnow::bench
