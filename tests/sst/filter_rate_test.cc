#include "src/sst/filter_rate.h"

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/sst/builtin_filters.h"
#include "src/sst/filter_prober.h"
#include "src/sst/sst_filters.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace filter_rate_test {

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
  absent.IsPresent(before[5].hash ^ 1);  // has the same prefix
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
      {1'000'000, 14'000, 0.01, RateVerdict::kRemark},  // 40 deviations, but not 1.5 times
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
    EXPECT_EQ(JudgeRate(sample, 1), each.verdict)
        << each.positives << " of " << each.lookups << " at " << each.expected_rate;
  }
}

TEST(JudgeRateTest, ManyFiltersMustBeFurtherOutside) {
  const RateSample sample = {10'000, 150, 100, 0};  // 4.6 deviations
  EXPECT_EQ(JudgeRate(sample, 1), RateVerdict::kRemark);
  EXPECT_EQ(JudgeRate(sample, 1'000), RateVerdict::kAsExpected);
  const RateSample bad = {10'000, 200, 100, 0};
  EXPECT_EQ(JudgeRate(bad, 1), RateVerdict::kFault);
  EXPECT_EQ(JudgeRate(bad, 1'000'000), RateVerdict::kFault);
}

TEST(JudgeRateTest, FiltersThatDifferMayMissMore) {
  EXPECT_EQ(JudgeRate({10'000, 180, 100, 0}, 1), RateVerdict::kFault);
  EXPECT_EQ(JudgeRate({10'000, 180, 100, 20 * 20}, 1), RateVerdict::kAsExpected);
  EXPECT_EQ(JudgeRate({10'000, 240, 100, 20 * 20}, 1), RateVerdict::kRemark);
  // If the mean is 3 and has variance 3, the count is negative binomial with shape 3 and p = 1/2,
  // whose tail is a rational sum.
  double at_least_22 = 1, at_least_23 = 1;
  for (int k = 0; k < 23; ++k) {
    const double chance = (k + 1) * (k + 2) / 2.0 * std::pow(0.5, k + 3);
    at_least_22 -= k < 22 ? chance : 0;
    at_least_23 -= chance;
  }
  constexpr double kFourDeviations = 3.167124e-5;
  ASSERT_GT(at_least_22, kFourDeviations / 2);
  ASSERT_LT(at_least_23, kFourDeviations / 2);
  EXPECT_EQ(JudgeRate({1'000, 22, 3, 3}, 2), RateVerdict::kAsExpected);
  EXPECT_EQ(JudgeRate({1'000, 23, 3, 3}, 2), RateVerdict::kRemark);
}

// RocksDB's own filters of random keys.
class ManyFilters {
 public:
  ManyFilters(const char* policy, uint64_t seed)
      : policy_(testing::MakePolicyFrom(policy)), random_(seed) {
    for (uint64_t i = 0; i < 32; ++i) {
      absent_.push_back(AbsentKeys(kLookups, random_()).Left());
    }
  }

  // Builds a filter of `keys` keys and looks up absent keys. The expected rate is that of
  // `promised` keys in such a filter.
  RateSample Next(uint64_t keys, uint64_t promised) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.format_version = 5;
    const ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(context));
    for (uint64_t i = 0; i < keys; ++i) {
      const uint64_t words[2] = {random_(), random_()};
      builder->AddKey({reinterpret_cast<const char*>(words), sizeof(words)});
    }
    std::unique_ptr<const char[]> buffer;
    const std::string block = builder->Finish(&buffer).ToString();
    const FilterSummary summary = ClassifyBlock(block, promised);
    EXPECT_TRUE(summary.fault == std::nullopt && summary.expected_fpr);
    const std::vector<AbsentKeys::Key>& keys_asked = absent_[random_() % absent_.size()];
    std::vector<AskedKey> asked;
    for (const AbsentKeys::Key& key : keys_asked) {
      asked.push_back({key.view(), key.hash});
    }
    const auto answers = std::make_unique<bool[]>(asked.size());
    FilterProber(block).MayContain(asked.data(), asked.size(), answers.get());
    const double lookups = static_cast<double>(asked.size());
    RateSample sample;
    sample.lookups = asked.size();
    sample.positives =
        static_cast<uint64_t>(std::count(answers.get(), answers.get() + asked.size(), true));
    sample.expected_positives = lookups * *summary.expected_fpr;
    sample.variance_of_expected =
        lookups * lookups *
        VarianceOfBloomRate(promised, *summary.parameters->blocks, *summary.parameters->block_bits,
                            *summary.parameters->probes);
    return sample;
  }

 private:
  static constexpr uint64_t kLookups = 10'000;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  std::mt19937_64 random_;
  std::vector<std::vector<AbsentKeys::Key>> absent_;
};

// 10,000 files of level 0 as written by RocksDB: small, so that their individual rates vary.
TEST(JudgeRateTest, TenThousandGoodFiltersAreGoodAndABadOneAmongThemIsFound) {
  constexpr uint64_t kFilters = 10'000;
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  ManyFilters filters("bloomfilter:10", seed);
  std::mt19937_64 random(seed);
  uint64_t by_themselves = 0, together = 0;
  double squares = 0;  // squared deviations, in standard deviations
  for (uint64_t i = 0; i < kFilters; ++i) {
    const uint64_t keys = 150 + random() % 500;
    RateSample sample = filters.Next(keys, keys);
    const double miss = static_cast<double>(sample.positives) - sample.expected_positives;
    squares += miss * miss / (sample.expected_positives + sample.variance_of_expected);
    together += JudgeRate(sample, kFilters) != RateVerdict::kAsExpected ? 1 : 0;
    sample.variance_of_expected = 0;
    by_themselves += JudgeRate(sample, 1) != RateVerdict::kAsExpected ? 1 : 0;
  }
  // The probability of a remark, 3 in 100,000 runs, cannot be measured, but the properties behind
  // it can.
  EXPECT_EQ(together, 0u);
  EXPECT_GE(by_themselves, 3u) << "the filters are all alike, so that nothing was shown";
  EXPECT_GT(squares / kFilters, 0.75);
  EXPECT_LT(squares / kFilters, 1.25);
  // Overfull filters, with more than twice the expected rate.
  for (int i = 0; i < 100; ++i) {
    const RateSample bad = filters.Next(600, 350);
    EXPECT_EQ(JudgeRate(bad, kFilters), RateVerdict::kFault)
        << bad.positives << " of " << bad.expected_positives;
  }
}

}  // namespace filter_rate_test
}  // namespace winnow::inspect
