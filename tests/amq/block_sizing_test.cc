#include "src/amq/block_sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/amq/block_pattern.h"
#include "tests/random_hashes.h"

namespace winnow::amq {
namespace {

using testing::RandomHashes;

// The formula against patterns that are really thrown.
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
    for (const double rate : {0.5, 0.01, 1e-9, 1e-15}) {
      const BlockedShape shape = BlockedBloom::ShapeFor({keys, rate});
      EXPECT_LE(BlockedRate(keys, shape), rate) << keys;
      if (shape.num_blocks > 1) {
        EXPECT_GT(
            BlockedRate(keys, {shape.num_blocks - 1, shape.blocks_per_key, shape.bits_per_block}),
            rate)
            << keys;
      }
    }
  }
}

TEST(ShapeByFill, MeetsTheRateAtItsFill) {
  for (double rate = 0.3; rate > 1e-20; rate /= 3) {
    const FillShape by_fill = ShapeByFill(1'000'000, rate);
    const BlockedShape& shape = by_fill.shape;
    EXPECT_GE(shape.blocks_per_key * shape.bits_per_block,
              rate > 1e-12 ? std::ceil(std::log2(1 / rate)) : 40);
    EXPECT_LE(by_fill.most_fill, 0.5);
    const double bits = static_cast<double>(shape.num_blocks) * kBlockBits;
    const double set = shape.blocks_per_key * shape.bits_per_block * 1e6;
    EXPECT_NEAR(-std::expm1(-set / bits), by_fill.most_fill, 0.001) << rate;
    EXPECT_LE(BlockedRate(1'000'000, shape), rate * 1.001);
    if (rate > 1e-10) {
      EXPECT_EQ(by_fill.most_fill, 0.5) << rate;
    }
  }
}

}  // namespace
}  // namespace winnow::amq
