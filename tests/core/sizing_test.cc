#include "src/core/sizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/options.h"
#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"

namespace winnow::core {
namespace sizing_test {

TEST(SizingTest, ChoosesKindFromCountLevelAndOptions) {
  struct Case {
    uint64_t n;
    std::optional<FilterKind> kind;
    uint64_t ribbon_min_keys;
    int level;
    int bloom_before_level;
    FilterKind expected;
  };
  const auto any = std::nullopt;
  const Case cases[] = {
      {0, any, 3000, -1, 0, FilterKind::kEmpty},
      {0, FilterKind::kRibbon, 3000, -1, 0, FilterKind::kEmpty},
      {2999, any, 3000, -1, 0, FilterKind::kBloom},
      {3000, any, 3000, -1, 0, FilterKind::kRibbon},
      {1, any, 0, -1, 0, FilterKind::kRibbon},
      {100000, any, 3000, 0, 0, FilterKind::kRibbon},
      {100000, any, 3000, 0, 1, FilterKind::kBloom},
      {100000, any, 3000, 1, 1, FilterKind::kRibbon},
      {100000, any, 3000, -1, 1, FilterKind::kRibbon},  // an unknown level counts as the last
      {10, FilterKind::kRibbon, 3000, -1, 0, FilterKind::kRibbon},
      {100000, FilterKind::kRibbon, 3000, 0, 1, FilterKind::kRibbon},
      {100000, FilterKind::kBloom, 3000, -1, -1, FilterKind::kBloom},
      {kMaxRibbonKeys + 1, any, 3000, -1, 0, FilterKind::kBloom},
  };
  for (const Case& c : cases) {
    FilterOptions options;
    options.kind = c.kind;
    options.ribbon_min_keys = c.ribbon_min_keys;
    options.level = c.level;
    options.bloom_before_level = c.bloom_before_level;
    EXPECT_EQ(PlanFilter(c.n, options).kind, c.expected) << c.n << " keys, level " << c.level;
  }
}

TEST(SizingTest, ByDefaultChoosesRibbonWhereItSavesATenth) {
  FilterOptions options;
  options.level = 0;
  for (const double bits : {2.0, 5.0, 10.0, 20.0, 32.0}) {
    options.bits_per_key = bits;
    const uint64_t least = KeysWorthARibbon(bits);
    EXPECT_EQ(PlanFilter(least, options).kind, FilterKind::kRibbon) << bits;
    EXPECT_EQ(PlanFilter(least - 1, options).kind, FilterKind::kBloom) << bits;
    EXPECT_EQ(ForBuilding(options).ribbon_min_keys, least) << bits;
    FilterOptions bloom = options;
    bloom.kind = FilterKind::kBloom;
    for (uint64_t n = least; n <= 1'000'000; n += n / 50 + 1) {
      double ribbons = 0;
      double blooms = 0;
      for (uint64_t size = n; size < n + 64; ++size) {
        ribbons += static_cast<double>(EstimateBytes(size, options));
        blooms += static_cast<double>(EstimateBytes(size, bloom));
      }
      ASSERT_GE(1 - ribbons / blooms, kWorthwhileSaving - 0.03) << bits << " bits, " << n;
    }
  }
}

TEST(SizingTest, NeverChoosesRibbonWhereItSavesNothing) {
  FilterOptions options;
  options.bits_per_key = 1;
  for (const uint64_t n : {1u, 3000u, 1'000'000u}) {
    EXPECT_EQ(PlanFilter(n, options).kind, FilterKind::kBloom) << n;
  }
  options.ribbon_min_keys = 0;
  EXPECT_EQ(PlanFilter(1, options).kind, FilterKind::kRibbon) << "what is asked for is done";
}

// Rates from the literature on blocked Bloom filters, for a simulation of the same shape.
TEST(SizingTest, RatesOfBloomAreThoseMeasured) {
  EXPECT_NEAR(RateForBits(8), 0.0232, 0.0002);
  EXPECT_NEAR(RateForBits(10), 0.00962, 0.00006);
  EXPECT_NEAR(RateForBits(12), 0.00413, 0.00003);
  EXPECT_NEAR(RateForBits(16), 0.00085, 0.00001);
  EXPECT_NEAR(RateForBits(20), 0.00020, 0.00001);
}

TEST(SizingTest, RateFallsWithBitsAndProbesAreBest) {
  double before = 1;
  for (double bits = 1; bits <= 32; bits += 0.125) {
    const double rate = RateForBits(bits);
    EXPECT_LT(rate, before) << bits;
    before = rate;
    EXPECT_NEAR(BitsForRate(rate), bits, 1e-6);
    EXPECT_NEAR(UnpackRate(PackRate(rate)) / rate, 1, 2e-4) << "as a block's tail has it";
    const unsigned probes = BloomProbes(bits);
    // The table of limits is rounded; at a limit, two numbers of probes are equally good.
    const unsigned fewer = std::max(1u, probes - 1);
    const unsigned more = std::min(14u, probes + 1);
    EXPECT_LE(rate, BloomRateAtBits(bits, fewer) * 1.0001) << bits;
    EXPECT_LE(rate, BloomRateAtBits(bits, more) * 1.0001) << bits;
  }
  EXPECT_EQ(UnpackRate(PackRate(1)), 1);
}

TEST(SizingTest, RateOfAFilterTendsToThatOfManyKeys) {
  EXPECT_NEAR(BloomRate(10'000'000, 195313, 6) / BloomRateAtBits(10, 6), 1, 0.001);
  EXPECT_EQ(BloomRate(0, 1, 6), 0);
  // One key in one block: an absent key passes if its six words and bits are equal.
  EXPECT_LT(BloomRate(1, 1, 6), 1e-6);
  // A key also passes if the 32 bits of the hash that these depend on are equal.
  EXPECT_EQ(BloomRate(1, 1, 14), 0x1p-32);
  EXPECT_EQ(BloomRate(3, 1, 14), 3 * 0x1p-32);
  EXPECT_EQ(BloomRate(3, 6, 14), 0x1p-33);
}

TEST(SizingTest, ColumnsHitTheRate) {
  for (double rate = 0.5; rate > 1.53e-5; rate *= 0.93) {
    EXPECT_NEAR(ColumnsRate(RibbonColumns(rate)) / rate, 1, 2e-4) << rate;
  }
  EXPECT_EQ(RibbonColumns(0.9).whole, 1u);
  EXPECT_EQ(RibbonColumns(0.9).fraction, 0u);
  EXPECT_EQ(RibbonColumns(1e-9).whole, 16u);
  EXPECT_EQ(RibbonColumns(1e-9).most(), 16u);
  EXPECT_EQ(RibbonColumns(1.0 / 128).whole, 7u);
  EXPECT_EQ(RibbonColumns(1.0 / 128).fraction, 0u);
}

TEST(SizingTest, ShapesKeepSubShardsWithinTheirSlots) {
  for (uint64_t n = kMinBumpedKeys; n <= kMaxRibbonKeys; n = n * 5 / 4) {
    for (unsigned layer = 0; layer < 4; ++layer) {
      const BumpedShape shape = ShapeForKeys(n, layer);
      ASSERT_GE(shape.buckets, 1u);
      EXPECT_LE(shape.buckets * 128u, 32768u + 64) << n;
      EXPECT_TRUE(
          CheckLayer({LayerType::kBumped, static_cast<uint8_t>(shape.shard_bits), shape.buckets}))
          << n;
      const double slots = std::ldexp(shape.buckets * 128.0, static_cast<int>(shape.shard_bits));
      EXPECT_NEAR(slots / static_cast<double>(n), 0.97, n < 3000 ? 0.3 : 0.05) << n;
    }
  }
}

TEST(SizingTest, ListBitsGiveTheRate) {
  EXPECT_EQ(ListBits(1, 0.01), 8u);
  EXPECT_EQ(ListBits(2, 0.01), 8u);
  EXPECT_EQ(ListBits(3, 0.01), 9u);
  EXPECT_EQ(ListBits(49, 1e-9), 32u);
}

// Checks the accuracy that builder.h promises, at all rates and sizes, with other hashes for each
// seed. The size of a Bloom filter is known exactly.
TEST(SizingTest, EstimatesAreAsNearAsIsPromised) {
  testing::RandomHashes random(testing::TestSeed());
  for (int i = 0; i < 20000; ++i) {
    // Sizes are mostly small, and up to 60,000, some up to 200,000.
    const double spread = static_cast<double>(random.Below(1000)) / 1000;
    const auto n = static_cast<uint64_t>(std::exp2((i % 50 == 0 ? 17.6 : 16) * spread * spread));
    // Rates are distributed evenly on a logarithmic scale.
    const double scale = static_cast<double>(random.Below(1000)) / 1000;
    const FilterKind kind = testing::kKinds[random.Below(testing::kKinds.size())];
    FilterBuilder builder(testing::OptionsOf(kind, std::exp2(5 * scale)));
    const std::vector<KeyHash> hashes = random.Take(n);
    builder.Add(hashes.data(), n);
    const auto estimate = static_cast<double>(builder.EstimateSize(n));
    const auto size = static_cast<double>(builder.Finish().size);
    const double most = RibbonColumns(RateForBits(std::exp2(5 * scale))).most();
    const bool is_exact = kind == FilterKind::kBloom;
    ASSERT_NEAR(size, estimate, is_exact ? 0 : 0.01 * estimate + 64 + 32 * most)
        << n << " keys, " << std::exp2(5 * scale);
  }
}

// Checks that no number above the capacity fits, among the following ones and far above, and that
// the capacity of a filter's estimated size is at least its number of hashes.
void ExpectTheMost(const FilterOptions& options, size_t bytes) {
  const FilterBuilder builder(options);
  const uint64_t most = builder.EstimateCapacity(bytes);
  if (most > 1) {
    ASSERT_LE(builder.EstimateSize(most), bytes);
  }
  for (uint64_t n = most + 1; n < most + 2000; ++n) {
    ASSERT_GT(builder.EstimateSize(n), bytes) << most << ", " << options.bits_per_key;
  }
  for (uint64_t n = most + 2000; n < kMaxHashes; n += n / 16) {
    ASSERT_GT(builder.EstimateSize(n), bytes) << most << ", " << options.bits_per_key;
  }
}

TEST(SizingTest, CapacityIsTheMostThatFits) {
  testing::RandomHashes random(testing::TestSeed());
  for (int i = 0; i < 1000; ++i) {
    FilterOptions options;
    options.bits_per_key = std::exp2(5 * static_cast<double>(random.Below(1000)) / 1000);
    const uint64_t kind = random.Below(4);
    if (kind == 1) options.kind = FilterKind::kBloom;
    if (kind == 2) options.kind = FilterKind::kRibbon;
    if (kind == 3) options.ribbon_min_keys = random.Below(100000);
    const auto n =
        static_cast<uint64_t>(std::exp2(32 * static_cast<double>(random.Below(1000)) / 1000));
    const FilterBuilder builder(options);
    const size_t size = builder.EstimateSize(n);
    ASSERT_GE(builder.EstimateCapacity(size), n) << options.bits_per_key;
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, size));
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, size - 1));
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, size + random.Below(300)));
  }
}

