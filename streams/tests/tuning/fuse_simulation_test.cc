// Tests that the sizes of binary fuse filters suffice in tune_fuse's simulation, and that the
// simulation matches the filter.

#include "streams/tuning/fuse_simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random_hashes.h"
#include "winnow/amq/binary_fuse_filter.h"

namespace winnow::bench {
namespace {

using amq::BinaryFuseFilter;
using amq::FuseShape;
using amq::ShapeOfFuse;
using testing::RandomHashes;

constexpr uint64_t kSeed = 1;

// Sizes at which one more key would add a segment: the smallest filters, and those behind each
// doubling.
TEST(FuseSimulationTest, OfEverySizeOneTryInTwentyFailsAtMost) {
  for (const unsigned arity : {3u, 4u}) {
    unsigned segment_bits = 0;
    unsigned sizes = 0;
    for (uint64_t keys = 1; keys < 100'000;) {
      const FuseShape shape = ShapeOfFuse(keys, arity);
      sizes = shape.segment_bits == segment_bits ? sizes + 1 : 0;
      segment_bits = shape.segment_bits;
      keys = MostKeysInTheSlotsOf(keys, arity, ShapeOfFuse);
      if (keys < 300 || sizes < 3) {
        const unsigned tries = keys < 10'000 ? 400 : 60;
        // The margin is four standard deviations.
        EXPECT_LE(SimulateFuse(shape, arity, keys, tries, kSeed),
                  0.05 + 4 * std::sqrt(0.05 / tries))
            << keys << " keys, " << arity << "-wise";
      }
      ++keys;
    }
  }
}

// Shapes of the published sizes.
TEST(FuseSimulationTest, FailsAsOftenAsTheFilter) {
  EXPECT_GT(SimulateFuse(PublishedShapeOfFuse(11'520, 3), 3, 11'520, 200, kSeed), 0.9);
  RandomHashes random(kSeed);
  for (const uint64_t keys : {24u, 302u}) {
    unsigned more_tries = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::vector<KeyHash> hashes = random.Take(keys);
      more_tries += BinaryFuseFilter(hashes.data(), keys, 0.01).tries() > 1;
    }
    EXPECT_NEAR(more_tries / 4000.0, SimulateFuse(ShapeOfFuse(keys, 3), 3, keys, 4000, kSeed), 0.02)
        << keys;
  }
}

}  // namespace
}  // namespace winnow::bench
