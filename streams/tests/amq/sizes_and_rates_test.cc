// Tests that every kind of filter contains what was added, for few and for many keys, and has the
// size of its formula and the rate that it reports.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/xor_filter.h"

namespace winnow::amq {
namespace sizes_and_rates_test {

using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;

constexpr double kRates[] = {0.1, 0.01, 0.001};
constexpr uint64_t kCounts[] = {700'000, 1'000'000, 1'300'000};

// Returns the number of lookups for ten thousand expected false positives.
uint64_t Lookups(double rate) { return static_cast<uint64_t>(1e4 / rate); }

void ExpectSize(size_t bytes, uint64_t keys, double bits_a_key, double rate) {
  EXPECT_NEAR(static_cast<double>(bytes) * 8 / static_cast<double>(keys), bits_a_key,
              0.02 * bits_a_key)
      << "bits per key of " << keys << " keys at " << rate;
}

template <typename Kind>
class SizesAndRatesOf : public ::testing::Test {};
TYPED_TEST_SUITE(SizesAndRatesOf, testing::PlannedKinds);

TYPED_TEST(SizesAndRatesOf, FiltersOfAPlan) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      typename TypeParam::Filter filter({keys, rate});
      ExpectSize(filter.size_bytes(), keys, TypeParam::BitsAKey(rate), rate);
      for (const KeyHash key : RandomHashes(keys).Take(keys)) {
        ASSERT_TRUE(testing::Take(&filter, key));
      }
      EXPECT_LE(filter.planned_fpr(), rate);
      EXPECT_NEAR(filter.expected_fpr(), filter.planned_fpr(), 0.02 * filter.planned_fpr());
      if (keys == 1'000'000) ExpectReportedRate(filter, Lookups(rate), 77);
    }
  }
}

TYPED_TEST(SizesAndRatesOf, WithoutKeysContainsNothing) {
  for (const uint64_t capacity : {0u, 1u, 1000u}) {
    const typename TypeParam::Filter filter({capacity, 0.01});
    EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
    EXPECT_EQ(filter.fill_ratio(), 0);
    EXPECT_EQ(filter.expected_fpr(), 0);
  }
}

TYPED_TEST(SizesAndRatesOf, ContainsWhatWasAdded) {
  for (const uint64_t capacity : {0u, 1u, 2u, 3u, 5u, 10u, 100u, 10'000u, 300'000u}) {
    for (const double rate : {0.5, 0.01, 1e-9, 1e-15}) {
      typename TypeParam::Filter filter({capacity, rate});
      const std::vector<KeyHash> keys = RandomHashes(2).Take(capacity);
      for (const KeyHash key : keys) ASSERT_TRUE(testing::Take(&filter, key)) << capacity << rate;
      ExpectContainsAll(filter, keys);
      if constexpr (TypeParam::kRemoves) {
        EXPECT_EQ(filter.num_keys(), capacity);
        for (const KeyHash key : keys) ASSERT_TRUE(filter.Remove(key));
        EXPECT_EQ(filter.num_keys(), 0u);
        EXPECT_EQ(filter.fill_ratio(), TypeParam::StuckRatio(filter));
      }
    }
  }
}

// Tests immutable filters, which have the fewest whole bits per fingerprint.
template <typename Make, typename SlotsAKey>
void ExpectStaticSizesAndRates(Make make, SlotsAKey slots_a_key) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const std::vector<KeyHash> hashes = RandomHashes(keys).Take(keys);
      const auto filter = make(hashes, rate);
      ExpectContainsAll(filter, hashes);
      const double bits = std::max(4.0, std::ceil(std::log2(1 / rate)));
      ExpectSize(filter.size_bytes(), keys, slots_a_key(static_cast<double>(keys)) * bits, rate);
      EXPECT_LE(filter.planned_fpr(), rate);
      if (keys == 1'000'000) ExpectReportedRate(filter, Lookups(rate), 77);
    }
  }
}

TEST(SizesAndRates, OfImmutableFilters) {
  ExpectStaticSizesAndRates([](const std::vector<KeyHash>& keys,
                               double rate) { return XorFilter(keys.data(), keys.size(), rate); },
                            [](double) { return 1.23; });
  ExpectStaticSizesAndRates(
      [](const std::vector<KeyHash>& keys, double rate) {
        return BinaryFuseFilter(keys.data(), keys.size(), rate);
      },
      [](double n) { return std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n)); });
  ExpectStaticSizesAndRates(
      [](const std::vector<KeyHash>& keys, double rate) {
        return BinaryFuseFilter(keys.data(), keys.size(), rate, FuseArity::kFour);
      },
      [](double n) { return std::max(1.075, 0.77 + 0.305 * std::log(6e5) / std::log(n)); });
}

}  // namespace sizes_and_rates_test
}  // namespace winnow::amq
