// Tests of false-positive rates: those that filters state, for all kinds of keys, and their space.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow {
namespace filter_rates_test {

using testing::Build;
using testing::kKinds;
using testing::OptionsOf;
using testing::RandomHashes;

struct Measured {
  double rate;
  double expected;
  double target;
  double expected_hits;
};

// Measures `filters` filters of n hashes of keys, random or those of numbers in a row, with so many
// hashes of further keys that 7,200 false positives are expected at the target rate; 5% are then
// four standard deviations.
Measured MeasureRate(FilterKind kind, double bits, size_t n, int filters, bool is_random = true) {
  RandomHashes random(n);
  uint64_t number = 0;
  const auto next = [&] {
    return is_random ? KeyHash{random.Next()} : HashKey("key" + std::to_string(++number));
  };
  double expected = 0;
  double target = 0;
  double hits = 0;
  double lookups = 0;
  for (int i = 0; i < filters; ++i) {
    FilterBuilder builder(OptionsOf(kind, bits));
    for (size_t key = 0; key < n; ++key) builder.Add(next());
    const FilterBlock block = builder.Finish();
    const FilterView view(block.bytes());
    expected += view.info().expected_fpr;
    target = view.info().target_fpr;
    const auto queries = static_cast<uint64_t>(7200 / target / filters) + 1;
    for (uint64_t q = 0; q < queries; ++q) hits += view.MayContain(next());
    lookups += static_cast<double>(queries);
  }
  return {hits / lookups, expected / filters, target, lookups * expected / filters};
}

TEST(FilterRatesTest, RateIsTheExpectedOneAndThatOfManyKeysTheOneAskedFor) {
  struct Case {
    size_t n;
    int filters;
    bool is_random;
  };
  for (const FilterKind kind : kKinds) {
    for (const Case& c : {Case{1000, 200, true}, Case{10000, 20, true}, Case{10000, 20, false},
                          Case{100000, 2, true}}) {
      for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0}) {
        SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(c.n) + " keys, " +
                     std::to_string(bits) + " bits" + (c.is_random ? "" : ", in a row"));
        const Measured measured = MeasureRate(kind, bits, c.n, c.filters, c.is_random);
        EXPECT_GE(measured.expected_hits, 3600);
        EXPECT_NEAR(measured.rate / measured.expected, 1, 0.05);
        if (c.n < 100000) continue;
        // A Ribbon's rate is at most 1/2.
        const double target =
            kind == FilterKind::kRibbon ? std::min(0.5, measured.target) : measured.target;
        EXPECT_NEAR(measured.expected / target, 1, 0.02);
      }
    }
  }
}

// Filters of a thousand keys deviate some percent from their mean rate. A million lookups of one
// filter differ from the mean by four standard deviations and more, but not from the filter's own
// rate.
TEST(FilterRatesTest, OneBloomFiltersOwnRateExplainsItsAnswers) {
  RandomHashes random(testing::TestSeed());
  constexpr int kFilters = 16;
  constexpr int kLookups = 1'000'000;
  double against_own = 0;  // sum of squares of standard deviations
  double furthest_from_mean = 0;
  double own_sum = 0;
  double mean = 0;
  for (int i = 0; i < kFilters; ++i) {
    const FilterBlock block = Build(OptionsOf(FilterKind::kBloom, 10), random.Take(1000));
    const FilterView view(block.bytes());
    double hits = 0;
    for (int k = 0; k < kLookups; ++k) hits += view.MayContain({random.Next()});
    const auto deviations = [&](double rate) {
      return std::abs(hits - kLookups * rate) / std::sqrt(kLookups * rate * (1 - rate));
    };
    const double own = view.CountedRate();
    mean = view.info().expected_fpr;
    own_sum += own;
    EXPECT_LT(deviations(own), 4.5);
    against_own += deviations(own) * deviations(own);
    furthest_from_mean = std::max(furthest_from_mean, deviations(mean));
  }
  EXPECT_LT(against_own / kFilters, 2.6);  // chi-squared with 16 degrees of freedom: one in 2000
  EXPECT_GT(furthest_from_mean, 4);
  // The mean of the filters' own rates is that of the formula.
  EXPECT_NEAR(own_sum / kFilters / mean, 1, 0.04);
}

