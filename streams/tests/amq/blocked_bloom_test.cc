#include "winnow/amq/blocked_bloom.h"

#include <gtest/gtest.h>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace blocked_bloom_test {

using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;

TEST(BlockedBloom, TakesAsManyBlocksAKeyAsTheRateWants) {
  const auto blocks = [](double rate) {
    return BlockedBloom::ShapeFor({1'000'000, rate}).blocks_per_key;
  };
  EXPECT_EQ(blocks(0.01), 1u);
  EXPECT_EQ(blocks(1e-3), 1u);
  EXPECT_EQ(blocks(1e-5), 2u);
  EXPECT_EQ(blocks(1e-7), 3u);
  EXPECT_EQ(blocks(1e-9), 4u);
  EXPECT_EQ(blocks(1e-12), 5u);
  EXPECT_EQ(blocks(1e-15), 5u);
}

TEST(BlockedBloom, BatchesAreTheSameAsOneByOne) {
  testing::ExpectBatchedAddsAsOneByOne<BlockedBloom>({0.1, 1e-6, 1e-12}, 32);
}

// Dependence between the blocks and patterns of a key would give more false positives than the
// product.
TEST(BlockedBloom, SmallFiltersHaveTheRateThatTheyReport) {
  for (const double rate : {0.2, 1e-3, 1e-5}) {
    for (const uint64_t keys : {1u, 20u, 1000u}) {
      BlockedBloom filter({keys, rate});
      for (const KeyHash key : RandomHashes(4).Take(2 * keys)) filter.Add(key);
      ExpectReportedRate(filter, 20'000'000, 5);
    }
  }
}

TEST(BlockedBloom, ShapesOutOfRangeAreTheNearestValidOnes) {
  const BlockedShape most = BlockedBloom({0, 9, 9}, UINT64_MAX).shape();
  EXPECT_EQ(most.num_blocks, 1u);
  EXPECT_EQ(most.blocks_per_key, 5u);
  EXPECT_EQ(most.bits_per_block, 8u);
  const BlockedShape least = BlockedBloom({3, 0, 0}, 1).shape();
  EXPECT_EQ(least.num_blocks, 3u);
  EXPECT_EQ(least.blocks_per_key, 1u);
  EXPECT_EQ(least.bits_per_block, 1u);
}

TEST(BlockedBloom, ClearForgetsAndKeepsTheShape) {
  BlockedBloom filter({1000, 0.01});
  const size_t bytes = filter.size_bytes();
  for (const KeyHash key : RandomHashes(6).Take(1000)) filter.Add(key);
  EXPECT_NEAR(filter.fill_ratio(), 0.5, 0.15);
  filter.Clear();
  EXPECT_EQ(filter.fill_ratio(), 0);
  EXPECT_EQ(filter.num_added(), 0u);
  EXPECT_EQ(FalsePositives(filter, 10'000, 7), 0u);
  EXPECT_EQ(filter.size_bytes(), bytes);
}

}  // namespace blocked_bloom_test
}  // namespace winnow::amq
