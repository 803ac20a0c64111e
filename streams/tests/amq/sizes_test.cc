// Tests that predicted sizes are those of the filters, and that known planning figures of the
// literature result.

#include "winnow/amq/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/amq/xor_filter.h"

namespace winnow::amq {
namespace sizes_test {

using testing::RandomHashes;
using ::testing::UnorderedElementsAreArray;

KindSize Find(const Plan& plan, const std::string& kind) {
  for (const KindSize& size : SizesFor(plan)) {
    if (size.kind == kind) return size;
  }
  ADD_FAILURE() << "no kind " << kind;
  return {};
}

constexpr double kRates[] = {0.3, 0.01, 1e-4, 1e-9};
constexpr uint64_t kCounts[] = {0, 1, 1000, 100'000};

template <typename Kind>
class SizesOf : public ::testing::Test {};
TYPED_TEST_SUITE(SizesOf, testing::PlannedKinds);

TYPED_TEST(SizesOf, AreThoseOfTheFilterThatIsMade) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const Plan plan{keys, rate};
      const KindSize size = Find(plan, TypeParam::kName);
      const typename TypeParam::Filter filter(plan);
      EXPECT_EQ(size.bytes, filter.size_bytes()) << keys << " at " << rate;
      EXPECT_NEAR(size.rate, filter.planned_fpr(), 1e-12 * size.rate + 1e-30);
    }
  }
}

TEST(Sizes, AreThoseOfTheOtherFiltersThatAreMade) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const Plan plan{keys, rate};
      const std::vector<KeyHash> hashes = RandomHashes(1).Take(keys);
      const XorFilter made_xor(hashes.data(), keys, rate);
      EXPECT_EQ(Find(plan, "xor").bytes, made_xor.size_bytes());
      EXPECT_EQ(Find(plan, "xor").rate,
                made_xor.planned_fpr() + std::ldexp(static_cast<double>(keys), -64));
      EXPECT_EQ(Find(plan, "fuse, 3-wise").bytes,
                BinaryFuseFilter(hashes.data(), keys, rate).size_bytes());
      EXPECT_EQ(Find(plan, "fuse, 4-wise").bytes,
                BinaryFuseFilter(hashes.data(), keys, rate, FuseArity::kFour).size_bytes());
      MemoryPageStore store;
      EXPECT_EQ(Find(plan, "paged").bytes,
                testing::MustBuild(&store, {keys, rate, 1024}, hashes).size_bytes());
    }
  }
}

// A filter begins when the one before happens to be full: their number may differ by one if the
// plan ends near that point.
TEST(Sizes, OfAScalableFilterAreThoseThatItGrowsTo) {
  for (const double rate : {0.01, 1e-6}) {
    for (const uint64_t keys : {500u, 5000u, 100'000u}) {
      ScalableOptions options;
      options.rate = rate;
      ScalableBloom filter(options);
      for (const KeyHash key : RandomHashes(2).Take(keys)) filter.Add(key);
      EXPECT_EQ(Find({keys, rate}, "scalable").bytes, filter.size_bytes())
          << keys << " at " << rate;
    }
  }
}

template <typename... Kinds>
std::vector<std::string> NamesOf(::testing::Types<Kinds...>) {
  return {Kinds::kName...};
}

// The tests above compare each kind with filters.
TEST(Sizes, HaveNoOtherKinds) {
  std::vector<std::string> compared = NamesOf(testing::PlannedKinds());
  for (const char* kind : {"paged", "scalable", "xor", "fuse, 3-wise", "fuse, 4-wise"}) {
    compared.emplace_back(kind);
  }
  std::vector<std::string> kinds;
  for (const KindSize& size : SizesFor({1000, 0.01})) kinds.emplace_back(size.kind);
  EXPECT_THAT(kinds, UnorderedElementsAreArray(compared));
}

TEST(Sizes, SmallestFirst) {
  const std::vector<KindSize> sizes = SizesFor({1'000'000, 0.01});
  for (size_t i = 1; i < sizes.size(); ++i) EXPECT_LE(sizes[i - 1].bytes, sizes[i].bytes);
  EXPECT_EQ(sizes.front().kind, std::string("fuse, 4-wise"));
}

TEST(Sizes, WhatCantBeReachedSaysSo) {
  EXPECT_GT(Find({1'000'000, 1e-12}, "cuckoo").rate, 1e-12);
  EXPECT_GT(Find({1'000'000, 1e-12}, "xor").rate, 1e-12);
  EXPECT_GT(Find({1'000'000, 1e-9}, "concurrent").rate, 1e-9);
  EXPECT_LE(Find({1'000'000, 1e-12}, "blocked").rate, 1.001e-12 + 1e6 * std::ldexp(1, -64));
}

TEST(Sizes, WithinBytesAreTheLowestRatesThatFit) {
  for (const uint64_t keys : {1000u, 1'000'000u}) {
    const uint64_t bytes = keys * 12 / 8;
    const std::vector<KindSize> within = SizesWithin(keys, bytes);
    EXPECT_GE(within.size(), 8u);
    for (const KindSize& size : within) {
      EXPECT_LE(size.bytes, bytes) << size.kind;
      // A slightly lower rate would fill the given bytes; fingerprints of whole bits have larger
      // steps.
      if (size.is_fingerprint) continue;
      EXPECT_GE(Find({keys, size.rate * 0.9}, size.kind).bytes * 50, bytes * 49) << size.kind;
    }
    for (size_t i = 1; i < within.size(); ++i) EXPECT_LE(within[i - 1].rate, within[i].rate);
  }
  EXPECT_TRUE(SizesWithin(1'000'000, 1000).empty());
}

TEST(Sizes, PlanningFiguresOfTheField) {
  EXPECT_NEAR(BloomFilterRate(1e9, 30e9, 8), 9.01e-6, 0.005e-6);
  EXPECT_NEAR(BloomFilterRate(1e9, 30e9, 16), 7.26e-7, 0.005e-7);
  EXPECT_NEAR(BloomFilterRate(1e9, 50e9, 8), 2.28e-7, 0.005e-7);
  // Tables omit equal hashes, which add a twentieth here.
  EXPECT_NEAR(BloomFilterRate(1e9, 50e9, 16) - std::ldexp(1e9, -64), 1.0005e-9, 0.0001e-9);
  // Tables have 854, the nearest number, with a rate of 1.0002 %.
  EXPECT_EQ(BloomFilterKeys(8192, 7, 0.01), 853u);
  EXPECT_NEAR(BloomFilterRate(854, 8192, 7), 0.010002, 0.000001);
  EXPECT_EQ(BloomFilterKeys(8192, 6, 0.01), 851u);
  EXPECT_NEAR(BloomFilterRate(800, 8192, 6), 0.0076, 0.00005);
  EXPECT_NEAR(BloomFilterRate(871, 8192, 6), 0.0110, 0.0001);
  EXPECT_EQ(BloomFilterKeys(64, 1, 1e-9), 0u);
}

}  // namespace sizes_test
}  // namespace winnow::amq
