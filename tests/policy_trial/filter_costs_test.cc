// Tests of predicted filter sizes and rates, compared with built filters.

#include "src/policy_trial/filter_costs.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "src/policy_trial/learned_trial.h"
#include "src/sst/filter_prober.h"
#include "src/sst/sst_filters.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace filter_costs_test {

TreePlace LastLevel() {
  TreePlace place;
  place.level = place.depth = 3;
  place.base = 1;
  place.bottommost = true;
  return place;
}

double MeasuredRate(const std::string& block) {
  constexpr uint64_t kLookups = 100'000;
  FilterProber prober(block);
  uint64_t positives = 0;
  for (uint64_t i = 0; i < kLookups; ++i) {
    const uint64_t key = ~i;
    const std::string_view bytes(reinterpret_cast<const char*>(&key), sizeof(key));
    const AskedKey asked = {bytes, HashKey(bytes).value};
    bool answer = false;
    prober.MayContain(&asked, 1, &answer);
    positives += answer ? 1 : 0;
  }
  return static_cast<double>(positives) / kLookups;
}

std::string TextOf(const std::string& maker, double bits) {
  const std::string number = std::to_string(bits);
  return maker == "winnow" ? "{id=winnow;bits_per_key=" + number + ";level_plan=uniform}"
                           : maker + ":" + number + (maker == "ribbonfilter" ? ":-1" : "");
}

FilterCost CostOf(const std::string& policy, const TreeShape& shape, double keys) {
  const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policy);
  BuiltFilters built;
  return winnow ? CostOfWinnow(*winnow, shape, LastLevel(), winnow->bits_per_key, keys)
                : built.CostOf(policy, shape, LastLevel(), keys);
}

TEST(FilterCostsTest, AreThoseOfFiltersThatAreBuilt) {
  for (const std::string maker : {"bloomfilter", "ribbonfilter", "winnow"}) {
    for (const double bits : {4.0, 7.0, 10.0, 13.5, 20.0}) {
      for (const uint64_t keys : {5'000u, 20'000u, 61'234u, 300'000u, 1'000'000u}) {
        const std::string policy = TextOf(maker, bits);
        SCOPED_TRACE(policy + " " + std::to_string(keys));
        const std::string block = TrialBlock(policy, TreeShape(), LastLevel(), keys);
        const FilterCost cost = CostOf(policy, TreeShape(), static_cast<double>(keys));
        EXPECT_NEAR(cost.bytes / static_cast<double>(block.size()), 1, 0.015);
        if (bits <= 10) {
          EXPECT_NEAR(MeasuredRate(block) / cost.rate, 1, 0.15);
        }
      }
    }
  }
}

// The rate of a small filter is a matter of chance, and so is the size of a Ribbon's last block.
// RocksDB's rounding depends on the format of the tables and on its version, which has another
// default for optimize_filters_for_memory since 9.0. With that option, RocksDB's builders use all
// memory that malloc returns, up to 16 bytes more depending on the heap: too much in a small
// filter.
TEST(FilterCostsTest, KnowTheRoundingOfSmallFilters) {
  for (const auto& [format, for_memory] :
       {std::pair(5, false), std::pair(5, true), std::pair(4, false)}) {
    for (const std::string maker : {"bloomfilter", "ribbonfilter", "winnow"}) {
      for (const double bits : {6.0, 10.0}) {
        for (const uint64_t keys : {30u, 45u, 100u, 265u, 529u, 700u, 2'000u, 40'000u}) {
          if (for_memory && maker != "winnow" && keys < 2'000) continue;
          const std::string policy = TextOf(maker, bits);
          SCOPED_TRACE(policy + " " + std::to_string(keys) + " keys, format " +
                       std::to_string(format) + (for_memory ? ", for memory" : ""));
          TreeShape shape;
          shape.table_format = format;
          shape.filters_for_memory = for_memory;
          const std::string block = TrialBlock(policy, shape, LastLevel(), keys);
          const FilterCost cost = CostOf(policy, shape, static_cast<double>(keys));
          EXPECT_NEAR(cost.bytes / static_cast<double>(block.size()), 1, 0.08);
          const FilterSummary summary = ClassifyBlock(block, keys);
          ASSERT_TRUE(summary.expected_fpr);
          EXPECT_NEAR(cost.rate / *summary.expected_fpr, 1, 0.05);
        }
      }
    }
  }
}

TEST(FilterCostsTest, WithoutAFilterAllPass) {
  BuiltFilters built;
  for (const FilterCost& cost : {built.CostOf("nullptr", TreeShape(), LastLevel(), 1'000),
                                 built.CostOf("bloomfilter:10", TreeShape(), LastLevel(), 0),
                                 CostOfWinnow(PolicyOptions(), TreeShape(), LastLevel(), 0, 1'000),
                                 CostOfWinnow(PolicyOptions(), TreeShape(), LastLevel(), 10, 0)}) {
    EXPECT_EQ(cost.bytes, 0);
    EXPECT_EQ(cost.rate, 1);
  }
}

TEST(FilterCostsTest, OptionsOfThePolicyCount) {
  const auto cost = [](const char* policy) { return CostOf(policy, TreeShape(), 100'000); };
  EXPECT_GT(cost("{id=winnow;bits_per_key=10;bloom_before_level=100}").bytes,
            1.3 * cost("winnow:10").bytes);
}

}  // namespace filter_costs_test
}  // namespace winnow::inspect
