// Tests of the writes and lookups of heat scenarios.

#include "db_bench_ext/tuning/heat_scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace winnow::bench {
namespace heat_scenarios_test {

constexpr uint64_t kKeys = 20'000;
constexpr uint64_t kEnd = uint64_t{1} << 62;

const HeatScenario& Named(const std::string& name) {
  for (const HeatScenario& scenario : HeatScenarios()) {
    if (scenario.name == name) return scenario;
  }
  throw std::invalid_argument(name);
}

// Returns the share of lookups in the range.
double ShareIn(const std::vector<AskedKey>& lookups, double first, double last) {
  const auto is_in = [&](const AskedKey& key) {
    const auto at = static_cast<double>(key.number) / static_cast<double>(kEnd);
    return first <= at && at < last;
  };
  return static_cast<double>(std::count_if(lookups.begin(), lookups.end(), is_in)) /
         static_cast<double>(lookups.size());
}

std::vector<AskedKey> SampleAt(HeatWorkload* work, double done) {
  while (static_cast<double>(work->written()) < done * static_cast<double>(work->writes())) {
    work->NextWrite();
  }
  return work->SampleLookups(50'000, 1);
}

TEST(HeatScenariosTest, FoundKeysWereWrittenAndAbsentOnesWereNot) {
  for (const HeatScenario& scenario : HeatScenarios()) {
    for (const uint64_t seed : {1, 2}) {
      HeatWorkload work(scenario, kKeys, seed);
      std::unordered_set<uint64_t> written;
      uint64_t present = 0;
      while (work.written() < work.writes()) {
        written.insert(work.NextWrite());
        const AskedKey key = work.NextLookup();
        ASSERT_EQ(key.number % 2, key.present ? 0 : 1) << "it could be written later";
        ASSERT_EQ(written.count(key.number) == 1, key.present) << scenario.name << " seed " << seed;
        present += key.present;
      }
      EXPECT_EQ(written.size(), kKeys) << scenario.name;
      // Ranges without written keys have no present keys.
      EXPECT_NEAR(static_cast<double>(present) / static_cast<double>(work.writes()),
                  scenario.found_share, 0.01)
          << scenario.name << " seed " << seed;
    }
  }
}

TEST(HeatScenariosTest, TheSeedDecidesAndLookupsDoNotChangeWrites) {
  for (const HeatScenario& scenario : HeatScenarios()) {
    HeatWorkload one(scenario, 1000, 1);
    HeatWorkload same(scenario, 1000, 1);
    HeatWorkload other(scenario, 1000, 2);
    int differ = 0;
    while (one.written() < one.writes()) {
      one.NextLookup();
      const uint64_t number = one.NextWrite();
      ASSERT_EQ(number, same.NextWrite()) << scenario.name;
      differ += number != other.NextWrite();
    }
    EXPECT_GT(differ, 900) << scenario.name;
  }
}

TEST(HeatScenariosTest, TheHottestMixgraphRangeHasFourFifthsOfTheLookups) {
  HeatWorkload work(Named("mixgraph"), kKeys, 1);
  EXPECT_NEAR(ShareIn(SampleAt(&work, 1), 29 / 30.0, 1), 538 / 667.0, 0.01);
}

TEST(HeatScenariosTest, TheHotTenthMovesSixTimes) {
  HeatWorkload work(Named("moving"), kKeys, 1);
  std::vector<int> hot;
  for (int step = 0; step <= 100; ++step) {
    const std::vector<AskedKey> lookups = SampleAt(&work, step / 100.0);
    int hottest = 0;
    for (int tenth = 0; tenth < 10; ++tenth) {
      const double share = ShareIn(lookups, tenth / 10.0, (tenth + 1) / 10.0);
      if (share > 0.5) {
        hottest = tenth;
        EXPECT_NEAR(share, 0.9, 0.01);
      }
    }
    if (hot.empty() || hot.back() != hottest) hot.push_back(hottest);
  }
  EXPECT_EQ(hot.size(), 7u);
  std::sort(hot.begin(), hot.end());
  EXPECT_EQ(std::unique(hot.begin(), hot.end()), hot.end()) << "it comes back";
}

TEST(HeatScenariosTest, HeatTurnsFlatWhenTheTreeIsOverwritten) {
  HeatWorkload work(Named("then_flat"), kKeys, 1);
  EXPECT_GT(ShareIn(SampleAt(&work, 0.49), 29 / 30.0, 1), 0.7);
  EXPECT_NEAR(ShareIn(SampleAt(&work, 0.51), 29 / 30.0, 1), 1 / 30.0, 0.01);
}

TEST(HeatScenariosTest, SkewedWritesOverwriteAsLookupsAsk) {
  HeatWorkload work(Named("skewed"), kKeys, 1);
  uint64_t hot[2] = {0, 0};
  while (work.written() < work.writes()) {
    const bool overwrites = work.written() >= kKeys;
    hot[overwrites] += work.NextWrite() >= kEnd / 30 * 29;
  }
  EXPECT_NEAR(static_cast<double>(hot[0]) / kKeys, 1 / 30.0, 0.01);
  EXPECT_NEAR(static_cast<double>(hot[1]) / kKeys, 538 / 667.0, 0.01);
}

TEST(HeatScenariosTest, TimeAscendsWithALittleDisorderAndIsAskedAtItsEnd) {
  HeatWorkload work(Named("time_series"), kKeys, 1);
  ASSERT_EQ(work.writes(), kKeys);
  uint64_t newest = 0;
  uint64_t late = 0;
  while (work.written() < work.writes()) {
    const uint64_t number = work.NextWrite();
    late += number < newest;
    newest = std::max(newest, number);
    ASSERT_LE(newest - number, kEnd / 50);
    if (work.written() != kKeys / 2) continue;
    const double end = static_cast<double>(newest) / static_cast<double>(kEnd);
    EXPECT_NEAR(end, 0.51, 0.01);
    EXPECT_NEAR(ShareIn(work.SampleLookups(50'000, 1), 0.9 * end, 1), 0.8, 0.02);
  }
  EXPECT_GT(late, kKeys / 2);
}

TEST(HeatScenariosTest, EachTenantHasAHotTwentiethAndAPrefix) {
  const HeatScenario scenario = TenantScenario(4);
  const HeatWorkload work(scenario, kKeys, 1);
  const std::vector<AskedKey> lookups = work.SampleLookups(50'000, 1);
  const LevelPrefixes prefixes = LevelPrefixes::OfTenants(4, 62);
  EXPECT_EQ(prefixes.size(), 62u);
  for (uint64_t tenant = 0; tenant < 4; ++tenant) {
    const double begin = static_cast<double>(tenant) / 4;
    EXPECT_NEAR(ShareIn(lookups, begin + 7 / 80.0, begin + 8 / 80.0), 0.225, 0.02) << tenant;
    const std::string& prefix = prefixes.Of(kEnd / 4 * tenant);
    EXPECT_EQ(prefix.size(), 62u);
    EXPECT_EQ(prefix, prefixes.Of(kEnd / 4 * (tenant + 1) - 1));
    EXPECT_TRUE(tenant == 0 || prefixes.Of(kEnd / 4 * tenant - 1) < prefix);
  }
}

}  // namespace heat_scenarios_test
}  // namespace winnow::bench
