// Tests of filters: no false negatives, and the same answers from single lookups and batches.

#include "winnow/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"

namespace winnow {
namespace filter_test {

using testing::Build;
using testing::FalseNegatives;
using testing::kKinds;
using testing::OptionsOf;
using testing::RandomHashes;
using testing::TestSeed;

TEST(FilterTest, NoFalseNegativeAtAnySizeAndAccuracy) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n :
         {1u, 2u, 3u, 10u, 63u, 64u, 65u, 299u, 301u, 1000u, 100'000u, 3'000'000u}) {
      for (double bits = 1; bits <= 32; bits += n < 100'000 ? 0.3 : 2.7) {
        const std::vector<KeyHash> hashes = random.Take(n);
        const FilterBlock block = Build(OptionsOf(kind, bits), hashes);
        const FilterView view(block.bytes());
        ASSERT_EQ(view.fault(), Fault::kNone);
        ASSERT_EQ(view.info().kind, kind);
        ASSERT_EQ(view.info().num_hashes, n);
        ASSERT_EQ(FalseNegatives(view, hashes), 0u) << n << " keys, " << bits << " bits";
        ASSERT_TRUE(view.PayloadIntact());
      }
    }
  }
}

TEST(FilterTest, NoKeysContainNothing) {
  for (const FilterKind kind : kKinds) {
    for (double bits = 1; bits <= 32; bits += 0.3) {
      const FilterBlock block = Build(OptionsOf(kind, bits), {});
      const FilterView view(block.bytes());
      EXPECT_EQ(view.fault(), Fault::kNone);
      EXPECT_EQ(view.info().kind, FilterKind::kEmpty);
      EXPECT_EQ(view.info().expected_fpr, 0);
      EXPECT_GT(block.size, 0u);
      RandomHashes random(1);
      for (int i = 0; i < 1000; ++i) EXPECT_FALSE(view.MayContain({random.Next()}));
    }
  }
}

TEST(FilterTest, AViewOfNothingContainsEverything) {
  EXPECT_TRUE(FilterView().MayContain({1}));
  EXPECT_TRUE(FilterView(std::string_view()).MayContain({1}));
  EXPECT_NE(FilterView(std::string_view()).fault(), Fault::kNone);
}

TEST(FilterTest, BatchesGiveTheAnswersOfSingleLookups) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    // The largest filter is large enough for prefetching.
    for (const size_t n : {0u, 5u, 5000u, 2500000u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 6), hashes);
      const FilterView view(block.bytes());
      std::vector<KeyHash> queries = random.Take(500);
      queries.insert(queries.end(), hashes.begin(),
                     hashes.begin() + static_cast<ptrdiff_t>(std::min<size_t>(n, 100000)));
      for (const size_t count : {size_t{0}, size_t{1}, size_t{31}, queries.size()}) {
        std::vector<char> results(queries.size() + 1, 'x');
        auto* out = reinterpret_cast<bool*>(results.data());
        view.MayContain(queries.data(), count, out);
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], view.MayContain(queries[i]));
        ASSERT_EQ(results[count], 'x');
      }
    }
  }
}

