// Tests of the immutable fingerprint filters: xor and binary fuse.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/xor_filter.h"

namespace winnow::amq {
namespace fingerprint_filters_test {

using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

struct Xor {
  static XorFilter Make(const std::vector<KeyHash>& keys, double rate) {
    return {keys.data(), keys.size(), rate};
  }
};

template <FuseArity kArity>
struct BinaryFuse {
  static BinaryFuseFilter Make(const std::vector<KeyHash>& keys, double rate) {
    return {keys.data(), keys.size(), rate, kArity};
  }
};

template <typename Maker>
class FingerprintFilterTest : public ::testing::Test, protected Maker {};

using Makers = ::testing::Types<Xor, BinaryFuse<FuseArity::kThree>, BinaryFuse<FuseArity::kFour>>;
TYPED_TEST_SUITE(FingerprintFilterTest, Makers);

TYPED_TEST(FingerprintFilterTest, WithoutKeysContainsNothing) {
  const auto filter = this->Make({}, 0.5);
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
  EXPECT_EQ(filter.num_keys(), 0u);
}

TYPED_TEST(FingerprintFilterTest, ContainsItsKeysInEveryWidth) {
  RandomHashes random(TestSeed());
  for (unsigned bits = 4; bits <= 32; ++bits) {
    for (const size_t n : {1u, 2u, 3u, 10u, 1000u}) {
      const std::vector<KeyHash> keys = random.Take(n);
      const auto filter = this->Make(keys, std::ldexp(1.0, -static_cast<int>(bits)));
      EXPECT_EQ(filter.fingerprint_bits(), bits);
      EXPECT_EQ(filter.num_keys(), n);
      ExpectContainsAll(filter, keys);
    }
  }
}

TYPED_TEST(FingerprintFilterTest, EveryWidthHasTheRateThatItReports) {
  const std::vector<KeyHash> keys = RandomHashes(2).Take(10'000);
  for (unsigned bits = 4; bits <= 18; ++bits) {
    ExpectReportedRate(this->Make(keys, std::ldexp(1.0, -static_cast<int>(bits))), 3'000'000, bits);
  }
}

TYPED_TEST(FingerprintFilterTest, EqualHashesCountOnce) {
  std::vector<KeyHash> keys = RandomHashes(3).Take(1000);
  const auto once = this->Make(keys, 0.001);
  std::vector<KeyHash> repeated = keys;
  for (int i = 0; i < 9; ++i) repeated.insert(repeated.end(), keys.rbegin(), keys.rend());
  const auto filter = this->Make(repeated, 0.001);
  EXPECT_EQ(filter.num_keys(), 1000u);
  EXPECT_EQ(filter.size_bytes(), once.size_bytes());
  ExpectContainsAll(filter, keys);
}

// Hashes that are not random, such as identity hashes of integers.
TYPED_TEST(FingerprintFilterTest, TakesStructuredHashes) {
  std::vector<KeyHash> keys;
  for (uint64_t i = 0; i < 20'000; ++i) keys.push_back({i % 2 == 0 ? i : i << 40});
  const auto filter = this->Make(keys, 0.01);
  ExpectContainsAll(filter, keys);
  ExpectReportedRate(filter, 1'000'000, 4);
}

TYPED_TEST(FingerprintFilterTest, RatesOutOfRangeAreTheNearest) {
  EXPECT_EQ(this->Make({}, 1.0).fingerprint_bits(), 4u);
  EXPECT_EQ(this->Make({}, 0.0).fingerprint_bits(), 32u);
  EXPECT_EQ(this->Make({}, -1.0).fingerprint_bits(), 32u);
  EXPECT_EQ(this->Make({}, std::numeric_limits<double>::quiet_NaN()).fingerprint_bits(), 32u);
  EXPECT_EQ(this->Make({}, 0.01).fingerprint_bits(), 7u);
}

// Sizes at which the segment length has just doubled, or one more key would add a segment.
TYPED_TEST(FingerprintFilterTest, NearlyEverySetIsPlacedAtOnce) {
  RandomHashes random(TestSeed());
  for (const size_t n : {0u, 5u, 8u, 13u, 24u, 36u, 100u, 302u, 829u, 1521u, 3543u, 11'440u,
                         11'480u, 11'520u, 37'453u, 126'130u}) {
    const int sets = n < 12'000 ? 300 : 40;
    int more_tries = 0;
    for (int i = 0; i < sets; ++i) {
      const std::vector<KeyHash> keys = random.Take(n);
      const auto filter = this->Make(keys, 0.01);
      ExpectContainsAll(filter, keys);
      ASSERT_LE(filter.tries(), 10u) << n;
      more_tries += filter.tries() > 1;
    }
    // The margin is five standard deviations.
    const double expected = sets / (std::is_same_v<TypeParam, Xor> ? 6.0 : 20.0);
    EXPECT_LE(more_tries, expected + 5 * std::sqrt(expected)) << n;
  }
}

TEST(BinaryFuseFilter, BatchesAreTheSameAsOneByOne) {
  const std::vector<KeyHash> keys = RandomHashes(4).Take(3000);
  for (const FuseArity arity : {FuseArity::kThree, FuseArity::kFour}) {
    for (const double rate : {0.05, 1.0 / 256, 0.001, 1.0 / 65536, 1e-9}) {
      testing::ExpectBatchesAsOneByOne(BinaryFuseFilter(keys.data(), keys.size(), rate, arity),
                                       keys);
    }
    const BinaryFuseFilter empty(nullptr, 0, 0.01, arity);
    bool results[2] = {true, true};
    empty.MayContain(keys.data(), 2, results);
    EXPECT_FALSE(results[0] || results[1]);
  }
}

// The filter is large enough for prefetching.
TEST(BinaryFuseFilter, LargeBatchesAreTheSameAsOneByOne) {
  const std::vector<KeyHash> keys = RandomHashes(5).Take(2'000'000);
  for (const FuseArity arity : {FuseArity::kThree, FuseArity::kFour}) {
    const BinaryFuseFilter filter(keys.data(), keys.size(), 1.0 / 256, arity);
    EXPECT_GT(filter.size_bytes(), size_t{2} << 20);
    testing::ExpectBatchesAsOneByOne(filter, keys);
  }
}

}  // namespace fingerprint_filters_test
}  // namespace winnow::amq