TEST(SizingTest, CapacityIsTheMostWhereTheEstimateFalls) {
  FilterOptions options;
  FilterBuilder builder(options);
  int falls = 0;
  for (uint64_t n = 60000; n < 62000; ++n) {
    if (builder.EstimateSize(n) >= builder.EstimateSize(n - 1)) continue;
    ++falls;
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, builder.EstimateSize(n)));
    EXPECT_GE(builder.EstimateCapacity(builder.EstimateSize(n - 1)), n);
  }
  EXPECT_GT(falls, 5);
  for (const size_t bytes : {0u, 1u, 31u, 101u, 1301u, 4096u, 65536u}) {
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, bytes));
  }
  EXPECT_EQ(builder.EstimateCapacity(0), 1u);
  options.kind = FilterKind::kRibbon;
  options.bits_per_key = 28;
  builder.SetOptions(options);
  for (size_t bytes = 0; bytes < 3000; bytes += 7) {
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, bytes));
  }
}

// More keys than a Ribbon may have.
TEST(SizingTest, CapacityOfGigabytes) {
  FilterOptions options;
  for (const bool bloom : {false, true}) {
    if (bloom) options.kind = FilterKind::kBloom;
    const FilterBuilder builder(options);
    // A key takes ten bits, 51.2 keys a block.
    EXPECT_NEAR(static_cast<double>(builder.EstimateCapacity(size_t{8} << 30)), 6871947673.6, 100);
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, size_t{8} << 30));
    ASSERT_NO_FATAL_FAILURE(ExpectTheMost(options, size_t{2} << 30));
    EXPECT_EQ(builder.EstimateCapacity(size_t{1} << 60), kMaxHashes);
  }
}

TEST(SizingTest, NearestValidMovesOnlyWhatIsOutOfRange) {
  FilterOptions options;
  options.bits_per_key = 99;
  options.level = -7;
  options.bloom_before_level = -7;
  options.kind = FilterKind::kEmpty;
  const FilterOptions valid = NearestValid(options);
  EXPECT_EQ(CheckOptions(valid), "");
  EXPECT_EQ(valid.bits_per_key, 32);
  EXPECT_EQ(valid.level, -1);
  options = {};
  options.bits_per_key = 9.75;
  EXPECT_EQ(NearestValid(options).bits_per_key, 9.75);
}

}  // namespace sizing_test
}  // namespace winnow::core