// A hash with the block and the low half of a key's hash finds all bits set: 1 in 2^32 in a block.
TEST(FilterRatesTest, OfFewKeysAreAtLeastThatOfEqualBits) {
  for (const double bits : {1.0, 10.0, 32.0}) {
    for (const uint64_t keys : {1u, 2u, 3u, 20u}) {
      std::vector<KeyHash> hashes;
      for (uint64_t i = 0; i < keys; ++i) hashes.push_back(HashKey(std::to_string(i)));
      const FilterBlock block = Build(OptionsOf(FilterKind::kBloom, bits), hashes);
      const FilterView view(block.bytes());
      const double blocks = std::floor(static_cast<double>(block.size) / 64);
      const double equal = static_cast<double>(keys) / blocks * 0x1p-32;
      // A different key with the same low 32 bits, which are all that the block depends on.
      EXPECT_TRUE(view.MayContain(KeyHash{hashes[0].value ^ uint64_t{1} << 32}));
      for (const double rate : {view.info().expected_fpr, view.CountedRate()}) {
        EXPECT_GE(rate, equal) << bits << ", " << keys;
        if (keys <= 3) {
          EXPECT_LT(rate, 1e-6) << bits << ", " << keys;
        }
      }
    }
  }
}

TEST(FilterRatesTest, CountedRateOfOtherFilters) {
  RandomHashes random(5);
  EXPECT_EQ(FilterView().CountedRate(), 1);
  const FilterBlock empty = Build(OptionsOf(FilterKind::kBloom, 10), {});
  EXPECT_EQ(FilterView(empty.bytes()).CountedRate(), 0);
  const FilterBlock ribbon = Build(OptionsOf(FilterKind::kRibbon, 10), random.Take(5000));
  const FilterView view(ribbon.bytes());
  EXPECT_EQ(view.CountedRate(), view.info().expected_fpr);
  // Keys that were added several times set no additional bits.
  const std::vector<KeyHash> hashes = random.Take(3000);
  FilterBuilder builder(OptionsOf(FilterKind::kBloom, 10));
  for (int round = 0; round < 3; ++round) builder.Add(hashes.data(), hashes.size());
  const FilterBlock block = builder.Finish();
  const FilterView repeated(block.bytes());
  EXPECT_LT(repeated.CountedRate(), repeated.info().expected_fpr / 20);
  // Rates of filters of many keys are near the mean; at many bits per key, a few full blocks
  // dominate the rate.
  for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0, 32.0}) {
    const FilterBlock large = Build(OptionsOf(FilterKind::kBloom, bits), random.Take(200000));
    const FilterView many(large.bytes());
    EXPECT_NEAR(many.CountedRate() / many.info().expected_fpr, 1, bits > 20 ? 0.2 : 0.02) << bits;
  }
}

TEST(FilterRatesTest, RateOfFewKeysIsAtMostTheOneAskedFor) {
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 2u, 3u, 10u, 30u, 49u, 50u, 51u, 70u, 100u}) {
      for (const double bits : {3.0, 10.0, 13.3}) {
        const Measured measured = MeasureRate(kind, bits, n, 300);
        EXPECT_LE(measured.rate, measured.target * 1.05)
            << ToString(kind) << ", " << n << " keys, " << bits;
      }
    }
  }
}

// Space overhead of the whole block: bits per key over log2(1/rate), the minimum of any filter with
// the measured rate.
TEST(FilterRatesTest, SpaceIsNearTheBound) {
  struct Limit {
    size_t n;
    double over_bound;
  };
  for (const Limit limit : {Limit{10'000, 0.038}, Limit{100'000, 0.021}, Limit{1'000'000, 0.020},
                            Limit{10'000'000, 0.020}}) {
    RandomHashes random(limit.n);
    const int filters = limit.n < 100'000 ? 20 : limit.n < 1'000'000 ? 5 : 1;
    double bits = 0;
    double passed = 0;
    const uint64_t queries = 40'000'000 / static_cast<uint64_t>(filters);
    for (int filter = 0; filter < filters; ++filter) {
      const FilterBlock block = Build(OptionsOf(FilterKind::kRibbon, 10), random.Take(limit.n));
      const FilterView view(block.bytes());
      bits += view.info().bits_per_key / filters;
      for (uint64_t i = 0; i < queries; ++i) passed += view.MayContain({random.Next()});
    }
    const double rate = passed / (static_cast<double>(queries) * filters);
    const double bound = -std::log2(rate);
    EXPECT_LE(bits / bound - 1, limit.over_bound) << limit.n;
    EXPECT_NEAR(rate, 0.00962, 0.0001);
  }
  const FilterBlock bloom = Build(OptionsOf(FilterKind::kBloom, 10), RandomHashes(1).Take(100'000));
  EXPECT_NEAR(FilterView(bloom.bytes()).info().bits_per_key, 10, 0.01);
}

}  // namespace filter_rates_test
}  // namespace winnow
