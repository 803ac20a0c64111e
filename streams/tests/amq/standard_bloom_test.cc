#include "winnow/amq/standard_bloom.h"

#include <gtest/gtest.h>

#include <limits>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace standard_bloom_test {

using testing::ExpectReportedRate;
using testing::RandomHashes;

TEST(StandardBloom, ValuesOutOfRangeAreTheNearestValidOnes) {
  EXPECT_EQ(StandardBloom({10, 7.0}).probes(), StandardBloom({10, 0.5}).probes());
  EXPECT_EQ(StandardBloom({10, std::numeric_limits<double>::quiet_NaN()}).size_bytes(),
            StandardBloom({10, 1e-15}).size_bytes());
}

// Positions that are reduced to the filter's size before they are derived from one another, as in
// many libraries, would have ten times the rate.
TEST(StandardBloom, AThousandKeysAtOneInTenMillionHaveThatRate) {
  constexpr uint64_t kLookups = 200'000'000;
  StandardBloom filter({1000, 1e-7});
  for (const KeyHash key : RandomHashes(5).Take(1000)) filter.Add(key);
  EXPECT_EQ(filter.probes(), 23u);
  // The rate of one filter differs from the mean by its random number of set bits.
  EXPECT_NEAR(filter.expected_fpr(), 1e-7, 0.4e-7);
  ExpectReportedRate(filter, kLookups, 6);
}

}  // namespace standard_bloom_test
}  // namespace winnow::amq
