// Tests of confidence intervals with values from textbooks.

#include "src/text/rate_interval.h"

#include <gtest/gtest.h>

namespace winnow::inspect {
namespace rate_interval_test {

TEST(RateIntervalTest, WilsonsIsThatOfTheBooks) {
  struct Case {
    uint64_t count, trials;
    double low, high;
  };
  // R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
  for (const Case& c : {Case{81, 263, 0.2553, 0.3662}, Case{15, 148, 0.0624, 0.1605},
                        Case{0, 20, 0, 0.1611}, Case{1, 29, 0.0061, 0.1718}}) {
    const Interval interval = WilsonInterval(c.count, c.trials);
    EXPECT_NEAR(interval.low, c.low, 0.0001) << c.count;
    EXPECT_NEAR(interval.high, c.high, 0.0001) << c.count;
  }
  EXPECT_EQ(WilsonInterval(7, 7).high, 1);
  EXPECT_EQ(WilsonInterval(0, 0).high, 1) << "nothing is known";
}

TEST(RateIntervalTest, PoissonsIsTheExactOneWithinAPercent) {
  struct Case {
    uint64_t count;
    double low, high;
  };
  // Exact limits of a Poisson count, from chi-squared quantiles.
  for (const Case& c : {Case{0, 0, 3.689}, Case{5, 1.623, 11.668}, Case{10, 4.795, 18.390},
                        Case{100, 81.364, 121.627}}) {
    const Interval interval = PoissonInterval(c.count, 10);
    EXPECT_NEAR(interval.low * 10, c.low, 0.01 * c.low + 0.001) << c.count;
    EXPECT_NEAR(interval.high * 10, c.high, 0.01 * c.high) << c.count;
  }
  EXPECT_EQ(PoissonInterval(0, 0).high, 0);
}

TEST(RateIntervalTest, ARatioIsKnownAsWellAsItsCounts) {
  const std::optional<Interval> few = RatioInterval(20, 40);
  ASSERT_TRUE(few);
  EXPECT_NEAR(few->low, 0.2923, 0.001);
  EXPECT_NEAR(few->high, 0.8552, 0.001);
  const std::optional<Interval> many = RatioInterval(2000, 4000);
  EXPECT_GT(many->low, few->low);
  EXPECT_LT(many->high, few->high);
  EXPECT_FALSE(RatioInterval(0, 5));
  EXPECT_FALSE(RatioInterval(5, 0));
}

}  // namespace rate_interval_test
}  // namespace winnow::inspect
