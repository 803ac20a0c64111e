#include "src/amq/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace winnow::amq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CheckPlan, AcceptsWhatIsInRange) {
  EXPECT_EQ(CheckPlan(Plan{}), "");
  EXPECT_EQ(CheckPlan({0, kLowestRate}), "");
  EXPECT_EQ(CheckPlan({kMostKeys, kHighestRate}), "");
}

TEST(CheckPlan, NamesTheValueAndTheRange) {
  EXPECT_THAT(CheckPlan({kMostKeys + 1, 0.01}),
              AllOf(HasSubstr("capacity"), HasSubstr(std::to_string(kMostKeys + 1)),
                    HasSubstr(std::to_string(kMostKeys))));
  for (const double rate : {0.0, -1.0, 0.51, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(CheckPlan({1, rate}), AllOf(HasSubstr("rate is"), HasSubstr("1e-15 to 0.5")));
  }
}

TEST(NearestValid, IsValid) {
  for (const double rate : {0.0, -1.0, 0.51, 0.01, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    for (const uint64_t capacity : {uint64_t{0}, kMostKeys, UINT64_MAX}) {
      EXPECT_EQ(CheckPlan(NearestValid({capacity, rate})), "") << capacity << " at " << rate;
    }
  }
  EXPECT_EQ(NearestValid({5, 7.0}).rate, kHighestRate);
  EXPECT_EQ(NearestValid({5, 0.0}).rate, kLowestRate);
}

struct ShapeCase {
  uint64_t keys;
  double rate;
  unsigned probes;
  double kibibytes;
};

// Known figures: 10^6 keys at 1 % take k = 7 and 1.14 MiB, 1,000 at 10^-7 k = 23 and 4.10 KiB.
// Published tables have k = 20 and 3.51 KiB for the latter, which is 10^-6.
TEST(ShapeOfBloom, HasTheKnownFigures) {
  for (const ShapeCase& c : {ShapeCase{1'000'000, 0.01, 7, 1.14 * 1024},
                             ShapeCase{1000, 1e-7, 23, 4.10}, ShapeCase{1000, 1e-6, 20, 3.51}}) {
    const BloomShape shape = ShapeOfBloom({c.keys, c.rate});
    EXPECT_EQ(shape.probes, c.probes) << c.keys << " at " << c.rate;
    EXPECT_NEAR(static_cast<double>(shape.bits) / 8192, c.kibibytes, c.kibibytes * 0.005);
  }
}

TEST(ShapeOfBloom, MeetsEveryRateWithTheFewestBits) {
  for (double rate = kHighestRate; rate >= kLowestRate; rate /= 1.37) {
    const BloomShape shape = ShapeOfBloom({100'000, rate});
    const double m = static_cast<double>(shape.bits);
    EXPECT_LE(std::pow(ExpectedFill(100'000, m, shape.probes), shape.probes), rate * 1.0001);
    for (unsigned probes = 1; probes <= 60; ++probes) {
      EXPECT_GE(std::pow(ExpectedFill(100'000, m * 0.999, probes), probes), rate) << probes;
    }
  }
}

TEST(ExpectedFill, IsThatOfThrows) {
  EXPECT_EQ(ExpectedFill(0, 64, 3), 0);
  EXPECT_DOUBLE_EQ(ExpectedFill(1, 2, 1), 0.5);
  EXPECT_DOUBLE_EQ(ExpectedFill(1, 2, 2), 0.75);
}

}  // namespace
}  // namespace winnow::amq
