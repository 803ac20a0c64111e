#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "streams/filter_family/comparison.h"

namespace winnow::bench {
namespace {

ComparisonOptions SmallOptions() {
  ComparisonOptions options;
  options.keys = {1000};
  options.pairs = 3;
  options.least_ms = 0;
  return options;
}

std::vector<ComparisonRow> Measure(const winnow_contender& contender) {
  std::vector<ComparisonRow> rows;
  CompareWithOurs(contender, SmallOptions(),
                  [&rows](const ComparisonRow& row) { rows.push_back(row); });
  return rows;
}

const winnow_contender& OursOf(const std::string& kind) {
  for (const winnow_contender& ours : OurFilters()) {
    if (ours.kind == kind) return ours;
  }
  throw std::runtime_error(kind);
}

// Compares Winnow's filters with themselves as contenders: sizes and rates must be equal, whatever
// the times are.
TEST(FilterComparison, MeasuresEachKind) {
  EXPECT_EQ(Measure(OursOf("concurrent")).size(), 8u);
  EXPECT_EQ(Measure(OursOf("fuse")).size(), 5u);
  EXPECT_EQ(Measure(OursOf("cuckoo")).size(), 6u);
  for (const winnow_contender& ours : OurFilters()) {
    for (const ComparisonRow& row : Measure(ours)) {
      EXPECT_EQ(row.keys, 1000u);
      EXPECT_GT(row.ours_ns, 0);
      EXPECT_GT(row.contender_ns, 0);
      EXPECT_GT(row.ratio, 0);
      EXPECT_LE(row.ours_again_low, row.ours_again_high);
      EXPECT_EQ(row.bits[0], row.bits[1]);
      EXPECT_EQ(row.rates[0], row.rates[1]);
      EXPECT_GT(row.rates[0], 0);
    }
  }
}

TEST(FilterComparison, OursHaveWhatTheContendersHave) {
  const ComparisonRow concurrent = Measure(OursOf("concurrent")).front();
  EXPECT_LE(concurrent.bits[0], 10 + 0.512);  // whole cache lines
  EXPECT_GT(concurrent.bits[0], 9.4);
  // Fingerprints of 8 and 12 bits.
  EXPECT_NEAR(Measure(OursOf("fuse")).front().rates[0], 1.0 / 256, 0.0005);
  const auto keys = static_cast<double>(SmallOptions().keys.front());
  const double five_more_buckets = 5 * 4 * 12 / keys;
  EXPECT_NEAR(Measure(OursOf("cuckoo")).front().bits[0], 12 / 0.95 + five_more_buckets, 0.2);
}

TEST(FilterComparison, RefusesContendersThatAreWrong) {
  winnow_contender wrong = OursOf("cuckoo");
  wrong.kind = "quotient";
  EXPECT_THROW(Measure(wrong), std::runtime_error);
  wrong = OursOf("cuckoo");
  wrong.ask = [](const void*, const uint64_t*, uint64_t n) { return n - 1; };
  EXPECT_THROW(Measure(wrong), std::runtime_error);
  wrong = OursOf("cuckoo");
  wrong.add = [](void*, const uint64_t*, uint64_t n) { return n / 2; };
  EXPECT_THROW(Measure(wrong), std::runtime_error);
  wrong = OursOf("cuckoo");
  wrong.create = [](uint64_t, double) -> void* { return nullptr; };
  EXPECT_THROW(Measure(wrong), std::runtime_error);
}

TEST(FilterComparison, TheJsonHasTheRows) {
  ComparisonRow row;
  row.keys = 77;
  row.ratio = 0.5;
  const auto json = nlohmann::json::parse(ComparisonJson(SmallOptions(), {row}));
  EXPECT_EQ(json["schema"], "winnow.beside/1");
  EXPECT_EQ(json["rows"][0]["keys"], 77);
  EXPECT_EQ(json["rows"][0]["ratio"], 0.5);
}

}  // namespace
}  // namespace winnow::bench
