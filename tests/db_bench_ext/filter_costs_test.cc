// Tests that small-filters.md is the output of tune_sizes, and that the constants derived from it
// are those in the code.

#include "db_bench_ext/tuning/filter_costs.h"

#include <gtest/gtest.h>

#include <string>

#include "src/core/sizing.h"
#include "tests/support/files.h"
#include "winnow/options.h"

namespace winnow::bench {
namespace {

constexpr double kFractions[] = {0.25, 0.5, 0.75};

TEST(FilterCostsTest, PageIsWhatIsPrinted) {
  const std::string page = testing::ReadFile(WINNOW_SIZES_MD);
  for (const double bits : {5.0, 10.0}) {
    for (const uint64_t n : {1u, 10u, 100u, 1000u, 3000u}) {
      const std::string row = FewKeysRow(bits, n);
      EXPECT_NE(page.find(row), std::string::npos)
          << row << "is not in docs/results/small-filters.md, which tune_sizes prints";
    }
  }
  EXPECT_NE(page.find(CrossoverTable()), std::string::npos);
  EXPECT_NE(page.find(LeastKeysTable()), std::string::npos);
}

// Returns the mean share that Ribbons of n and of the next 63 numbers of keys save, from built
// filters.
double SavedFrom(double bits, uint64_t n) {
  double bloom = 0;
  double ribbon = 0;
  for (uint64_t size = n; size < n + 64; size += 7) {
    bloom += MeanFilterCost(FilterKind::kBloom, bits, size).bytes;
    ribbon += MeanFilterCost(FilterKind::kRibbon, bits, size).bytes;
  }
  return 1 - ribbon / bloom;
}

// The formula that selects the kind matches built filters.
TEST(FilterCostsTest, RibbonsAreChosenWhereTheySaveATenth) {
  for (const double bits : {3.0, 6.0, 8.0, 10.0, 16.0, 20.0}) {
    const uint64_t least = core::KeysWorthARibbon(bits);
    for (const uint64_t n : {least, least + 64, least + 640, 4 * least}) {
      EXPECT_GE(SavedFrom(bits, n), core::kWorthwhileSaving - 0.03) << bits << " bits, " << n;
    }
    if (least > 128) {  // filters with fewer keys are lists of fingerprints
      EXPECT_LE(SavedFrom(bits, least - 64), core::kWorthwhileSaving + 0.03) << bits << " bits";
    }
  }
}

TEST(FilterCostsTest, FewerKeysCostMoreBitsEachAndPassNoMore) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const FilterCost many = MeanFilterCost(kind, 10, 10'000);
    const FilterCost few = MeanFilterCost(kind, 10, 100);
    EXPECT_NEAR(many.bits_per_key, many.bytes * 8 / 10'000, 1e-9);
    EXPECT_GT(few.bits_per_key, many.bits_per_key);
    EXPECT_LT(few.rate, many.rate);
    EXPECT_NEAR(many.rate, core::RateForBits(10), 0.02 * many.rate);
  }
}

TEST(FilterCostsTest, FractionsOfABitCostAtMostOneAndAHalfPerCent) {
  for (const unsigned whole : {1u, 2u, 3u, 6u, 9u, 10u, 15u, 20u, 26u}) {
    for (const double fraction : kFractions) {
      EXPECT_LE(PercentOverLineByBits(whole, fraction), 1.5) << whole + fraction;
    }
  }
}

// Blocks with one more column cannot be mixed in at a lower cost: from 6 columns on, where that is
// less than 1.5 %, all fractions are mixed.
TEST(FilterCostsTest, FractionsOfAColumnCostWhatMixingCosts) {
  for (const unsigned whole : {1u, 3u, 5u, 6u, 7u, 15u}) {
    for (const double fraction : kFractions) {
      const double percent = PercentOverLineByColumns(whole, fraction);
      EXPECT_NEAR(percent, PercentOfMixing(whole, fraction), 0.15) << whole + fraction;
      EXPECT_TRUE(percent <= 1.5 || whole < 6) << whole + fraction << ": " << percent;
    }
  }
}

}  // namespace
}  // namespace winnow::bench
