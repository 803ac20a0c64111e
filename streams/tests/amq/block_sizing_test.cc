#include "streams/amq/block_sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "streams/amq/block_pattern.h"
#include "streams/amq/plan.h"
#include "tests/support/random_hashes.h"

namespace winnow::amq {
namespace block_sizing_test {

using testing::RandomHashes;

// Compares the formula with simulated patterns.
TEST(PatternRate, IsThatOfThrownPatterns) {
  for (const unsigned bits : {1u, 3u, 8u}) {
    RandomHashes random(bits);
    constexpr int kBlocks = 20;
    constexpr int kPatterns = 700;
    double sum = 0;
    constexpr int kRounds = 2000;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<uint64_t> words(kBlocks * kBlockWords);
      for (int i = 0; i < kPatterns; ++i) {
        const BlockPattern pattern(random.Next());
        uint64_t* block = &words[random.Below(kBlocks) * kBlockWords];
        for (unsigned b = 0; b < bits; ++b) block[pattern.Word(b)] |= pattern.Bit(b);
      }
      for (int b = 0; b < kBlocks; ++b) {
        unsigned ones[kBlockWords];
        for (unsigned w = 0; w < kBlockWords; ++w) {
          ones[w] = static_cast<unsigned>(
              __builtin_popcountll(words[static_cast<unsigned>(b) * kBlockWords + w]));
        }
        sum += ChanceOfPattern(ones, bits);
      }
    }
    const double expected = PatternRate(kPatterns, kBlocks, bits);
    EXPECT_NEAR(sum / kRounds / kBlocks, expected, 0.02 * expected) << bits << " bits";
  }
}

TEST(PatternRateAtLoad, IsTheLimitOfManyBlocks) {
  for (const unsigned bits : {1u, 4u, 8u}) {
    for (const double load : {10.0, 30.0, 100.0}) {
      EXPECT_NEAR(PatternRateAtLoad(load, bits) / PatternRate(load * 1e8, 1e8, bits), 1, 1e-4);
      EXPECT_NEAR(LoadForPatternRate(PatternRateAtLoad(load, bits), bits), load, 1e-3 * load);
    }
  }
}

TEST(BlocksForRate, AreTheFewestThatMeetIt) {
  for (const uint64_t keys : {0u, 1u, 2u, 10u, 1000u, 1'000'000u}) {
    for (const double rate : {0.5, 0.01, 1e-9, 1e-12}) {
      const BlockedShape shape = BlockedBloom::ShapeFor({keys, rate});
      const double own = OwnRate({keys, rate});
      EXPECT_LE(BlockedRate(keys, shape), own) << keys;
      if (shape.num_blocks > 1) {
        EXPECT_GT(
            BlockedRate(keys, {shape.num_blocks - 1, shape.blocks_per_key, shape.bits_per_block}),
            own)
            << keys;
      }
    }
  }
}

TEST(ShapeByFill, MeetsTheRateAtHalfOfTheBitsOrFewer) {
  for (const uint64_t keys : {1u, 15u, 1000u, 1'000'000u}) {
    for (double rate = 0.3; rate > 1e-20; rate /= 3) {
      const BlockedShape shape = ShapeByFill(keys, rate);
      EXPECT_GE(shape.blocks_per_key * shape.bits_per_block,
                rate > 1e-12 ? std::ceil(std::log2(1 / rate)) : 40);
      EXPECT_LE(BlockedRate(keys, shape), rate);
      const double bits = static_cast<double>(shape.num_blocks) * kBlockBits;
      const double set = shape.blocks_per_key * shape.bits_per_block * static_cast<double>(keys);
      const double fill = -std::expm1(-set / bits);
      EXPECT_LE(fill, 0.5001) << rate;
      const double look = FirstLookFill(shape, rate);
      EXPECT_LE(look, 0.5);
      EXPECT_EQ(look, RoundedFill(look));
      if (keys < 1'000'000) continue;
      EXPECT_NEAR(look, fill, 0.02 * fill) << keys << " at " << rate;
      if (rate > 1e-10) {
        EXPECT_NEAR(fill, 0.5, 0.02) << rate;
      }
    }
  }
}

// Compares with the mean of PatternRate to the power of the blocks per key over simulated filters,
// since the rate varies between filters.
TEST(BlockedRate, IsTheMeanOfFilters) {
  RandomHashes random(7);
  for (const uint64_t keys : {15u, 50u, 300u}) {
    for (const BlockedShape shape :
         {BlockedShape{3, 2, 7}, BlockedShape{8, 5, 8}, BlockedShape{30, 4, 6}}) {
      constexpr int kFilters = 3000;
      double sum = 0;
      double squares = 0;
      for (int i = 0; i < kFilters; ++i) {
        BlockedBloom filter(shape, keys);
        for (uint64_t key = 0; key < keys; ++key) filter.Add({random.Next()});
        const double rate = filter.expected_fpr() - EqualHashRate(filter.num_added());
        sum += rate;
        squares += rate * rate;
      }
      const double mean = sum / kFilters;
      const double error = std::sqrt((squares / kFilters - mean * mean) / kFilters);
      const double expected = BlockedRate(keys, shape);
      if (mean < 1e-16) continue;  // no plan has such rates
      EXPECT_GT(expected, mean - 3 * error) << keys << " keys in " << shape.num_blocks;
      EXPECT_LT(expected, 1.3 * mean + 3 * error) << keys << " keys in " << shape.num_blocks;
    }
  }
}

}  // namespace block_sizing_test
}  // namespace winnow::amq
