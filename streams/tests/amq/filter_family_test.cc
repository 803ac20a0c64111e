// Tests that the comparison of filter kinds measures correctly, and that the page shows the
// measurements.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "streams/filter_family/family.h"
#include "streams/filter_family/page.h"
#include "streams/filter_family/published.h"
#include "winnow/amq/sizes.h"

namespace winnow::bench {
namespace {

FamilyOptions SmallOptions() {
  FamilyOptions options;
  options.keys = 5000;
  options.rates = {0.1, 0.01, 0.00001};
  options.most_lookups = 200'000;
  options.repetitions = 1;
  return options;
}

const std::vector<FamilyRow>& SmallFamily() {
  static const std::vector<FamilyRow> rows = MeasureFamily(SmallOptions(), [](const FamilyRow&) {});
  return rows;
}

const FamilyRow& Row(const std::string& kind, double rate) {
  const auto found =
      std::find_if(SmallFamily().begin(), SmallFamily().end(),
                   [&](const FamilyRow& row) { return row.kind == kind && row.rate == rate; });
  EXPECT_NE(found, SmallFamily().end()) << kind << " at " << rate;
  return *found;
}

TEST(FilterFamily, NoKindIsBelowTheBoundOrAboveItsRate) {
  size_t measured = 0;
  for (const FamilyRow& row : SmallFamily()) {
    if (!row.measured) continue;
    ++measured;
    const Measured& m = *row.measured;
    EXPECT_GT(m.bits_per_key, -std::log2(m.expected_rate)) << row.kind << " at " << row.rate;
    EXPECT_LT(m.expected_rate, 1.1 * row.rate) << row.kind;
    EXPECT_EQ(m.lookups,
              std::min<uint64_t>(200'000, static_cast<uint64_t>(std::ceil(1e4 / row.rate))));
    const double expected = m.expected_rate * static_cast<double>(m.lookups);
    EXPECT_NEAR(static_cast<double>(m.passed), expected, 4 * std::sqrt(expected) + 1) << row.kind;
    EXPECT_GT(m.build_ns, 0);
    EXPECT_GT(m.absent_ns, 0);
    EXPECT_GT(m.present_ns, 0);
  }
  // Two kinds of the core are added, one of which does not support the lowest rate.
  EXPECT_EQ(measured, (amq::SizesFor({}).size() + 2) * SmallOptions().rates.size() - 1);
}

TEST(FilterFamily, FormulasAreThoseOfTheField) {
  EXPECT_NEAR(Row("bound", 0.01).formula_bits, 6.644, 0.001);
  EXPECT_NEAR(Row("xor+", 0.01).formula_bits, 8.089, 0.001);
  EXPECT_FALSE(Row("Winnow Ribbon", 0.00001).measured.has_value());
  EXPECT_TRUE(Row("cuckoo", 0.01).deletes);
  EXPECT_TRUE(Row("counting Bloom, 4-bit", 0.01).deletes);
  EXPECT_FALSE(Row("xor", 0.01).grows);
}

// A misspelled kind would have no measurement beside its figure.
TEST(FilterFamily, PublishedFiguresAreOfKindsThatThereAre) {
  for (const Published& figure : PublishedFigures()) Row(figure.kind, 0.01);
}

TEST(FilterFamily, TheJsonHasWhatWasMeasured) {
  const auto json = nlohmann::json::parse(FamilyJson(SmallOptions(), SmallFamily()));
  EXPECT_EQ(json["schema"], "winnow.family/1");
  EXPECT_EQ(json["keys"], 5000);
  ASSERT_EQ(json["rows"].size(), SmallFamily().size());
  EXPECT_EQ(json["rows"][0]["kind"], "bound");
  EXPECT_FALSE(json["rows"][0].contains("bits_per_key"));
  EXPECT_EQ(json["rows"][1]["bits_per_key"], Row("Winnow Ribbon", 0.1).measured->bits_per_key);
}

}  // namespace
}  // namespace winnow::bench
