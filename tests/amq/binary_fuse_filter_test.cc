#include "winnow/amq/binary_fuse_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/amq/filter_testing.h"

namespace winnow::amq {
namespace {

using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

class BinaryFuseFilterTest : public ::testing::TestWithParam<FuseArity> {
 protected:
  static BinaryFuseFilter Make(const std::vector<KeyHash>& keys, double rate) {
    return {keys.data(), keys.size(), rate, GetParam()};
  }
};

INSTANTIATE_TEST_SUITE_P(Arities, BinaryFuseFilterTest,
                         ::testing::Values(FuseArity::kThree, FuseArity::kFour));

TEST_P(BinaryFuseFilterTest, WithoutKeysContainsNothing) {
  const BinaryFuseFilter filter = Make({}, 0.5);
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
  EXPECT_EQ(filter.num_keys(), 0u);
}

TEST_P(BinaryFuseFilterTest, ContainsItsKeysInEveryWidth) {
  RandomHashes random(TestSeed());
  for (unsigned bits = 4; bits <= 32; ++bits) {
    for (const size_t n : {1u, 2u, 3u, 10u, 1000u}) {
      const std::vector<KeyHash> keys = random.Take(n);
      const BinaryFuseFilter filter = Make(keys, std::ldexp(1.0, -static_cast<int>(bits)));
      EXPECT_EQ(filter.fingerprint_bits(), bits);
      EXPECT_EQ(filter.num_keys(), n);
      ExpectContainsAll(filter, keys);
    }
  }
}

TEST_P(BinaryFuseFilterTest, EveryWidthHasTheRateThatItReports) {
  const std::vector<KeyHash> keys = RandomHashes(2).Take(10'000);
  for (unsigned bits = 4; bits <= 18; ++bits) {
    ExpectReportedRate(Make(keys, std::ldexp(1.0, -static_cast<int>(bits))), 3'000'000, bits);
  }
}

TEST_P(BinaryFuseFilterTest, ManySmallFiltersDenyNoKey) {
  RandomHashes random(TestSeed());
  for (int i = 0; i < 3000; ++i) {
    const std::vector<KeyHash> keys = random.Take(random.Below(100));
    const BinaryFuseFilter filter = Make(keys, 0.01);
    ExpectContainsAll(filter, keys);
    ASSERT_LE(filter.tries(), 10u);
  }
}

TEST_P(BinaryFuseFilterTest, BatchesAreTheSameAsOneByOne) {
  const std::vector<KeyHash> keys = RandomHashes(4).Take(3000);
  for (const double rate : {0.05, 1.0 / 256, 0.001, 1.0 / 65536, 1e-9}) {
    testing::ExpectBatchesAsOneByOne(Make(keys, rate), keys);
  }
  const BinaryFuseFilter empty = Make({}, 0.01);
  bool results[2] = {true, true};
  empty.MayContain(keys.data(), 2, results);
  EXPECT_FALSE(results[0] || results[1]);
}

TEST_P(BinaryFuseFilterTest, EqualHashesCountOnce) {
  std::vector<KeyHash> keys = RandomHashes(3).Take(1000);
  const BinaryFuseFilter once = Make(keys, 0.001);
  std::vector<KeyHash> repeated = keys;
  for (int i = 0; i < 9; ++i) repeated.insert(repeated.end(), keys.rbegin(), keys.rend());
  const BinaryFuseFilter filter = Make(repeated, 0.001);
  EXPECT_EQ(filter.num_keys(), 1000u);
  EXPECT_EQ(filter.size_bytes(), once.size_bytes());
  ExpectContainsAll(filter, keys);
}

// Hashes that are not random at all, as of keys that are numbers.
TEST_P(BinaryFuseFilterTest, TakesStructuredHashes) {
  std::vector<KeyHash> keys;
  for (uint64_t i = 0; i < 20'000; ++i) keys.push_back({i % 2 == 0 ? i : i << 40});
  const BinaryFuseFilter filter = Make(keys, 0.01);
  ExpectContainsAll(filter, keys);
  ExpectReportedRate(filter, 1'000'000, 4);
}

TEST_P(BinaryFuseFilterTest, RatesOutOfRangeAreTheNearest) {
  EXPECT_EQ(Make({}, 1.0).fingerprint_bits(), 4u);
  EXPECT_EQ(Make({}, 0.0).fingerprint_bits(), 32u);
  EXPECT_EQ(Make({}, -1.0).fingerprint_bits(), 32u);
  EXPECT_EQ(Make({}, std::numeric_limits<double>::quiet_NaN()).fingerprint_bits(), 32u);
  EXPECT_EQ(Make({}, 0.01).fingerprint_bits(), 7u);
}

TEST_P(BinaryFuseFilterTest, PlacesEveryNumberOfKeys) {
  RandomHashes random(TestSeed());
  for (size_t n = 100; n < 400'000; n = n * 17 / 10) {
    const std::vector<KeyHash> keys = random.Take(n);
    const BinaryFuseFilter filter = Make(keys, 0.01);
    EXPECT_LE(filter.tries(), 10u) << n;
    ExpectContainsAll(filter, keys);
  }
}

}  // namespace
}  // namespace winnow::amq
