#include "winnow/amq/counting_bloom.h"

#include <gtest/gtest.h>

#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace counting_bloom_test {

using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

TEST(CountingBloom, WithoutKeysContainsNothing) {
  const CountingBloom filter({0, 0.5});
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
}

TEST(CountingBloom, ContainsWhatWasAdded) {
  testing::ExpectContainsWhatWasAdded<CountingBloom>(
      {0.5, 0.01, 1e-15}, [](CountingBloom* filter, const std::vector<KeyHash>& keys) {
        for (const KeyHash key : keys) ASSERT_TRUE(filter->Remove(key));
        EXPECT_EQ(filter->num_keys(), 0u);
        if (filter->saturated_share() == 0) {
          EXPECT_EQ(filter->fill_ratio(), 0);
        }
      });
}

TEST(CountingBloom, AgreesWithAMultiset) {
  CountingBloom roomy({20'000, 1e-4});
  testing::ExpectAgreesWithAMultiset(
      &roomy, [](CountingBloom* filter, KeyHash key) { return filter->Add(key), true; }, 300'000,
      2000, TestSeed());
  EXPECT_LT(roomy.saturated_share(), 0.05);
  ExpectReportedRate(roomy, 1'000'000, 3);
}

// Saturated counters cause no false negatives.
TEST(CountingBloom, OverloadedTenfoldAgreesWithAMultiset) {
  CountingBloom filter({500, 0.01});
  testing::ExpectAgreesWithAMultiset(
      &filter, [](CountingBloom* f, KeyHash key) { return f->Add(key), true; }, 300'000, 2000,
      TestSeed());
  EXPECT_GT(filter.saturated_share(), 0.3);
}

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
