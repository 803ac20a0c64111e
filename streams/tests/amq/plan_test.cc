#include "streams/amq/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::amq {
namespace plan_test {

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

// Some absent keys have the hash of a present key, whatever the filter is.
TEST(CheckPlan, RefusesRatesBelowThatOfEqualHashes) {
  EXPECT_EQ(CheckPlan({18'000, 1e-15}), "");
  EXPECT_EQ(CheckPlan({1'000'000, 1e-15}),
            "rate is 1e-15, but must be at least 5.46e-14 for a capacity of 1000000: capacity / "
            "2^64 of all absent keys have the hash of a key");
  for (const uint64_t capacity : {20'000ull, 1'000'000ull, 1ull << 32, 1ull << 40}) {
    const double equal = EqualHashRate(capacity);
    EXPECT_NE(CheckPlan({capacity, 0.999 * equal}), "") << capacity;
    EXPECT_EQ(CheckPlan({capacity, 1.002 * equal}), "") << capacity;
    // The rate that the message names is accepted.
    const std::string said = CheckPlan({capacity, std::max(equal / 2, kLowestRate)});
    const size_t at = said.find("at least ");
    ASSERT_NE(at, std::string::npos) << said;
    EXPECT_EQ(CheckPlan({capacity, std::stod(said.substr(at + 9))}), "") << said;
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

// Known figures: 10^6 keys at 1 % take k = 7 and 1.14 MiB; 1,000 keys at 10^-7 take k = 23 and 4.10
// KiB. Published tables have k = 20 and 3.51 KiB for the latter, which is right for 10^-6.
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
    const double own = OwnRate(NearestValid({100'000, rate}));
    EXPECT_LE(BloomRate(100'000, m, shape.probes), own);
    for (unsigned probes = 1; probes <= 64; ++probes) {
      EXPECT_GE(BloomRate(100'000, m * 0.999, probes), own) << probes;
    }
  }
}

// The number of set bits varies considerably in small filters, and its power even more.
TEST(BloomRate, IsTheMeanOfFilters) {
  testing::RandomHashes random(3);
  for (const unsigned probes : {1u, 7u, 30u}) {
    for (const uint64_t keys : {5u, 20u, 60u}) {
      const uint64_t m = keys * probes * 3 / 2;
      double sum = 0;
      double squares = 0;
      constexpr int kFilters = 2000;
      for (int i = 0; i < kFilters; ++i) {
        std::vector<bool> bits(m);
        for (uint64_t j = 0; j < keys * probes; ++j) bits[random.Below(m)] = true;
        const double ones = static_cast<double>(std::count(bits.begin(), bits.end(), true));
        const double of_filter = std::pow(ones / static_cast<double>(m), probes);
        sum += of_filter;
        squares += of_filter * of_filter;
      }
      const double mean = sum / kFilters;
      const double error = std::sqrt((squares / kFilters - mean * mean) / kFilters);
      const double rate = BloomRate(keys, static_cast<double>(m), probes);
      EXPECT_GE(rate, mean - 4 * error) << keys << " keys, " << probes << " bits each";
      EXPECT_LE(rate, 1.2 * mean + 4 * error) << keys << " keys, " << probes << " bits each";
    }
  }
}

TEST(ExpectedFill, IsThatOfThrows) {
  EXPECT_EQ(ExpectedFill(0, 64, 3), 0);
  EXPECT_DOUBLE_EQ(ExpectedFill(1, 2, 1), 0.5);
  EXPECT_DOUBLE_EQ(ExpectedFill(1, 2, 2), 0.75);
}

}  // namespace plan_test
}  // namespace winnow::amq
