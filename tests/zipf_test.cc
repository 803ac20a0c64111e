// Draws of ranks, and where they lie.

#include "db_bench_ext/read_amplification/zipf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace winnow::bench {
namespace {

// Pearson's statistic of draws of n ranks, over its degrees of freedom: about 1 if they are as
// likely as they should be.
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
    // Of 99 degrees of freedom, one run in a million is above 1.8.
    EXPECT_LT(ChiSquared(100, exponent, 500'000), 1.8) << exponent;
  }
}

TEST(ZipfTest, TheTestSeesAnotherExponent) {
  std::vector<uint64_t> counts(101);
  const ZipfRanks ranks(100, 0.99);
  Random random(7);
  for (int i = 0; i < 500'000; ++i) ++counts[ranks.Draw(&random)];
  const double ratio = static_cast<double>(counts[1]) / static_cast<double>(counts[10]);
  EXPECT_NEAR(ratio, std::pow(10, 0.99), 0.3);
  EXPECT_GT(std::abs(ratio - std::pow(10, 0.9)), 0.3);
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
  // The harmonic number of 4·10⁹ is 22.687: the first rank has 4.41 % of the draws.
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

TEST(ScatterTest, EveryNumberComesOnce) {
  for (const uint64_t n : {1, 2, 3, 4, 5, 16, 17, 1000, 65'536, 65'537}) {
    const Scatter scatter(n, 42);
    std::vector<bool> seen(n);
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t at = scatter(i);
      ASSERT_LT(at, n);
      ASSERT_FALSE(seen[at]) << n;
      seen[at] = true;
    }
  }
}

TEST(ScatterTest, NeighboursLieFarApartAndSeedsDiffer) {
  constexpr uint64_t kN = 1'000'000;
  const Scatter scatter(kN, 1), other(kN, 2);
  double distance = 0;
  int same = 0;
  for (uint64_t i = 0; i < 10'000; ++i) {
    distance += std::abs(static_cast<double>(scatter(i + 1)) - static_cast<double>(scatter(i)));
    same += scatter(i) == other(i);
  }
  // Two random points of an interval are a third of it apart.
  EXPECT_NEAR(distance / 10'000 / kN, 1.0 / 3, 0.02);
  EXPECT_LT(same, 5);
}

TEST(ScatterTest, LargeRangesNeedNoMemory) {
  constexpr uint64_t kN = uint64_t{1} << 62;
  const Scatter scatter(kN, 5);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_LT(scatter(kN - 1 - i), kN);
}

TEST(ZipfPicksTest, FewNumbersHaveMostPicksAndLieAnywhere) {
  constexpr uint32_t kBelow = 10'000;
  std::vector<uint64_t> counts(kBelow);
  uint64_t low = 0;
  for (const uint32_t pick : ZipfPicks(200'000, kBelow, 0.99, 1)) {
    ++counts.at(pick);
    low += pick < kBelow / 2;
  }
  std::sort(counts.rbegin(), counts.rend());
  const uint64_t hottest = std::accumulate(counts.begin(), counts.begin() + 100, uint64_t{0});
  // By the sums of r^-0.99, the hundred first ranks have 51.8 % of the picks.
  EXPECT_NEAR(static_cast<double>(hottest) / 200'000, 0.518, 0.01);
  EXPECT_NEAR(static_cast<double>(low) / 200'000, 0.5, 0.2);
}

TEST(ZipfPicksTest, TheSameSeedGivesTheSamePicks) {
  EXPECT_EQ(ZipfPicks(1000, 500, 0.8, 3), ZipfPicks(1000, 500, 0.8, 3));
  EXPECT_NE(ZipfPicks(1000, 500, 0.8, 3), ZipfPicks(1000, 500, 0.8, 4));
}

}  // namespace
}  // namespace winnow::bench
