#include "src/rocksdb/remote/stated_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace stated_rates_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

PolicyOptions Bits(double bits) {
  PolicyOptions options;
  options.bits_per_key = bits;
  return options;
}

// A second after the other, from an hour on.
StatedRates::Time At(int seconds) {
  return StatedRates::Time() + std::chrono::hours(1) + std::chrono::seconds(seconds);
}

// Two policies.
class StatedRatesTest : public ::testing::Test {
 protected:
  StatedRatesTest() {
    rates_.Add(&first_, [this] { return first_; });
    rates_.Add(&second_, [this] { return second_; });
    rates_.Look(At(0));
  }

  std::vector<RateRange> Since(int seconds) { return rates_.Since(At(seconds), At(1000)); }

  PolicyOptions first_ = Bits(10);
  PolicyOptions second_ = Bits(3);
  StatedRates rates_;
};

TEST_F(StatedRatesTest, AreThoseOfAllPoliciesSinceThen) {
  EXPECT_THAT(Since(900), SizeIs(2));
  first_ = Bits(20);
  rates_.Look(At(3));
  EXPECT_THAT(Since(3 + 60), SizeIs(3));
  EXPECT_THAT(Since(3 + 61), SizeIs(2));
  rates_.Forget(&second_, At(4));
  EXPECT_THAT(Since(4 + 60), SizeIs(2));
  EXPECT_THAT(Since(4 + 61), AllOf(SizeIs(1), Each(Field(&RateRange::usual, Lt(0.001)))));
  rates_.Forget(&second_, At(5));
  first_ = Bits(21);
  EXPECT_THAT(rates_.Since(At(900), At(900)), SizeIs(2)) << "nobody looked before";
  rates_.Forget(&first_, At(1000));
  EXPECT_THAT(rates_.Since(At(2000), At(2000)), IsEmpty());
}

TEST_F(StatedRatesTest, MayBeAnyWhereOptionsAskForNone) {
  PolicyOptions learned;
  learned.level_plan = LevelPlan::kLearned;
  PolicyOptions share;
  share.level_plan = LevelPlan::kAuto;
  share.absent_share = 0.5;
  PolicyOptions memory;
  memory.filter_memory = 1 << 20;
  PolicyOptions builtin;
  builtin.build = Build::kBloomFilter;
  int now = 0;
  for (const PolicyOptions& options : {learned, share, memory, builtin}) {
    now += 100;
    second_ = options;
    EXPECT_THAT(rates_.Since(At(now), At(now)), IsEmpty());
    second_ = Bits(10);
    rates_.Look(At(++now));
    EXPECT_THAT(rates_.Since(At(now + 60), At(now + 60)), IsEmpty());
    EXPECT_THAT(rates_.Since(At(now + 61), At(now + 61)), SizeIs(2));
  }
}

TEST_F(StatedRatesTest, MayBeAnyWhereTooManyAreForgotten) {
  for (int i = 1; i <= static_cast<int>(StatedRates::kMaxEnded) + 1; ++i) {
    first_ = Bits(1 + i % 20);
    rates_.Look(At(i));
  }
  EXPECT_THAT(Since(1), IsEmpty());
  EXPECT_THAT(Since(900), SizeIs(2));
}

TEST_F(StatedRatesTest, OfAPlanAreThoseOfSmallAndLargeFiles) {
  second_ = first_;
  first_.level_plan = LevelPlan::kAuto;
  rates_.Look(At(1));
  const std::vector<RateRange> rates = Since(900);
  ASSERT_THAT(rates, SizeIs(2));
  const double usual = rates.front().usual;
  for (const double part : {1e-4, 0.1, 1.0, 7.9}) EXPECT_TRUE(IsOneOf(part * usual, rates)) << part;
  EXPECT_FALSE(IsOneOf(9 * usual, rates));
}

TEST(StatedRates, WithinATenthAreTheSame) {
  const auto one_of = [](double other) {
    return std::vector<RateRange>{{0.3, 0.3, 0.3}, {other, other, other}};
  };
  EXPECT_TRUE(IsOneOf(0.01, {}));
  EXPECT_TRUE(IsOneOf(0.01, one_of(0.0105)));
  EXPECT_TRUE(IsOneOf(0.01, one_of(0.0095)));
  EXPECT_FALSE(IsOneOf(0.01, one_of(0.012)));
  EXPECT_FALSE(IsOneOf(0.01, one_of(0.008)));
}

}  // namespace stated_rates_test
}  // namespace winnow::plugin
