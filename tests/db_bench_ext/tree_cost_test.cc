// Tests of the cost of filters in hand-made trees.

#include "db_bench_ext/tuning/tree_cost.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/core/sizing.h"
#include "winnow/options.h"

namespace winnow::bench {
namespace tree_cost_test {

constexpr double kBits = 10;

uint64_t UniformBytesOf(uint64_t keys, double bits_per_key) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return core::EstimateBytes(keys, options);
}

FilterFile File(size_t level, double rate, std::vector<uint64_t> numbers) {
  FilterFile file;
  file.level = level;
  file.first = numbers.front();
  file.last = numbers.back();
  file.keys = 1000;
  file.bytes = UniformBytesOf(file.keys, kBits);
  file.blocks = 1;
  file.rate = rate;
  file.numbers = std::make_shared<const std::vector<uint64_t>>(std::move(numbers));
  return file;
}

// Returns files in the order of lookups: two on level 0, one on level 1 and two on level 2.
std::vector<FilterFile> Tree() {
  return {File(0, 0.1, {10, 50, 90}), File(0, 0.01, {20, 50, 80}), File(1, 0.002, {30, 50, 60}),
          File(2, 0.0003, {10, 20, 30, 40}), File(2, 0.00005, {50, 60, 90})};
}

double FalseReads(const std::vector<AskedKey>& lookups) {
  return CostOf(Tree(), lookups, kBits).false_reads;
}

TEST(TreeCostTest, AnAbsentKeyAsksAllFilesInWhoseRangeItLies) {
  EXPECT_DOUBLE_EQ(FalseReads({{5, false}}), 0);
  EXPECT_DOUBLE_EQ(FalseReads({{15, false}}), 0.1003);
  EXPECT_DOUBLE_EQ(FalseReads({{35, false}}), 0.1123);
  EXPECT_DOUBLE_EQ(FalseReads({{55, false}}), 0.11205);
  EXPECT_DOUBLE_EQ(FalseReads({{90, false}}), 0.10005) << "the ends belong to the range";
}

TEST(TreeCostTest, APresentKeyAsksAsFarAsTheFirstFileThatHasIt) {
  EXPECT_DOUBLE_EQ(FalseReads({{10, true}}), 0);
  EXPECT_DOUBLE_EQ(FalseReads({{50, true}}), 0) << "the newest one has it";
  EXPECT_DOUBLE_EQ(FalseReads({{20, true}}), 0.1);
  EXPECT_DOUBLE_EQ(FalseReads({{30, true}}), 0.11);
  EXPECT_DOUBLE_EQ(FalseReads({{40, true}}), 0.112);
  EXPECT_DOUBLE_EQ(FalseReads({{41, true}}), 0) << "it is in memory";
}

TEST(TreeCostTest, CostIsTheMeanOfTheLookups) {
  EXPECT_DOUBLE_EQ(FalseReads({{5, false}, {20, true}, {35, false}, {35, false}}),
                   (0.1 + 2 * 0.1123) / 4);
}

TEST(TreeCostTest, UniformFiltersOfTheSameMemoryHaveTheRateOfTheirBits) {
  const TreeCost cost = CostOf(Tree(), {{35, false}}, kBits);
  EXPECT_EQ(cost.keys, 5000u);
  EXPECT_EQ(cost.filter_bytes, cost.uniform_bytes);
  EXPECT_DOUBLE_EQ(cost.MemoryToUniform(), 1);
  // Sizes are whole blocks, so that several bits_per_key give equal sizes.
  EXPECT_NEAR(cost.equal_bits, kBits, 0.5);
  EXPECT_NEAR(cost.uniform_false_reads, 4 * core::RateForBits(cost.equal_bits), 1e-12);
}

TEST(TreeCostTest, HalfTheMemoryIsThatOfFewerBits) {
  std::vector<FilterFile> files = Tree();
  for (FilterFile& file : files) file.bytes = UniformBytesOf(file.keys, 5);
  const TreeCost cost = CostOf(files, {{35, false}}, kBits);
  EXPECT_NEAR(cost.equal_bits, 5, 0.5);
  EXPECT_LT(cost.MemoryToUniform(), 0.7);
  EXPECT_GT(cost.uniform_false_reads, 4 * core::RateForBits(6));
}

TEST(TreeCostTest, LevelsHaveTheirOwnKeysBitsAndFiles) {
  const TreeCost cost = CostOf(Tree(), {{35, false}, {95, false}}, kBits);
  EXPECT_EQ(cost.keys_by_level, (std::vector<uint64_t>{2000, 1000, 2000}));
  EXPECT_EQ(cost.files_by_level, (std::vector<double>{1, 0.5, 0.5}));
  const double bits = 8.0 * static_cast<double>(UniformBytesOf(1000, kBits)) / 1000;
  for (const double level : cost.bits_by_level) EXPECT_DOUBLE_EQ(level, bits);
}

TEST(TreeCostTest, AFileWithoutAFilterIsReadAndIsMemoryThatUniformWouldTake) {
  std::vector<FilterFile> files = Tree();
  files[2].blocks = 0;
  files[2].bytes = 0;
  files[2].rate = 1;
  const TreeCost cost = CostOf(files, {{35, false}}, kBits);
  EXPECT_DOUBLE_EQ(cost.false_reads, 1.1103);
  EXPECT_DOUBLE_EQ(cost.MemoryToUniform(), 0.8);
  EXPECT_EQ(WithFilters(files).size(), 4u);
  EXPECT_DOUBLE_EQ(CostOf(WithFilters(files), {{35, false}}, kBits).MemoryToUniform(), 1);
}

TEST(TreeCostTest, PartitionsAreFiltersOfTheirOwn) {
  std::vector<FilterFile> files = {File(1, 0.01, {10, 20})};
  files[0].blocks = 4;
  EXPECT_EQ(CostOf(files, {{15, false}}, kBits).uniform_bytes, 4 * UniformBytesOf(250, kBits));
}

TEST(TreeCostTest, EvenLookupsLieBetweenTheEndsOfTheTree) {
  const std::vector<AskedKey> lookups = EvenLookups(Tree());
  ASSERT_FALSE(lookups.empty());
  std::vector<int> counts(100);
  for (const AskedKey& key : lookups) {
    ASSERT_FALSE(key.present);
    ASSERT_GE(key.number, 10u);
    ASSERT_LE(key.number, 90u);
    ++counts[key.number];
  }
  for (size_t number = 10; number <= 90; ++number) EXPECT_GT(counts[number], 0) << number;
}

TEST(TreeCostTest, TheMostMemoryIsKept) {
  MostMemory most(kBits);
  most.See({});
  EXPECT_DOUBLE_EQ(most.share(), 0);
  std::vector<FilterFile> files = Tree();
  for (FilterFile& file : files) file.bytes *= 2;
  most.See(files);
  most.See(Tree());
  EXPECT_DOUBLE_EQ(most.share(), 2);
}

}  // namespace tree_cost_test
}  // namespace winnow::bench
