// Tests of false-positive rates: those that filters state, for all kinds of keys, and their space.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
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
  double expected_hits;
};

// Measures `filters` filters of n random hashes with so many absent hashes that 7,200 false
// positives are expected at the target rate; 5% are then four standard deviations.
Measured MeasureRate(FilterKind kind, double bits, size_t n, int filters, RandomHashes& random) {
  double expected = 0;
  double hits = 0;
  double lookups = 0;
  for (int i = 0; i < filters; ++i) {
    const FilterBlock block = Build(OptionsOf(kind, bits), random.Take(n));
    const FilterView view(block.bytes());
    expected += view.info().expected_fpr;
    const auto queries = static_cast<uint64_t>(7200 / view.info().target_fpr / filters) + 1;
    for (uint64_t q = 0; q < queries; ++q) hits += view.MayContain({random.Next()});
    lookups += static_cast<double>(queries);
  }
  return {hits / lookups, expected / filters, lookups * expected / filters};
}

TEST(FilterRatesTest, RateIsTheExpectedOne) {
  RandomHashes random(3);
  struct Size {
    size_t n;
    int filters;
  };
  for (const FilterKind kind : kKinds) {
    for (const Size size : {Size{1000, 200}, Size{10000, 20}, Size{100000, 2}}) {
      for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0}) {
        const Measured measured = MeasureRate(kind, bits, size.n, size.filters, random);
        EXPECT_GE(measured.expected_hits, 3600);
        EXPECT_NEAR(measured.rate / measured.expected, 1, 0.05)
            << ToString(kind) << ", " << size.n << " keys, " << bits << " bits: measured "
            << measured.rate << ", expected " << measured.expected;
      }
    }
  }
}

// Returns an object id of a git repository as text: 40 hexadecimal digits.
std::string ObjectId(RandomHashes& random) {
  std::string id;
  while (id.size() < 40) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(random.Next()));
    id += digits;
  }
  id.resize(40);
  return id;
}

// Filters of a thousand keys deviate some percent from their mean rate. A million lookups of one
// filter differ from the mean by four standard deviations and more, but not from the filter's own
// rate.
TEST(FilterRatesTest, OneBloomFiltersOwnRateExplainsItsAnswers) {
  RandomHashes random(testing::TestSeed());
  constexpr int kFilters = 16;
  constexpr int kKeys = 1000;
  constexpr int kLookups = 1'000'000;
  double against_mean = 0;  // sums of squares of standard deviations
  double against_own = 0;
  double furthest = 0;
  double own_sum = 0;
  double mean = 0;
  for (int i = 0; i < kFilters; ++i) {
    FilterBuilder builder(OptionsOf(FilterKind::kBloom, 10));
    for (int key = 0; key < kKeys; ++key) builder.Add(ObjectId(random));
    const FilterBlock block = builder.Finish();
    const FilterView view(block.bytes());
    double hits = 0;
    for (int k = 0; k < kLookups; ++k) hits += view.MayContain(HashKey(ObjectId(random)));
    const auto deviations = [&](double rate) {
      return (hits - kLookups * rate) / std::sqrt(kLookups * rate * (1 - rate));
    };
    const double own = view.CountedRate();
    mean = view.info().expected_fpr;
    own_sum += own;
    EXPECT_LT(std::abs(deviations(own)), 4.5);
    against_own += deviations(own) * deviations(own);
    against_mean += deviations(mean) * deviations(mean);
    furthest = std::max(furthest, std::abs(deviations(mean)));
  }
  std::cout << "standard deviations, mean squares: against the own rate " << against_own / kFilters
            << ", against the mean of filters " << against_mean / kFilters << ", at most "
            << furthest << "\n";
  EXPECT_LT(against_own / kFilters, 2.6);  // chi-squared with 16 degrees of freedom: one in 2000
  EXPECT_GT(against_mean / kFilters, 4);
  EXPECT_GT(furthest, 4);
  // The mean of the filters' own rates is that of the formula.
  EXPECT_NEAR(own_sum / kFilters / mean, 1, 0.04);
}

