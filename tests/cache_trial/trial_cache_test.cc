#include "src/cache_trial/trial_cache.h"

#include <gtest/gtest.h>

namespace winnow::inspect {
namespace trial_cache_test {

constexpr CachedBlock kBlocks[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};

CacheShape OneShard(uint64_t capacity) {
  CacheShape shape;
  shape.capacity = capacity;
  shape.shard_bits = 0;
  return shape;
}

TEST(TrialCacheTest, KeepsWhatThereIsRoomFor) {
  TrialCache cache(OneShard(64 << 10), 1);
  for (const bool is_there : {false, true}) {
    for (const CachedBlock& block : kBlocks) {
      EXPECT_EQ(cache.Touch(block, 1000, false, Hold::kNot), is_there);
    }
  }
  EXPECT_GE(cache.usage(), 4000u);
}

TEST(TrialCacheTest, DropsTheBlockThatWasUsedLast) {
  TrialCache cache(OneShard(10'000), 1);
  EXPECT_FALSE(cache.Touch(kBlocks[0], 4000, false, Hold::kNot));
  EXPECT_FALSE(cache.Touch(kBlocks[1], 4000, false, Hold::kNot));
  EXPECT_TRUE(cache.Touch(kBlocks[0], 4000, false, Hold::kNot));
  EXPECT_FALSE(cache.Touch(kBlocks[2], 4000, false, Hold::kNot));
  EXPECT_TRUE(cache.Touch(kBlocks[0], 4000, false, Hold::kNot));
  EXPECT_FALSE(cache.Touch(kBlocks[1], 4000, false, Hold::kNot));
}

TEST(TrialCacheTest, NeverKeepsABlockThatIsLargerThanItsShard) {
  TrialCache cache(OneShard(10'000), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache.Touch(kBlocks[0], 20'000, true, Hold::kNot));
  }
  EXPECT_EQ(cache.usage(), 0u);
}

TEST(TrialCacheTest, HoldsABlockUntilItIsReleased) {
  TrialCache cache(OneShard(10'000), 1);
  EXPECT_FALSE(cache.Touch(kBlocks[0], 20'000, true, Hold::kToRelease));
  EXPECT_TRUE(cache.Touch(kBlocks[0], 20'000, true, Hold::kToRelease));
  cache.Release();
  EXPECT_FALSE(cache.Touch(kBlocks[0], 20'000, true, Hold::kToReleaseAll));
  cache.Release();
  EXPECT_TRUE(cache.Touch(kBlocks[0], 20'000, true, Hold::kNot));
  cache.ReleaseAll();
  EXPECT_FALSE(cache.Touch(kBlocks[0], 20'000, true, Hold::kNot));
}

TEST(TrialCacheTest, PinsMoreThanTheCapacityUnlessItIsStrict) {
  TrialCache cache(OneShard(10'000), 1);
  EXPECT_TRUE(cache.Pin(kBlocks[0], 20'000, true));
  EXPECT_TRUE(cache.Touch(kBlocks[0], 20'000, true, Hold::kNot));
  EXPECT_FALSE(cache.Touch(kBlocks[1], 100, true, Hold::kNot));
  EXPECT_FALSE(cache.Touch(kBlocks[1], 100, true, Hold::kNot));
  CacheShape strict = OneShard(10'000);
  strict.strict = true;
  TrialCache small(strict, 1);
  EXPECT_FALSE(small.Pin(kBlocks[0], 20'000, true));
  EXPECT_TRUE(small.Pin(kBlocks[1], 2000, true));
  EXPECT_FALSE(small.Touch(kBlocks[0], 20'000, true, Hold::kToRelease));
}

TEST(TrialCacheTest, KeepsMetadataOfHighPriorityWhileDataComesAndGoes) {
  for (const bool high : {false, true}) {
    TrialCache cache(OneShard(100'000), 1);
    cache.Touch(kBlocks[0], 10'000, high, Hold::kNot);
    for (uint64_t i = 0; i < 30; ++i) {
      cache.Touch({2, 2, i}, 10'000, false, Hold::kNot);
    }
    EXPECT_EQ(cache.Touch(kBlocks[0], 10'000, high, Hold::kNot), high);
  }
}

TEST(TrialCacheTest, AnotherSaltPutsBlocksIntoOtherShards) {
  CacheShape shape;
  shape.capacity = 64'000;
  shape.shard_bits = 4;  // 4000 bytes per shard: room for one block
  const auto kept = [&](uint64_t salt) {
    TrialCache cache(shape, salt);
    for (uint32_t i = 0; i < 8; ++i) {
      cache.Touch({i, 0, 0}, 2500, true, Hold::kNot);
    }
    uint32_t bits = 0;
    for (uint32_t i = 8; i-- > 0;) {
      TrialCache again(shape, salt);
      bits = 2 * bits + (cache.Touch({i, 0, 0}, 2500, true, Hold::kNot) ? 1 : 0);
    }
    return bits;
  };
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_TRUE(kept(1) != kept(2) || kept(1) != kept(3) || kept(1) != kept(4));
}

TEST(TrialCacheTest, ShardsAreThoseOfRocksDB) {
  CacheShape shape;
  const std::pair<uint64_t, uint64_t> cases[] = {
      {400 << 10, 400 << 10}, {1 << 20, 512 << 10}, {6 << 20, 768 << 10}, {256 << 20, 4 << 20}};
  for (const auto& [capacity, shard] : cases) {
    shape.capacity = capacity;
    EXPECT_EQ(ShardBytes(shape), shard);
  }
  shape.shard_bits = 2;
  EXPECT_EQ(ShardBytes(shape), 64u << 20);
}

}  // namespace trial_cache_test
}  // namespace winnow::inspect
