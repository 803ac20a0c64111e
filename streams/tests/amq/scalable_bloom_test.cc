#include "winnow/amq/scalable_bloom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "streams/tests/amq/filter_testing.h"
#include "tests/support/decimal_comma.h"

namespace winnow::amq {
namespace scalable_bloom_test {

using testing::ExpectContainsAll;
using testing::FalsePositives;
using ::testing::HasSubstr;
using testing::RandomHashes;

ScalableOptions Of(double rate, uint64_t first_capacity) {
  ScalableOptions options;
  options.rate = rate;
  options.first_capacity = first_capacity;
  return options;
}

TEST(ScalableBloom, BeginsAFilterWhenTheNewestIsHalfFull) {
  ScalableBloom filter(Of(0.01, 1000));
  RandomHashes keys(5);
  size_t filters = 1;
  for (int i = 0; i < 100'000; ++i) {
    const double before = filter.newest_fill_ratio();
    if (!filter.Add({keys.Next()})) continue;
    if (filter.filters().size() > filters) {
      ++filters;
      EXPECT_GT(before, 0.5);
      EXPECT_LT(before, 0.503);
    } else {
      ASSERT_LE(before, 0.5);
    }
  }
  // 1000 (2^i - 1) keys fill i filters.
  EXPECT_EQ(filters, 7u);
  for (size_t i = 0; i + 1 < filters; ++i) {
    EXPECT_NEAR(static_cast<double>(filter.filters()[i].num_added()),
                1000 * std::pow(2, static_cast<double>(i)),
                40 * std::pow(2, static_cast<double>(i)));
  }
}

TEST(ScalableBloom, TakesAtMostTwiceAndAThirdOfAWellSizedOne) {
  ScalableBloom filter(Of(0.01, 1000));
  for (const KeyHash key : RandomHashes(6).Take(1'000'000)) filter.Add(key);
  const double bits = static_cast<double>(filter.size_bytes()) * 8;
  EXPECT_LE(bits / (1e6 * std::log2(100) / std::log(2)), 2.3);
}

TEST(ScalableBloom, ClearForgetsAndKeepsTheFirstFilter) {
  ScalableBloom filter(Of(0.01, 10));
  const size_t bytes = filter.size_bytes();
  for (const KeyHash key : RandomHashes(7).Take(1000)) filter.Add(key);
  filter.Clear();
  EXPECT_EQ(filter.size_bytes(), bytes);
  EXPECT_EQ(filter.num_added(), 0u);
  EXPECT_EQ(FalsePositives(filter, 10'000, 8), 0u);
  const std::vector<KeyHash> keys = RandomHashes(9).Take(1000);
  for (const KeyHash key : keys) filter.Add(key);
  ExpectContainsAll(filter, keys);
}

TEST(CheckScalableOptions, NamesTheOptionTheValueAndTheRange) {
  EXPECT_EQ(CheckOptions(ScalableOptions{}), "");
  ScalableOptions options;
  options.rate = 0;
  EXPECT_EQ(CheckOptions(options), "rate is 0, but must be from 1e-15 to 0.5");
  options = {};
  options.first_capacity = 0;
  EXPECT_THAT(CheckOptions(options), HasSubstr("first_capacity is 0, but must be from 1"));
  options = {};
  options.growth = 1;
  EXPECT_EQ(CheckOptions(options), "growth is 1, but must be from 1.5 to 8");
  options = {};
  options.tightening = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(CheckOptions(options), "tightening is nan, but must be from 0.5 to 0.95");
}

TEST(CheckScalableOptions, SaysNumbersWithAPointInEveryLocale) {
  const testing::DecimalComma comma;
  ScalableOptions options;
  options.growth = 1;
  EXPECT_EQ(CheckOptions(options), "growth is 1, but must be from 1.5 to 8");
  EXPECT_THAT(CheckPlan(Plan{uint64_t{1} << 60, 0.01}),
              HasSubstr("capacity is 1152921504606846976, but must be at most "));
}

TEST(CheckScalableOptions, ValuesOutOfRangeAreTheNearestValidOnes) {
  ScalableOptions wrong;
  wrong.rate = wrong.growth = wrong.tightening = std::numeric_limits<double>::quiet_NaN();
  wrong.first_capacity = 0;
  ScalableBloom filter(wrong);
  const std::vector<KeyHash> keys = RandomHashes(10).Take(1000);
  for (const KeyHash key : keys) filter.Add(key);
  ExpectContainsAll(filter, keys);
  EXPECT_EQ(filter.planned_fpr(), kLowestRate);
}

}  // namespace scalable_bloom_test
}  // namespace winnow::amq
