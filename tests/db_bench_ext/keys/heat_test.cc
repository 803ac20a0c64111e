// Tests of the shares of key ranges, and of draws by them.

#include "db_bench_ext/read_amplification/keys/heat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace winnow::bench {
namespace heat_test {

using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::Gt;
using ::testing::HasSubstr;

constexpr uint64_t kEnd = uint64_t{1} << 62;

TEST(HeatTest, SharesAreMadeToSumToOne) {
  EXPECT_THAT(HotShares(5, 2, 0.6), ElementsAreArray({0.1, 0.1, 0.6, 0.1, 0.1}));
  for (const auto& shares : {FlatShares(), MixgraphShares(), ZipfShares(1000, 0.99, 1),
                             HotShares(10, 3, 0.9), std::vector<double>{3, 0, 1}}) {
    const Heat heat(shares, kEnd);
    ASSERT_EQ(heat.ranges(), shares.size());
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (size_t i = 0; i < shares.size(); ++i) {
      EXPECT_NEAR(heat.share(i), shares[i] / sum, 1e-12) << i << " of " << shares.size();
    }
  }
}

// Expected values were computed independently, with the algorithm in RocksDB's
// tools/db_bench_tool.cc.
TEST(HeatTest, MixgraphHasTheRangesOfDbBench) {
  EXPECT_THAT(MixgraphShares(), ElementsAreArray({1, 2, 3, 1, 1, 1, 1, 7,  2, 10, 1, 5, 4, 3,  6, 5,
                                                  8, 2, 4, 3, 5, 1, 1, 38, 3, 2,  2, 6, 1, 538}));
}

TEST(HeatTest, ZipfSharesFallWithTheRankAndAreShuffled) {
  std::vector<double> shares = ZipfShares(1000, 0.99, 1);
  EXPECT_NE(shares, ZipfShares(1000, 0.99, 2));
  EXPECT_EQ(shares, ZipfShares(1000, 0.99, 1));
  EXPECT_FALSE(std::is_sorted(shares.rbegin(), shares.rend()));
  std::sort(shares.rbegin(), shares.rend());
  EXPECT_NEAR(shares[0] / shares[99], std::pow(100, 0.99), 1e-9);
  EXPECT_NEAR(shares[0] / shares[999], std::pow(1000, 0.99), 1e-9);
}

TEST(HeatTest, ShuffledNumbersAreAPermutation) {
  for (const uint64_t seed : {1, 2, 3}) {
    std::vector<size_t> order = Shuffled(1000, seed);
    std::vector<size_t> sorted(1000);
    std::iota(sorted.begin(), sorted.end(), size_t{0});
    EXPECT_NE(order, sorted);
    EXPECT_EQ(order, Shuffled(1000, seed));
    EXPECT_NE(order, Shuffled(1000, seed + 1));
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, sorted);
  }
}

// Returns Pearson's chi-squared statistic of drawn ranges, divided by its degrees of freedom;
// expected to be about 1.
double ChiSquared(const Heat& heat, uint64_t seed) {
  constexpr int kDraws = 500'000;
  std::vector<int> counts(heat.ranges());
  Random random(seed);
  for (int i = 0; i < kDraws; ++i) ++counts.at(heat.DrawRange(&random));
  double sum = 0;
  for (size_t i = 0; i < heat.ranges(); ++i) {
    const double expected = kDraws * heat.share(i);
    sum += std::pow(counts[i] - expected, 2) / expected;
  }
  return sum / static_cast<double>(heat.ranges() - 1);
}

TEST(HeatTest, RangesAreDrawnAsOftenAsTheirSharesSay) {
  for (const uint64_t seed : {1, 2}) {
    // One run in a million exceeds 2.7 with 29 degrees of freedom.
    EXPECT_LT(ChiSquared(Heat(MixgraphShares(), kEnd), seed), 2.7) << seed;
    EXPECT_LT(ChiSquared(Heat(ZipfShares(1000, 0.99, 1), kEnd), seed), 1.3) << seed;
  }
  const Heat some_without({0, 1, 0, 1, 0}, kEnd);
  Random random(3);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(some_without.DrawRange(&random) % 2, 1u);
}

TEST(HeatTest, TheShareBelowANumberIsThatOfTheRangesBefore) {
  const Heat heat({1, 2, 1}, 1000);  // 333, 333 and 334 numbers
  EXPECT_EQ(heat.ShareBelow(0), 0);
  EXPECT_NEAR(heat.ShareBelow(111), 0.25 / 3, 1e-12);
  EXPECT_NEAR(heat.ShareBelow(333), 0.25, 1e-12);
  EXPECT_NEAR(heat.ShareBelow(666), 0.75, 1e-12);
  EXPECT_NEAR(heat.ShareBelow(833), 0.875, 1e-12);
  EXPECT_EQ(heat.ShareBelow(1000), 1);
  EXPECT_EQ(heat.ShareBelow(5000), 1);
}

// Checks the models at all times, with few and many numbers.
TEST(HeatTest, ModelsHaveTheirHeatOfAnyNumberOfKeys) {
  for (const HeatModel& model : HeatModels()) {
    EXPECT_EQ(FindHeatModel(model.name), &model);
    EXPECT_THAT(HeatHelp(), HasSubstr(model.name + ": "));
    for (const uint64_t end : {uint64_t{1000}, kEnd}) {
      for (const double done : {0.0, 0.3, 1.0}) {
        const Heat heat = model.at(done, end);
        EXPECT_EQ(heat.ranges(), model.at(0, end).ranges()) << model.name;
        Random random(7);
        for (int i = 0; i < 1000; ++i) {
          ASSERT_LT(heat.DrawIn(heat.DrawRange(&random), &random), end) << model.name;
        }
      }
    }
  }
  EXPECT_NEAR(FindHeatModel("mixgraph")->at(0.7, 3000).ShareBelow(2900), 129 / 667.0, 1e-9);
  EXPECT_NEAR(FindHeatModel("newest")->at(0.5, 1000).ShareBelow(459), 0.2, 0.01);
  EXPECT_EQ(FindHeatModel("newest")->at(0.5, 1000).ShareBelow(510), 1);
  EXPECT_EQ(FindHeatModel("Mixgraph"), nullptr);
}

TEST(HeatTest, NumbersOfARangeLieInItAndFillIt) {
  const Heat heat({1, 2, 1}, 1000);  // 333, 333 and 334 numbers
  for (size_t range = 0; range < 3; ++range) {
    std::vector<int> counts(1000);
    Random random(5);
    for (int i = 0; i < 100'000; ++i) ++counts.at(heat.DrawIn(range, &random));
    const auto first = counts.begin() + static_cast<int>(range) * 333;
    const auto last = range == 2 ? counts.end() : first + 333;
    EXPECT_THAT(std::vector<int>(first, last), Each(Gt(0))) << range;
    EXPECT_EQ(std::accumulate(first, last, 0), 100'000) << range;
    for (auto count = first; count != last; ++count) {
      ASSERT_EQ(heat.RangeOf(static_cast<uint64_t>(count - counts.begin())), range);
    }
  }
  EXPECT_EQ(heat.RangeOf(5000), 2u);
}

}  // namespace heat_test
}  // namespace winnow::bench
