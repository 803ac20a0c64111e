// Tests that the constants of the bumped Ribbon are those that tune_ribbon's simulation recommends,
// and that the simulation matches the builder.

#include "db_bench_ext/tuning/ribbon_simulation.h"

#include <gtest/gtest.h>

#include "src/core/format.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeys = 300'000;
constexpr uint64_t kSeed = 1;

double Overhead(const RibbonParameters& parameters) {
  return SimulateRibbon(parameters, kKeys, kSeed).overhead;
}

TEST(RibbonSimulationTest, DefaultsAreTheConstantsOfTheCode) {
  const RibbonParameters chosen;
  EXPECT_EQ(chosen.width, simd::kRibbonWidth);
  EXPECT_EQ(chosen.bucket_slots, simd::kRibbonBucketSlots);
  EXPECT_EQ(chosen.class2_slots, simd::kRibbonClass2Slots);
  EXPECT_EQ(chosen.class1_slots, simd::kRibbonClass1Slots);
}

TEST(RibbonSimulationTest, ChosenClassesAndBucketsAreTheCheapest) {
  const double chosen = Overhead({});
  EXPECT_LT(chosen, 0.0095);
  for (const unsigned class2 : {8u, 24u}) {
    RibbonParameters other;
    other.class2_slots = class2;
    EXPECT_GT(Overhead(other), chosen) << "class 2 below " << class2;
  }
  for (const unsigned class1 : {24u, 56u}) {
    RibbonParameters other;
    other.class1_slots = class1;
    EXPECT_GT(Overhead(other), chosen) << "class 1 below " << class1;
  }
  RibbonParameters wide;
  wide.bucket_slots = 256;
  EXPECT_GT(Overhead(wide), chosen);
}

// Fewer slots save hardly any space and take more steps; more slots take space.
TEST(RibbonSimulationTest, ChosenSlotsAreWhereSpaceBeginsToRise) {
  const RibbonCost chosen = SimulateRibbon({}, kKeys, kSeed);
  RibbonParameters fewer;
  fewer.slots_per_thousand = 920;
  const RibbonCost with_fewer = SimulateRibbon(fewer, kKeys, kSeed);
  EXPECT_GT(with_fewer.overhead, chosen.overhead - 0.003);
  EXPECT_GT(with_fewer.steps, chosen.steps + 0.8);
  RibbonParameters more;
  more.slots_per_thousand = 1000;
  EXPECT_GT(Overhead(more), chosen.overhead + 0.007);
}

// Sub-shards above the maximum size save hardly any space, and their row tables exceed the cache;
// those below the minimum size cost more for the slots behind their last bucket than processing
// four at a time saves.
TEST(RibbonSimulationTest, SubShardsAreOfTheChosenSizes) {
  const auto overhead = [](uint64_t shard_slots) {
    RibbonParameters parameters;
    parameters.shard_slots = static_cast<unsigned>(shard_slots);
    return Overhead(parameters);
  };
  EXPECT_EQ(RibbonParameters().shard_slots, core::kMaxShardSlots);
  const double largest = overhead(core::kMaxShardSlots);
  EXPECT_NEAR(overhead(4 * core::kMaxShardSlots), largest, 0.002);
  EXPECT_NEAR(overhead(core::kMinShardSlots), largest, 0.005);
  EXPECT_GT(overhead(core::kMinShardSlots / 4), largest + 0.015);
}

TEST(RibbonSimulationTest, BuilderBumpsAsSimulated) {
  testing::RandomHashes random(kSeed);
  const std::vector<KeyHash> hashes = random.Take(kKeys);
  FilterOptions options;
  options.kind = FilterKind::kRibbon;
  FilterBuilder builder(options);
  builder.Add(hashes.data(), hashes.size());
  const FilterBlock block = builder.Finish();
  core::ParsedBlock parsed;
  ASSERT_EQ(core::Parse(block.bytes(), &parsed), Fault::kNone);
  // The second layer has one slot per bumped key. Rounding sub-shards to whole buckets changes the
  // slots per key, and thus the bumped keys, by up to half a percent.
  const core::LayerEntry second = core::ReadLayerEntry(parsed.directory, 1);
  ASSERT_EQ(second.type, core::LayerType::kBumped);
  const double bumped = static_cast<double>(second.count << second.parameter) * 128 / kKeys;
  EXPECT_NEAR(bumped, SimulateRibbon({}, kKeys, kSeed).bumped, 0.004);
}

}  // namespace
}  // namespace winnow::bench
