#include "tools/winnow/advise/cache_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/inspect_testing.h"
#include "tools/winnow/advise/advice_costs.h"

namespace winnow::inspect {
namespace cache_choices_test {

FiltersOfNow WholeInTheCache() {
  FiltersOfNow now;
  now.whole = now.in_cache = now.has_plans = true;
  now.policy = "bloomfilter:10:false";
  now.absent_share = 0.5;
  return now;
}

bool Has(const std::vector<CacheChoice>& choices, const std::string& title) {
  return std::any_of(choices.begin(), choices.end(),
                     [&](const CacheChoice& choice) { return choice.Title() == title; });
}

TEST(CacheChoicesTest, RocksDBTakesTheOptionsOfEachChoice) {
  FiltersOfNow now = WholeInTheCache();
  now.fewer_shards.emplace();
  now.fewer_shards->shard_bits = 1;
  now.fewer_shards->capacity = 3 << 20;
  now.fewer_shards->high_priority_share = 0.25;
  now.fewer_shards->strict = true;
  now.further = {"ribbonfilter:8"};
  std::set<std::string> titles;
  for (const CacheChoice& choice : CacheChoices(now)) {
    EXPECT_TRUE(titles.insert(choice.Title()).second) << choice.Title();
    ROCKSDB_NAMESPACE::ColumnFamilyOptions options;
    const auto status = ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString(
        testing::StrictConfig(), ROCKSDB_NAMESPACE::ColumnFamilyOptions(), choice.Options(),
        &options);
    ASSERT_TRUE(status.ok()) << choice.Options() << ": " << status.ToString();
    const auto* table =
        options.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
    EXPECT_EQ(options.optimize_filters_for_hits, choice.skip_last_level);
    EXPECT_EQ(table->partition_filters, choice.partition_bytes.value_or(0) > 0);
    EXPECT_EQ(table->filter_policy != nullptr, !choice.policy.empty());
    EXPECT_EQ(
        table->metadata_cache_options.unpartitioned_pinning == ROCKSDB_NAMESPACE::PinningTier::kAll,
        choice.pins == CacheChoice::Pins::kAll);
    if (choice.fewer_shards) {
      EXPECT_EQ(table->block_cache->GetCapacity(), 3u << 20);
      EXPECT_TRUE(table->block_cache->HasStrictCapacityLimit());
      EXPECT_THAT(choice.Options(), ::testing::HasSubstr(";high_pri_pool_ratio=0.25;"));
    }
  }
}

TEST(CacheChoicesTest, AreThoseThatChangeSomething) {
  const std::vector<CacheChoice> whole = CacheChoices(WholeInTheCache());
  EXPECT_TRUE(whole[0].is_now);
  EXPECT_EQ(whole[0].Options(), "");
  EXPECT_FALSE(whole[0].Rewrites());
  for (const char* title :
       {"now", "partitions of 4 KiB", "partitions of 16 KiB", "partitions of 64 KiB",
        "partitions of 4 KiB, winnow:10", "partitions of 4 KiB, winnow:10, absent_share=0.5",
        "whole, winnow:5", "none on the last level", "all pinned", "level 0 pinned",
        "beside a smaller cache", "as now, cache times 2", "as now, cache times 4"}) {
    EXPECT_TRUE(Has(whole, title)) << title;
  }
  EXPECT_FALSE(Has(whole, "whole"));
  EXPECT_FALSE(Has(whole, "in the cache"));

  FiltersOfNow now;
  now.partitioned = true;
  now.skips_last_level = true;
  now.partition_bytes = 16 << 10;
  now.policy = "winnow:10";
  const std::vector<CacheChoice> partitioned = CacheChoices(now);
  EXPECT_TRUE(Has(partitioned, "whole"));
  EXPECT_TRUE(Has(partitioned, "in the cache"));
  for (const char* title :
       {"partitions of 16 KiB", "partitions of 4 KiB, winnow:10", "none on the last level",
        "beside a smaller cache", "partitions of 4 KiB, winnow:10, level_plan=auto"}) {
    EXPECT_FALSE(Has(partitioned, title)) << title;
  }
}

TEST(CacheChoicesTest, WithoutAPolicyFilesThatAreWrittenAnewNameOne) {
  FiltersOfNow now;
  now.substitute = "winnow:10";
  size_t anew = 0;
  std::set<std::string> titles;
  for (const CacheChoice& choice : CacheChoices(now)) {
    EXPECT_TRUE(titles.insert(choice.Title()).second) << choice.Title();
    EXPECT_EQ(choice.Rewrites(), !choice.policy.empty()) << choice.Title();
    EXPECT_EQ(choice.Options().find("filter_policy=") != std::string::npos, choice.Rewrites());
    anew += choice.Rewrites() ? 1 : 0;
  }
  EXPECT_GE(anew, 4u);
}

// RocksDB refuses cache_index_and_filter_blocks without a block cache.
TEST(CacheChoicesTest, WithoutABlockCacheOptionsAskForOne) {
  FiltersOfNow now;
  now.no_block_cache = true;
  for (const CacheChoice& choice : CacheChoices(now)) {
    const bool is_now = choice.Title() == "now";
    EXPECT_EQ(choice.Options().find("no_block_cache=false") == std::string::npos, is_now)
        << choice.Title();
  }
}

// A file on the last level or above, with 100,000 keys, 1000 data blocks and an unpartitioned
// filter.
class FormsTest : public ::testing::Test {
 protected:
  FormsTest() {
    family_.shape.policy = "winnow:10";
    family_.shape.caching.in_cache = true;
    family_.shape.caching.decoupled = false;
    file_.keys = file_.entries = 100'000;
    file_.place.level = file_.place.depth = file_.place.base = 3;
    file_.place.bottommost = true;
    file_.range.first = "a";
    file_.range.last = "b";
    family_.comparator = ROCKSDB_NAMESPACE::BytewiseComparator();
    visited_.data_blocks = 1000;
    visited_.index_bytes = 20'000;
    visited_.filter_parts = 1;
    visited_.filter_bytes = 100'000;
  }

