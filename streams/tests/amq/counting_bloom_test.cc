#include "winnow/amq/counting_bloom.h"

#include <gtest/gtest.h>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace counting_bloom_test {

using testing::RandomHashes;

TEST(CountingBloom, EstimatesHowOftenAKeyIsThere) {
  CountingBloom filter({1000, 1e-6});
  const KeyHash key = {42};
  for (unsigned count = 1; count <= 20; ++count) {
    EXPECT_EQ(filter.Add(key), count == 1);
    EXPECT_EQ(filter.EstimateCount(key), count < 15 ? count : 15);
  }
  EXPECT_NEAR(filter.saturated_share(),
              filter.probes() / static_cast<double>(filter.num_counters()), 1e-4);
  // Saturated counters stay, and so does the key.
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(filter.Remove(key));
  EXPECT_EQ(filter.EstimateCount(key), 15u);
  EXPECT_TRUE(filter.MayContain(key));
}

TEST(CountingBloom, RefusesToRemoveWhatItDoesNotContain) {
  CountingBloom filter({1000, 0.01});
  for (const KeyHash key : RandomHashes(4).Take(500)) filter.Add(key);
  const double fill = filter.fill_ratio();
  RandomHashes absent(5);
  for (int i = 0; i < 1000; ++i) {
    const KeyHash key = {absent.Next()};
    if (!filter.MayContain(key)) {
      EXPECT_FALSE(filter.Remove(key));
    }
  }
  EXPECT_EQ(filter.fill_ratio(), fill);
  EXPECT_EQ(filter.num_keys(), 500u);
}

}  // namespace counting_bloom_test
}  // namespace winnow::amq