// A hash with the block and the low half of a key's hash finds all bits set: 1 in 2^32 in a block.
TEST(FilterRatesTest, OfFewKeysAreAtLeastThatOfEqualBits) {
  for (const double bits : {1.0, 10.0, 32.0}) {
    for (const uint64_t keys : {1u, 2u, 3u, 20u}) {
      FilterOptions options;
      options.kind = FilterKind::kBloom;
      options.bits_per_key = bits;
      FilterBuilder builder(options);
      std::vector<KeyHash> hashes;
      for (uint64_t i = 0; i < keys; ++i) hashes.push_back(HashKey(std::to_string(i)));
      builder.Add(hashes.data(), keys);
      const FilterBlock block = builder.Finish();
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
  double hits = 0;
  constexpr int kLookups = 10'000'000;
  for (int k = 0; k < kLookups; ++k) hits += repeated.MayContain({random.Next()});
  const double expected = kLookups * repeated.CountedRate();
  EXPECT_GT(expected, 300);
  EXPECT_NEAR(hits, expected, 5 * std::sqrt(expected));
  // Rates of filters of many keys are near the mean; at many bits per key, a few full blocks
  // dominate the rate.
  for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0, 32.0}) {
    const FilterBlock large = Build(OptionsOf(FilterKind::kBloom, bits), random.Take(200000));
    const FilterView many(large.bytes());
    EXPECT_NEAR(many.CountedRate() / many.info().expected_fpr, 1, bits > 20 ? 0.2 : 0.02) << bits;
  }
}

TEST(FilterRatesTest, RateOfManyKeysIsTheOneAskedFor) {
  RandomHashes random(4);
  for (const FilterKind kind : kKinds) {
    for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0}) {
      const FilterBlock block = Build(OptionsOf(kind, bits), random.Take(100000));
      const FilterInfo info = FilterView(block.bytes()).info();
      // A Ribbon's rate is at most 1/2.
      const double target =
          kind == FilterKind::kRibbon ? std::min(0.5, info.target_fpr) : info.target_fpr;
      EXPECT_NEAR(info.expected_fpr / target, 1, 0.02) << ToString(kind) << ", " << bits;
    }
  }
}

TEST(FilterRatesTest, RateOfFewKeysIsAtMostTheOneAskedFor) {
  RandomHashes random(5);
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 2u, 3u, 10u, 30u, 49u, 50u, 51u, 70u, 100u}) {
      for (const double bits : {3.0, 10.0, 13.3}) {
        const Measured measured = MeasureRate(kind, bits, n, 300, random);
        const double target =
            FilterView(Build(OptionsOf(kind, bits), random.Take(n)).bytes()).info().target_fpr;
        EXPECT_LE(measured.rate, target * 1.05) << ToString(kind) << ", " << n << " keys, " << bits;
      }
    }
  }
}

// ---- Nonrandom keys

using MakeKey = std::function<std::string(uint64_t)>;

std::string Digits(uint64_t i) {
  std::string digits = std::to_string(i);
  return std::string(20 - digits.size(), '0') + digits;
}

// Tests filters of many consecutive keys with the keys that follow. All keys are distinct.
void ExpectGoodForKeys(const char* name, const MakeKey& key_of, FilterKind kind, double bits,
                       uint64_t keys, uint64_t filters) {
  double expected = 0;
  double hits = 0;
  double lookups = 0;
  for (uint64_t filter = 0; filter < filters; ++filter) {
    FilterBuilder builder(OptionsOf(kind, bits));
    const uint64_t first = filter * 1'000'000;
    for (uint64_t i = 0; i < keys; ++i) builder.Add(HashKey(key_of(first + i)));
    const FilterBlock block = builder.Finish();
    const FilterView view(block.bytes());
    for (uint64_t i = 0; i < keys; ++i) {
      ASSERT_TRUE(view.MayContain(HashKey(key_of(first + i)))) << name;
    }
    const double rate = view.info().expected_fpr;
    expected += rate / static_cast<double>(filters);
    const auto queries = static_cast<uint64_t>(7200 / rate / static_cast<double>(filters));
    ASSERT_LE(keys + queries, 1'000'000u);
    for (uint64_t i = keys; i < keys + queries; ++i) {
      hits += view.MayContain(HashKey(key_of(first + i)));
      ++lookups;
    }
  }
  EXPECT_GE(lookups * expected, 3600) << name;
  EXPECT_NEAR(hits / lookups / expected, 1, 0.05)
      << name << ", " << ToString(kind) << ", " << keys << " keys, " << bits << " bits";
}

