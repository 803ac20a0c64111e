// Tests that elimination slot by slot, by each kernel that has it, fills the same slots, bumps the
// same keys and has the same solution as elimination row by row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "src/simd/kernels.h"
#include "tests/simd/ribbon_elimination_testing.h"
#include "tests/support/random_hashes.h"
#include "tests/support/usable_kernels.h"

namespace winnow {
namespace {

using testing::Case;
using testing::EliminateBySlots;
using testing::Result;
using testing::Walk;

constexpr unsigned kMaxShardBits = 2;

class RibbonEliminationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const simd::Kernels* kernels : testing::UsableKernels()) {
      if (kernels->ribbon_elimination != nullptr) kernels_.push_back(kernels);
    }
    if (kernels_.empty()) GTEST_SKIP() << "this machine has no elimination slot by slot";
  }

  // Returns the number of bumped keys.
  size_t ExpectSame(const Case& shape, const std::vector<uint64_t>& hashes,
                    const std::string& what) const {
    const Result walked = Walk(shape, hashes);
    EXPECT_GT(walked.filled, 0u) << what;
    for (const simd::Kernels* kernels : kernels_) {
      const Result by_slots = EliminateBySlots(shape, hashes, *kernels);
      EXPECT_EQ(by_slots.filled, walked.filled) << kernels->name << ", " << what;
      EXPECT_EQ(by_slots.thresholds, walked.thresholds) << kernels->name << ", " << what;
      EXPECT_EQ(by_slots.bumped, walked.bumped) << kernels->name << ", " << what;
      EXPECT_EQ(by_slots.solution, walked.solution) << kernels->name << ", " << what;
    }
    return walked.bumped.size();
  }

  static std::vector<uint64_t> Hashes(size_t n) {
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < n; ++i) hashes.push_back(random().Next());
    return hashes;
  }

  static testing::RandomHashes& random() {
    static testing::RandomHashes random(testing::TestSeed());
    return random;
  }

 private:
  std::vector<const simd::Kernels*> kernels_;
};

std::string Describe(const Case& shape, size_t keys) {
  return std::to_string(keys) + " keys in " + std::to_string(shape.buckets) +
         " buckets of each of " + std::to_string(1u << shape.shard_bits) + " sub-shards with " +
         std::to_string(shape.fingerprint_bits) + " columns";
}

TEST_F(RibbonEliminationTest, EveryNumberOfColumnsAndLoad) {
  size_t bumped = 0;
  for (unsigned columns = 1; columns <= simd::kRibbonMaxColumns; ++columns) {
    for (const double keys_per_slot : {0.5, 0.95, 1.04, 1.1, 1.4}) {
      Case shape{columns % (kMaxShardBits + 1), 70, columns};
      const auto slots = static_cast<double>((shape.buckets * 128) << shape.shard_bits);
      std::vector<uint64_t> hashes = Hashes(static_cast<size_t>(slots * keys_per_slot));
      bumped += ExpectSame(shape, hashes, Describe(shape, hashes.size()));
      shape.are_items = true;
      for (uint64_t& item : hashes) {
        const uint64_t value = item & formulas::kItemValue & ((1u << columns) - 1);
        item = formulas::HashOfItem(item) | value;
      }
      bumped += ExpectSame(shape, hashes, Describe(shape, hashes.size()) + " of a retrieval");
    }
  }
  EXPECT_GT(bumped, 0u);
}

TEST_F(RibbonEliminationTest, FewBuckets) {
  for (const uint32_t buckets : {1u, 2u, 31u, 32u, 33u, 64u}) {
    for (unsigned shard_bits = 0; shard_bits <= kMaxShardBits; ++shard_bits) {
      const Case shape{shard_bits, buckets, 7};
      const std::vector<uint64_t> hashes = Hashes((size_t{buckets} * 133) << shard_bits);
      ExpectSame(shape, hashes, Describe(shape, hashes.size()));
    }
  }
}

TEST_F(RibbonEliminationTest, RepeatedKeys) {
  for (const size_t distinct : {2000u, 4000u}) {
    std::vector<uint64_t> hashes = Hashes(distinct);
    for (size_t i = 0; i < distinct; ++i) hashes.push_back(hashes[i / 2]);
    ExpectSame({0, 32, 7}, hashes, std::to_string(distinct) + " keys, half of them three times");
  }
}

// Buckets, or parts of buckets, have more keys than a pool has room for; some have few distinct
// keys, which fit nevertheless.
TEST_F(RibbonEliminationTest, CrowdedPlaces) {
  const Case shape{1, 40, 7};
  const uint64_t starts = (uint64_t{shape.buckets} * 128) << shape.shard_bits;
  for (const uint64_t width : {1u, 4u, 16u, 36u, 128u, 700u}) {
    for (const size_t crowd : {40u, 100u, 1000u, 6000u}) {
      for (const size_t distinct : {size_t{30}, crowd}) {
        std::vector<uint64_t> hashes = Hashes(8000);
        for (size_t i = 0; i < crowd; ++i) {
          const uint64_t place = 20 * 128 + hashes[i % distinct] % width;
          const uint64_t low = hashes[i % distinct] * 0x9e3779b97f4a7c15u >> 32;
          hashes.push_back((((place << 32) + starts - 1) / starts) << 32 | low);
        }
        ExpectSame(shape, hashes,
                   std::to_string(crowd) + " keys, " + std::to_string(distinct) + " distinct, in " +
                       std::to_string(width) + " slots");
      }
    }
  }
}

TEST_F(RibbonEliminationTest, ZeroLowOrHighBits) {
  for (const uint64_t mask : {~uint64_t{0} << 20, ~uint64_t{0} << 32, ~uint64_t{0} >> 3}) {
    // Without its high bits, a hash starts in an eighth of the slots.
    std::vector<uint64_t> hashes = Hashes(mask >> 63 == 0 ? 600 : 5000);
    for (uint64_t& hash : hashes) hash &= mask;
    ExpectSame({0, 37, 7}, hashes, "mask " + std::to_string(mask));
  }
}

}  // namespace
}  // namespace winnow
