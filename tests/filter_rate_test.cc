#include "src/inspect/filter_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

TEST(AbsentKeysTest, AreDifferentAndHaveTheirHashes) {
  const std::vector<AbsentKeys::Key> keys = AbsentKeys(10'000, 1).Left();
  ASSERT_EQ(keys.size(), 10'000u);
  std::set<std::string> different;
  for (const AbsentKeys::Key& key : keys) {
    different.insert(std::string(key.view()));
    ASSERT_EQ(key.hash, HashKey(key.view()).value);
  }
  EXPECT_EQ(different.size(), 10'000u);
  EXPECT_NE(AbsentKeys(1, 2).Left()[0].hash, keys[0].hash);
  EXPECT_TRUE(AbsentKeys(0, 1).Left().empty());
}

TEST(AbsentKeysTest, AreInNoOrderOfHashes) {
  const std::vector<AbsentKeys::Key> keys = AbsentKeys(1'000, 1).Left();
  const auto low = std::count_if(keys.begin(), keys.begin() + 100,
                                 [](const AbsentKeys::Key& key) { return key.hash >> 63 == 0; });
  EXPECT_GT(low, 25);
  EXPECT_LT(low, 75);
}

TEST(AbsentKeysTest, WhatIsPresentIsLeftOut) {
  AbsentKeys absent(1'000, 7);
  const std::vector<AbsentKeys::Key> before = absent.Left();
  absent.IsPresent(before[3].hash);
  absent.IsPresent(before[3].hash);
  absent.IsPresent(before[999].hash);
  absent.IsPresent(before[5].hash ^ 1);  // shares its beginning with one
  const std::vector<AbsentKeys::Key> after = absent.Left();
  ASSERT_EQ(after.size(), 998u);
  EXPECT_EQ(after[3].hash, before[4].hash);
  EXPECT_EQ(after.back().hash, before[998].hash);
}

struct RateCase {
  uint64_t lookups;
  uint64_t positives;
  double expected_rate;
  RateVerdict verdict;
};

TEST(JudgeRateTest, IsAFaultOnlyFarOutsideOfChance) {
  const RateCase cases[] = {
      {0, 0, 0.01, RateVerdict::kAsExpected},
      {10'000, 0, 0.01, RateVerdict::kAsExpected},
      {10'000, 100, 0.01, RateVerdict::kAsExpected},
      {10'000, 135, 0.01, RateVerdict::kAsExpected},    // 3.5 deviations
      {10'000, 149, 0.01, RateVerdict::kRemark},        // 4.9 deviations
      {10'000, 170, 0.01, RateVerdict::kFault},         // 7 deviations, 1.7 times
      {1'000'000, 14'000, 0.01, RateVerdict::kRemark},  // 40 deviations, and not 1.5 times
      {1'000'000, 15'100, 0.01, RateVerdict::kFault},
      // One positive where one in fifty such files has one: 7 deviations of a normal distribution.
      {10'000, 1, 0.000002, RateVerdict::kAsExpected},
      {10'000, 2, 0.000002, RateVerdict::kAsExpected},
      {10'000, 10, 0.000002, RateVerdict::kFault},
      {10'000, 3, 0, RateVerdict::kFault},
      {10'000, 10'000, 1, RateVerdict::kAsExpected},
      {10'000, 10'000, 0.5, RateVerdict::kFault},
  };
  for (const RateCase& each : cases) {
    const RateSample sample = {each.lookups, each.positives,
                               each.expected_rate * static_cast<double>(each.lookups)};
    EXPECT_EQ(JudgeRate(sample), each.verdict)
        << each.positives << " of " << each.lookups << " at " << each.expected_rate;
  }
}

}  // namespace
}  // namespace winnow::inspect