void ExpectGoodForKeys(const char* name, const MakeKey& key_of) {
  for (const FilterKind kind : kKinds) {
    for (const double bits : {5.0, 10.0, 14.5}) {
      ExpectGoodForKeys(name, key_of, kind, bits, 10000, 20);
      ExpectGoodForKeys(name, key_of, kind, bits, 1000, 200);
    }
  }
}

TEST(FilterRatesTest, SequentialKeys) {
  ExpectGoodForKeys("sequential integers", [](uint64_t i) {
    return std::string(reinterpret_cast<const char*>(&i), sizeof i);
  });
}

TEST(FilterRatesTest, KeysThatShareLongPrefixes) {
  const std::string prefix(200, 'p');
  ExpectGoodForKeys("long prefix", [=](uint64_t i) { return prefix + Digits(i); });
}

TEST(FilterRatesTest, KeysWithOneByteChanged) {
  ExpectGoodForKeys("one byte changed", [](uint64_t i) {
    // Each 10,000 keys have a common prefix; one of the last 40 bytes of the base key is changed to
    // one of 250 values.
    std::string key = Digits(i / 10000) + Digits(7) + Digits(7);
    const uint64_t change = i % 10000;
    char& changed = key[20 + change / 250];
    changed = static_cast<char>(static_cast<unsigned char>(changed) ^ (1 + change % 250));
    return key;
  });
}

// A Ribbon's rate does not depend on the number of copies of a key; a Bloom filter's rate is that
// of its distinct keys, and the expected rate, which counts all copies, is an upper bound. Both
// take room for all copies.
TEST(FilterRatesTest, RateOfDuplicateKeysApart) {
  for (const FilterKind kind : kKinds) {
    RandomHashes random(6);
    double hits = 0;
    double expected = 0;
    double size_ratio = 0;
    constexpr int kFilters = 20;
    constexpr int kQueries = 100'000;
    for (int filter = 0; filter < kFilters; ++filter) {
      const std::vector<KeyHash> hashes = random.Take(10000);
      FilterBuilder builder(OptionsOf(kind, 10));
      for (int copy = 0; copy < 3; ++copy) builder.Add(hashes.data(), hashes.size());
      const FilterBlock block = builder.Finish();
      const FilterView view(block.bytes());
      // All copies are kept, counted and take room.
      ASSERT_EQ(view.info().num_hashes, 3 * hashes.size());
      const FilterBlock of_different = Build(OptionsOf(kind, 10), random.Take(3 * hashes.size()));
      size_ratio +=
          static_cast<double>(block.size) / static_cast<double>(of_different.size) / kFilters;
      expected += view.info().expected_fpr / kFilters;
      for (int i = 0; i < kQueries; ++i) hits += view.MayContain({random.Next()});
    }
    EXPECT_GT(size_ratio, kind == FilterKind::kRibbon ? 0.93 : 0.9999);
    EXPECT_LT(size_ratio, 1.001);
    const double rate = hits / (double{kFilters} * kQueries);
    if (kind == FilterKind::kRibbon) {
      EXPECT_NEAR(rate / expected, 1, 0.05);
    } else {
      EXPECT_LT(rate, expected / 10);
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
    std::cout << limit.n << " keys: " << bits << " bits per key, rate " << rate << ", "
              << 100 * (bits / bound - 1) << " % over the bound\n";
    EXPECT_LE(bits / bound - 1, limit.over_bound) << limit.n;
    EXPECT_NEAR(rate, 0.00962, 0.0001);
  }
  const FilterBlock bloom = Build(OptionsOf(FilterKind::kBloom, 10), RandomHashes(1).Take(100'000));
  EXPECT_NEAR(FilterView(bloom.bytes()).info().bits_per_key, 10, 0.01);
}

}  // namespace filter_rates_test
}  // namespace winnow
