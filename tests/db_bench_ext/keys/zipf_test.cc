// Tests of the distribution and location of drawn ranks.

#include "db_bench_ext/read_amplification/keys/zipf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace winnow::bench {
namespace zipf_test {

// Returns Pearson's chi-squared statistic of draws of n ranks, divided by its degrees of freedom;
// expected to be about 1.
double ChiSquared(uint64_t n, double exponent, uint64_t draws) {
  std::vector<uint64_t> counts(n + 1);
  const ZipfRanks ranks(n, exponent);
  Random random(7);
  for (uint64_t i = 0; i < draws; ++i) ++counts.at(ranks.Draw(&random));
  EXPECT_EQ(counts[0], 0u);
  double sum = 0;
  for (uint64_t r = 1; r <= n; ++r) sum += std::pow(static_cast<double>(r), -exponent);
  double chi_squared = 0;
  for (uint64_t r = 1; r <= n; ++r) {
    const double expected =
        static_cast<double>(draws) * std::pow(static_cast<double>(r), -exponent) / sum;
    const double off = static_cast<double>(counts[r]) - expected;
    chi_squared += off * off / expected;
  }
  return chi_squared / static_cast<double>(n - 1);
}

TEST(ZipfTest, RanksComeAsOftenAsTheirExponentSays) {
  for (const double exponent : {0.0, 0.3, 0.5, 0.8, 0.99, 1.0, 1.01, 1.2, 2.0}) {
    // One run in a million exceeds 1.8 with 99 degrees of freedom.
    EXPECT_LT(ChiSquared(100, exponent, 500'000), 1.8) << exponent;
  }
}

TEST(ZipfTest, ManyRanksStayInRangeAndTheFirstIsAsOftenAsItShould) {
  constexpr uint64_t kRanks = 4'000'000'000;
  for (const double exponent : {0.5, 0.99, 1.0, 1.5, kMaxZipfExponent}) {
    const ZipfRanks ranks(kRanks, exponent);
    Random random(11);
    for (int i = 0; i < 100'000; ++i) {
      const uint64_t rank = ranks.Draw(&random);
      ASSERT_GE(rank, 1u);
      ASSERT_LE(rank, kRanks);
    }
  }
  // The 4·10⁹th harmonic number is 22.687: the first rank has 4.41 % of the draws.
  const ZipfRanks ranks(kRanks, 1.0);
  Random random(13);
  int first = 0;
  for (int i = 0; i < 500'000; ++i) first += ranks.Draw(&random) == 1;
  EXPECT_NEAR(first / 500'000.0, 1 / 22.687, 0.0015);
}

TEST(ZipfTest, OneRankIsAlwaysDrawn) {
  for (const double exponent : {0.0, 0.99, 1.0, 5.0}) {
    Random random(3);
    const ZipfRanks ranks(1, exponent);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(ranks.Draw(&random), 1u) << exponent;
  }
}

}  // namespace zipf_test
}  // namespace winnow::bench