// Hashes with the same high half start at the same position of the first layer, which bumps nearly
// all of them; a later layer mixes their low halves. The filters are large enough for prefetching.
TEST(FilterTest, BatchesOfBumpedHashesGiveTheAnswersOfSingleLookups) {
  constexpr size_t kHashes = 100000;
  RandomHashes random(TestSeed());
  for (const size_t bumped : {kHashes / 100, kHashes / 2, kHashes}) {
    std::vector<KeyHash> hashes = random.Take(kHashes);
    for (size_t i = 0; i < bumped; ++i)
      hashes[i].value = 0x0123456700000000 | static_cast<uint32_t>(i * 0x9e3779b1u);
    std::shuffle(hashes.begin(), hashes.end(), std::minstd_rand(1));
    const FilterBlock block = Build(OptionsOf(FilterKind::kRibbon, 8), hashes);
    const FilterView view(block.bytes());
    ASSERT_GE(view.info().layers, 2);
    ASSERT_EQ(FalseNegatives(view, hashes), 0u);
    std::vector<KeyHash> queries;
    for (const KeyHash hash : hashes) {
      queries.push_back(hash);
      queries.push_back({random.Below(2) == 0 ? hash.value ^ 1u << 31 : random.Next()});
    }
    size_t passed = 0;
    for (size_t i = 0; i < kHashes; ++i) passed += view.MayContain({random.Next()}) ? 1 : 0;
    EXPECT_LT(passed, kHashes / 20) << bumped;
    std::vector<bool> expected;
    for (const KeyHash query : queries) expected.push_back(view.MayContain(query));
    for (const size_t n : {0u, 1u, 4u, 5u, 31u, 32u, 33u, 63u, 64u, 65u, 1000u}) {
      const std::unique_ptr<bool[]> results(new bool[n]);
      for (size_t first = 0; first + n <= queries.size(); first += 7000 + n) {
        view.MayContain(queries.data() + first, n, results.get());
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(results[i], expected[first + i]) << n;
      }
    }
  }
}

TEST(FilterTest, DuplicateKeysCountOnceWhenAdjacentAndAreHarmlessWhenNot) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 3u, 10u, 1000u, 50000u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      FilterBuilder builder(OptionsOf(kind, 10));
      for (const KeyHash hash : hashes) {
        for (int copy = 0; copy < 5; ++copy) builder.Add(hash);
      }
      EXPECT_EQ(builder.num_hashes(), n);
      const FilterBlock adjacent = builder.Finish();
      EXPECT_EQ(adjacent.bytes(), Build(OptionsOf(kind, 10), hashes).bytes());

      for (int copy = 0; copy < 5; ++copy) builder.Add(hashes.data(), n);
      // All copies are kept, counted and take room.
      const size_t copies = n == 1 ? 1 : 5 * n;
      EXPECT_EQ(builder.num_hashes(), copies);
      const FilterBlock apart = builder.Finish();
      const FilterView view(apart.bytes());
      EXPECT_EQ(view.info().num_hashes, copies);
      const auto size = static_cast<double>(apart.size);
      EXPECT_NEAR(size / static_cast<double>(builder.EstimateSize(copies)), 1, n < 50 ? 0.4 : 0.1);
      EXPECT_EQ(FalseNegatives(view, hashes), 0u);
      // A Bloom filter's rate is that of its distinct keys, which is less.
      double hits = 0;
      for (int i = 0; i < 100000; ++i) hits += view.MayContain({random.Next()});
      EXPECT_LE(hits / 100000, view.info().expected_fpr * 1.1 + 0.001);
    }
  }
}

TEST(FilterTest, AgreesWithASetUnderRandomOperations) {
  RandomHashes random(TestSeed());
  for (int round = 0; round < 300; ++round) {
    FilterOptions options;
    options.bits_per_key = 1 + static_cast<double>(random.Below(311)) / 10;
    options.ribbon_min_keys = random.Below(500);
    FilterBuilder builder(options);
    std::set<uint64_t> added;
    const uint64_t operations = random.Below(1200);
    const uint64_t values = 1 + random.Below(2000);
    for (uint64_t i = 0; i < operations; ++i) {
      const KeyHash hash = HashKey(std::to_string(random.Below(values)));
      builder.Add(hash);
      added.insert(hash.value);
    }
    ASSERT_GE(builder.num_hashes(), added.size());
    const FilterBlock block = builder.Finish();
    ASSERT_EQ(builder.num_hashes(), 0u);
    const FilterView view(block.bytes());
    for (const uint64_t value : added) ASSERT_TRUE(view.MayContain({value}));
  }
}

}  // namespace filter_test
}  // namespace winnow
