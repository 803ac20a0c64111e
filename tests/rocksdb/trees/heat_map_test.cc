#include "src/rocksdb/trees/heat_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace heat_map_test {

using Record = LookupSamples::Record;
constexpr int kLast = LookupSamples::kLevels - 1;
constexpr uint32_t kAllLevels = (uint32_t{1} << LookupSamples::kLevels) - 1;

Record Absent(double place, float weight = 1) {
  return {static_cast<float>(place), 0, kLast, true, weight};
}

Record FoundAt(double place, int level, uint16_t said_no) {
  return {static_cast<float>(place), said_no, static_cast<int8_t>(level), false, 1};
}

TEST(HeatMapTest, NothingIsKnownOfNothing) {
  EXPECT_EQ(HeatMap().samples(), 0u);
  EXPECT_EQ(HeatMap().Reaching(0, 0, 1), 0);
  EXPECT_EQ(HeatMap({}, 100, kAllLevels).samples(), 0u);
  EXPECT_EQ(HeatMap({Absent(0.5)}, 100, 1).Reaching(3, 0, 1), 0)
      << "a level that was not asked for";
}

TEST(HeatMapTest, AnAbsentKeyReachesAllLevels) {
  const HeatMap heat(std::vector<Record>(1000, Absent(0.5)), 10, kAllLevels);
  for (int level = 0; level < LookupSamples::kLevels; ++level) {
    EXPECT_NEAR(heat.ReachingAll(level), 1000, 100) << level;
  }
}

TEST(HeatMapTest, AKeyThatIsFoundReachesTheLevelsAbove) {
  const HeatMap heat(std::vector<Record>(4000, FoundAt(0.5, 3, 0b110)), 10, kAllLevels);
  for (const int above : {0, 1, 2}) EXPECT_NEAR(heat.ReachingAll(above), 4000, 400) << above;
  for (const int below : {3, 4, kLast}) EXPECT_LT(heat.ReachingAll(below), 400) << below;
}

TEST(HeatMapTest, OnLevel0AnotherFileMaySayNoBeforeOneHasTheKey) {
  const HeatMap heat(std::vector<Record>(4000, FoundAt(0.5, 0, 1)), 10, kAllLevels);
  EXPECT_NEAR(heat.ReachingAll(0), 4000, 400);
  EXPECT_LT(heat.ReachingAll(1), 400);
}

// A filter that rejects half of the absent keys shows half of them; the others look like found
// keys. Filters of the levels above were consulted for all of them.
TEST(HeatMapTest, ANoOfAWeakFilterStandsForMore) {
  std::vector<Record> samples(2000, Absent(0.5, 2));
  for (int i = 0; i < 2000; ++i) samples.push_back(FoundAt(0.5, kLast, 1));
  const HeatMap heat(samples, 10, kAllLevels);
  EXPECT_NEAR(heat.ReachingAll(0), 4000, 100);
  EXPECT_NEAR(heat.ReachingAll(kLast), 4000, 100);
}

TEST(HeatMapTest, EvenLookupsAreTakenForEven) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<Record> samples;
  for (int i = 0; i < 4096; ++i) samples.push_back(Absent(place(random)));
  constexpr int kFiles = 3000;  // about as many as samples
  const HeatMap heat(samples, kFiles, kAllLevels);
  // The ratio of reads with even rates to those with rates by this estimate, at equal memory, is
  // exp(log(mean(estimate)) - mean(log(estimate))).
  double logs = 0;
  double all = 0;
  for (int i = 0; i < kFiles; ++i) {
    const double here = heat.Reaching(kLast, i / double{kFiles}, (i + 1) / double{kFiles});
    logs += std::log(here);
    all += here;
  }
  const double geometric = std::exp(logs / kFiles);
  EXPECT_LT(all / kFiles / geometric, 1.03);
  EXPECT_NEAR(all, 4096, 200);
}

TEST(HeatMapTest, AHotRangeIsSeen) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<Record> samples;
  for (int i = 0; i < 4096; ++i) {
    samples.push_back(Absent(i % 10 == 0 ? place(random) : 0.37 + 0.01 * place(random)));
  }
  const HeatMap heat(samples, 1000, kAllLevels);
  EXPECT_GT(heat.Reaching(kLast, 0.37, 0.38), 0.6 * 0.9 * 4096);
  const double cold = heat.Reaching(kLast, 0.7, 0.71);
  EXPECT_LT(cold, 25);
  EXPECT_GT(cold, HeatMap::kEvenShare * 4096 / 100 / 2) << "a cold range may get warm";
  EXPECT_LT(heat.KeysThatGet(0.6), 0.05);
  EXPECT_GT(heat.KeysThatGet(1), 0.9);
}

// The newest tenth of the keys exists for the last tenth of the samples, and gets half of those.
TEST(HeatMapTest, NewKeysAreNotColdForHavingFewSamples) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<Record> samples;
  for (int i = 0; i < 10'000; ++i) {
    const bool is_new = i >= 9000 && i % 2 == 0;
    samples.push_back(Absent(is_new ? 0.9 + 0.1 * place(random) : 0.9 * place(random)));
  }
  const HeatMap heat(samples, 200, kAllLevels, [](double at) { return at < 0.9 ? 1.0 : 0.1; });
  EXPECT_GT(heat.Reaching(kLast, 0.9, 1) / heat.Reaching(kLast, 0, 0.9), 0.3);
  const HeatMap unaware(samples, 200, kAllLevels);
  EXPECT_LT(unaware.Reaching(kLast, 0.9, 1) / unaware.Reaching(kLast, 0, 0.9), 0.15);
}

TEST(HeatMapTest, PartsAddUp) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<Record> samples;
  for (int i = 0; i < 2000; ++i) samples.push_back(Absent(std::pow(place(random), 3)));
  samples.push_back(Absent(1));
  samples.push_back(Absent(0));
  const HeatMap heat(samples, 50, kAllLevels);
  const double cut = place(random);
  EXPECT_NEAR(heat.Reaching(2, 0, cut) + heat.Reaching(2, cut, 1), heat.ReachingAll(2), 1e-6);
  EXPECT_GE(heat.Reaching(2, cut, cut), 0);
}

}  // namespace heat_map_test
}  // namespace winnow::plugin