  FileForm FormOf(const CacheChoice& choice) {
    family_.files = {0};
    FamilyLookups lookups;
    lookups.asks = lookups.finds = {{}};
    lookups.sure = {0};
    const std::vector<AdvisedFile> files = {file_};
    family_.costs = std::make_shared<FamilyCosts>(family_, files, lookups, 1);
    return inspect::FormOf(choice, family_, 0, file_, visited_);
  }

  AdvisedFamily family_;
  AdvisedFile file_;
  VisitedFile visited_;
};

TEST_F(FormsTest, WhatThereIsStaysAsItIs) {
  const FileForm form = FormOf(CacheChoice());
  EXPECT_TRUE(form.has_stored_blocks);
  EXPECT_TRUE(form.has_stored_answers);
  EXPECT_EQ(form.filter.blocks, 1u);
  EXPECT_NEAR(static_cast<double>(form.filter.charge), 100'000, 200);
  EXPECT_EQ(form.index.blocks, 1u);
  EXPECT_FALSE(form.filter.pin_blocks);
  EXPECT_FALSE(form.filter.beside);
}

TEST_F(FormsTest, PartitionsAreCutForTheirSizeAtTheEndsOfDataBlocks) {
  CacheChoice choice;
  choice.partition_bytes = 4096;
  const FileForm form = FormOf(choice);
  EXPECT_FALSE(form.has_stored_blocks);
  EXPECT_TRUE(form.has_stored_answers);
  EXPECT_LT(form.filter.charge, 4300u);
  EXPECT_GT(form.filter.charge, 3300u);
  EXPECT_EQ(form.index.blocks, form.filter.blocks);
  EXPECT_TRUE(form.filter.pin_top);
  EXPECT_FALSE(form.filter.pin_blocks);
  // Large values make the index partition end first, and with it the filter partition, unless the
  // filter is decoupled.
  visited_.data_blocks = 100'000;
  visited_.index_bytes = 2'000'000;
  const FileForm large_values = FormOf(choice);
  EXPECT_GT(large_values.filter.blocks, 10 * form.filter.blocks);
  EXPECT_EQ(large_values.index.blocks, large_values.filter.blocks);
  family_.shape.caching.decoupled = true;
  const FileForm decoupled = FormOf(choice);
  EXPECT_NEAR(static_cast<double>(decoupled.filter.blocks), static_cast<double>(form.filter.blocks),
              2);
  EXPECT_EQ(decoupled.index.blocks, large_values.index.blocks);
}

TEST_F(FormsTest, ThereIsNoFilterOnTheLastLevelWhereOptionsSaySo) {
  CacheChoice choice;
  choice.skip_last_level = true;
  EXPECT_EQ(FormOf(choice).filter.blocks, 0u);
  choice.partition_bytes = 4096;
  const FileForm form = FormOf(choice);
  EXPECT_EQ(form.filter.blocks, 0u);
  EXPECT_EQ(form.index.blocks, 5u);  // cut by the index's own size
  file_.place.level = 2;
  EXPECT_GT(FormOf(choice).filter.blocks, 10u);
}

TEST_F(FormsTest, TheOldestFileOfATreeOfLevel0IsItsLastLevel) {
  family_.shape.last_level_has_filters = false;
  file_.place.level = 0;
  file_.place.depth = file_.place.base = -1;
  EXPECT_EQ(FormOf(CacheChoice()).filter.blocks, 1u);
  file_.is_last = true;
  EXPECT_EQ(FormOf(CacheChoice()).filter.blocks, 0u);
  file_.place.depth = file_.place.base = 2;
  EXPECT_EQ(FormOf(CacheChoice()).filter.blocks, 1u);
}

TEST_F(FormsTest, WithoutAPolicyNoFilterIsAsked) {
  family_.shape.policy.clear();
  family_.shape.has_no_policy = true;
  EXPECT_EQ(FormOf(CacheChoice()).filter.blocks, 0u);
  CacheChoice choice;
  choice.partition_bytes = 4096;
  choice.policy = "winnow:10";
  EXPECT_GT(FormOf(choice).filter.blocks, 10u);
}

TEST_F(FormsTest, PinsAreThoseOfOptionsAndLevels) {
  EXPECT_FALSE(FormOf(CacheChoice()).filter.pin_blocks);
  CacheChoice level_0;
  level_0.pins = CacheChoice::Pins::kLevel0;
  EXPECT_FALSE(FormOf(level_0).index.pin_blocks);
  file_.place.level = 0;
  EXPECT_TRUE(FormOf(level_0).index.pin_blocks);
  visited_.file_bytes = family_.shape.caching.flush_bytes + 1;  // larger than a flushed file
  EXPECT_FALSE(FormOf(level_0).index.pin_blocks);
  family_.shape.caching.unpartitioned = ROCKSDB_NAMESPACE::PinningTier::kAll;
  EXPECT_TRUE(FormOf(CacheChoice()).filter.pin_blocks);
}

TEST_F(FormsTest, AnotherPolicyHasItsSizeAndRate) {
  CacheChoice choice;
  choice.partition_bytes = 0;
  choice.policy = "bloomfilter:5";
  const FileForm form = FormOf(choice);
  EXPECT_FALSE(form.has_stored_answers);
  EXPECT_NEAR(static_cast<double>(form.filter.charge), 62'500, 1500);
  EXPECT_GT(form.rate, 0.05);
  EXPECT_LT(form.rate, 0.2);
  choice.where = CacheChoice::Where::kBeside;
  EXPECT_TRUE(FormOf(choice).filter.beside);
}

}  // namespace cache_choices_test
}  // namespace winnow::inspect
