#include "src/rocksdb/remote/stated_rates.h"

#include <gtest/gtest.h>

#include <optional>

#include "src/core/sizing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace stated_rates_test {

PolicyOptions Bits(double bits) {
  PolicyOptions options;
  options.bits_per_key = bits;
  options.level_plan = LevelPlan::kUniform;
  return options;
}

double RateOf(double bits) { return core::RateForBits(bits); }

class StatedRatesTest : public ::testing::Test {
 protected:
  bool May(double rate) const { return !rates_.AskedInsteadOf(rate); }
  double AskedInsteadOf(double rate) const {
    const std::optional<RateRange> asked = rates_.AskedInsteadOf(rate);
    return asked ? asked->usual : 0;
  }

  StatedRates rates_;
};

TEST_F(StatedRatesTest, AreThoseOfAllOptionsThereWere) {
  EXPECT_TRUE(May(RateOf(3))) << "none is known";
  rates_.Add(Bits(10));
  EXPECT_FALSE(May(RateOf(3)));
  rates_.Add(Bits(20));
  EXPECT_TRUE(May(RateOf(10)));
  EXPECT_TRUE(May(RateOf(20)));
  EXPECT_EQ(AskedInsteadOf(RateOf(3)), RateOf(20));
  rates_.Add(Bits(10));
  EXPECT_EQ(AskedInsteadOf(RateOf(3)), RateOf(10)) << "the last ones";
}

TEST_F(StatedRatesTest, MayBeAnyOnceOptionsAskForNone) {
  const PolicyOptions plan;
  PolicyOptions memory;
  memory.level_plan = LevelPlan::kUniform;
  memory.filter_memory = 1 << 20;
  for (const PolicyOptions& options : {plan, memory}) {
    StatedRates rates;
    rates.Add(Bits(10));
    rates.Add(options);
    rates.Add(Bits(10));
    for (const double bits : {1, 3, 10, 30}) EXPECT_FALSE(rates.AskedInsteadOf(RateOf(bits)));
  }
}

// A database has such options before the last step of a rollout.
TEST_F(StatedRatesTest, AreNotThoseOfRocksDBsOwnFilters) {
  PolicyOptions builtin = Bits(3);
  builtin.build = Build::kBloomFilter;
  rates_.Add(builtin);
  rates_.Add(Bits(10));
  EXPECT_FALSE(May(RateOf(3)));
  rates_.Add(builtin);
  EXPECT_EQ(AskedInsteadOf(RateOf(3)), RateOf(10));
}

TEST_F(StatedRatesTest, MayBeAnyWhereThereWereTooMany) {
  for (int again = 0; again < 2; ++again) {
    for (size_t i = 0; i < StatedRates::kMostRanges; ++i) {
      rates_.Add(Bits(5 + static_cast<double>(i) / 10));
    }
  }
  EXPECT_FALSE(May(RateOf(1)));
  rates_.Add(Bits(20));
  for (const double bits : {1, 3, 10, 30}) EXPECT_TRUE(May(RateOf(bits)));
  for (size_t i = 0; i <= StatedRates::kMostRanges; ++i) {
    rates_.Add(Bits(5 + static_cast<double>(i) / 10));
  }
  EXPECT_TRUE(May(RateOf(1)));
}

TEST_F(StatedRatesTest, WithinATenthAreTheSame) {
  rates_.Add(Bits(10));
  const double rate = RateOf(10);
  EXPECT_TRUE(May(1.05 * rate));
  EXPECT_TRUE(May(0.95 * rate));
  EXPECT_FALSE(May(1.2 * rate));
  EXPECT_FALSE(May(0.8 * rate));
}

}  // namespace stated_rates_test
}  // namespace winnow::plugin
