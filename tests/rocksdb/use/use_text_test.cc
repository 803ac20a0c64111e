#include "src/rocksdb/use/use_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/prometheus_text.h"
#include "tests/support/files.h"
#include "tests/support/keeping_logger.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"

namespace winnow::plugin {
namespace use_text_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

UseRow RowOf(const std::string& family, int level, uint64_t counted, double rate) {
  UseRow row;
  row.policy = "bits_per_key=10";
  row.databases = {"/data/db"};
  row.families = {family};
  row.level = level;
  row.seconds = 3600;
  row.sums.asks_counted = 2 * counted;
  row.sums.denied_counted = counted;
  row.sums.asks = 2 * counted * 512;
  row.sums.denied = counted * 512;
  row.sums.false_positives = static_cast<double>(row.sums.denied) * rate / (1 - rate);
  row.sums.false_positives_variance =
      static_cast<double>(counted) * std::pow(512 * rate / (1 - rate), 2);
  row.sums.filters = 3;
  row.sums.keys = 1'000'000;
  row.sums.bytes = 1'250'000;
  row.sums.ranges_asked = 5;
  row.sums.ranges_denied = 4;
  return row;
}

// JSON that `winnow advise --use` reads.
TEST(UseTextTest, JsonIsAsBefore) {
  UseRow strange = RowOf("with \"quotes\" and \\", -1, 7, 0.25);
  strange.databases.clear();
  strange.families.insert(std::string("not UTF-8: \xff, a line's\nend"));
  const std::string json = UseAsJson({RowOf("orders", 6, 10'000, 0.01), strange});
  const std::string file = WINNOW_SOURCE_DIR "/tests/golden/filter_use.json";
  if (std::getenv("WINNOW_UPDATE_GOLDEN") != nullptr) testing::WriteFile(file, json);
  EXPECT_EQ(json, testing::ReadFile(file));
  EXPECT_EQ(UseAsJson({}),
            "{\n  \"schema\": \"winnow.filter_use/1\",\n  \"one_counted_of\": 1024,\n"
            "  \"rows\": []\n}\n");
}

TEST(UseTextTest, BoundsAreThoseOfPoisson) {
  // The exact limits are 4.80 and 18.39 for 10, and 81.4 and 121.6 for 100.
  for (const auto& [counted, low, high] :
       {std::tuple(10, 4.80, 18.39), std::tuple(100, 81.36, 121.63)}) {
    const FilterUse use = AsFilterUse(RowOf("a", 1, static_cast<uint64_t>(counted), 0.01));
    EXPECT_NEAR(use.false_positives_low / use.false_positives, low / counted, 0.002);
    EXPECT_NEAR(use.false_positives_high / use.false_positives, high / counted, 0.002);
  }
  EXPECT_EQ(AsFilterUse(RowOf("a", 1, 0, 0.01)).false_positives_high, 0);
}

TEST(UseTextTest, NamesAreJoinedAndCut) {
  EXPECT_EQ(Joined({"b", "a"}), "a, b");
  EXPECT_EQ(Joined({"abcdef"}, 6), "abcdef");
  EXPECT_EQ(Joined({"abcdefg"}, 6), "abc...");
  EXPECT_EQ(Joined({"äöüß€𝄞"}, 6), "äöüß€𝄞");
  EXPECT_EQ(Joined({"äöüß€𝄞!"}, 6), "äöü...");
  EXPECT_EQ(Joined({"\xff\xc3", "a\n\x7f"}), "a??, ??");
  EXPECT_EQ(Joined({"\xed\xa0\x80 \xc0\xaf \xf5\x80\x80\x80"}), "??? ?? ????");
  EXPECT_EQ(Joined({std::string(1000, 'x')}, 120).size(), 120u);
}

TEST(UseTextTest, TableHasTheWorstFirst) {
  const std::string table = UseTable({RowOf("fine", 5, 1000, 0.001), RowOf("worst", 6, 1000, 0.25),
                                      RowOf("middling", 4, 1000, 0.01)});
  EXPECT_LT(table.find("worst"), table.find("middling"));
  EXPECT_LT(table.find("middling"), table.find("fine"));
  EXPECT_THAT(table, HasSubstr("one ask in 1024 is counted\n"));
  EXPECT_THAT(table,
              HasSubstr("\n           170667         1024000          512000     6        3      "
                        "1000000      1250000     3600  worst  bits_per_key=10"));
}

TEST(UseTextTest, TableHasNoRowsThatNobodyAsked) {
  UseRow idle = RowOf("idle", 1, 0, 0.01);
  EXPECT_EQ(UseTable({idle}), "");
  EXPECT_EQ(UseTable({}), "");
  EXPECT_THAT(UseTable({idle, RowOf("asked", 1, 10, 0.01)}), Not(HasSubstr("idle")));
}

TEST(UseTextTest, TableHasFortyRows) {
  std::vector<UseRow> rows;
  for (int i = 0; i < 50; ++i) {
    rows.push_back(RowOf("family " + std::to_string(i), 1, 100 + static_cast<uint64_t>(i), 0.01));
  }
  const std::string table = UseTable(std::move(rows));
  EXPECT_THAT(table, HasSubstr("; 40 of 50 rows\n"));
  EXPECT_THAT(table, HasSubstr("family 49"));
  EXPECT_THAT(table, Not(HasSubstr("family 9 ")));
}

// Cut texts would merge policies that differ after the cut.
TEST(UseTextTest, PrometheusHasAllOfAPolicysText) {
  UseRow one = RowOf("orders", 6, 1000, 0.01);
  one.policy = "bits_per_key=10;" + std::string(120, 'x') + "=1";
  UseRow other = one;
  other.policy.back() = '2';
  const std::string text = PrometheusText({}, {}, {}, {one, other});
  for (const UseRow& row : {one, other}) {
    EXPECT_THAT(text, HasSubstr("\nwinnow_filter_use_asks_total{policy=\"" + row.policy +
                                "\",database=\"/data/db\",families=\"orders\",level=\"6\"} "
                                "1024000\n"));
  }
}

TEST(UseTextTest, PrometheusSumsEqualLabels) {
  const UseRow one = RowOf("orders", 6, 1000, 0.01);
  const UseRow same = RowOf("orders", 6, 500, 0.01);
  const UseRow other = RowOf("orders", 5, 10, 0.01);
  UseRow many = RowOf("x", 6, 1, 0.01);
  for (int i = 0; i < 100; ++i) many.families.insert("family " + std::to_string(i));
  const std::string text = PrometheusText({}, {}, {}, {one, same, other, many});
  const std::string labels =
      "{policy=\"bits_per_key=10\",database=\"/data/db\",families=\"orders\",level=\"";
  EXPECT_THAT(text, HasSubstr("\nwinnow_filter_use_asks_total" + labels + "6\"} 1536000\n"));
  EXPECT_THAT(text, HasSubstr("\nwinnow_filter_use_asks_total" + labels + "5\"} 10240\n"));
  EXPECT_THAT(text, HasSubstr("\nwinnow_filter_use_denied_total" + labels + "6\"} 768000\n"));
  EXPECT_THAT(text,
              HasSubstr("\nwinnow_filter_use_false_positives_total" + labels + "6\"} 7758\n"));
  EXPECT_THAT(text, HasSubstr("\nwinnow_filter_use_keys" + labels + "6\"} 2000000\n"));
  const size_t begin = text.find("families=\"family 0");
  ASSERT_NE(begin, std::string::npos);
  const size_t value = begin + std::string("families=\"").size();
  EXPECT_EQ(text.find('"', value) - value, 120u);
  EXPECT_THAT(PrometheusText({}, {}, {}), Not(HasSubstr("filter_use")));
}

TEST(LogUseTest, WritesToEachLogAtMostOnceInTenMinutes) {
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin;
  ASSERT_TRUE(NewBuiltinReader(&builtin).ok());
  FilterOptions options;
  options.level = 3;
  FilterBuilder builder(options);
  for (int i = 0; i < 1000; ++i) builder.Add("key " + std::to_string(i));
  const FilterBlock block = builder.Finish();
  testing::KeepingLogger log;
  testing::KeepingLogger other;
  UseMeter meter;
  const std::shared_ptr<NamedUse> use = meter.Named("bits_per_key=10");
  meter.NoteFamily(&log, "orders");
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader(
      NewBitsReader({block.data.get(), block.size}, *builtin, {}, use.get()));
  const std::chrono::steady_clock::time_point start;
  const auto after = [&start](int seconds) { return start + std::chrono::seconds(seconds); };
  LogUse(nullptr, start);
  LogUse(&log, start);
  LogUse(&log, after(599));
  EXPECT_TRUE(log.lines.empty()) << "ten minutes have not passed since the first file";
  LogUse(&log, after(600));
  EXPECT_TRUE(log.lines.empty()) << "nothing was asked";
  for (int i = 0; i < 100'000; ++i) reader->MayMatch("absent " + std::to_string(i));
  LogUse(&log, after(601));
  ASSERT_EQ(log.lines.size(), 1u) << "it stays due while nothing is asked";
  EXPECT_THAT(log.lines[0],
              HasSubstr("[winnow] what filters answered, by policy, column family and level"));
  EXPECT_THAT(log.lines[0], HasSubstr("  orders  bits_per_key=10"));
  LogUse(&log, after(1200));
  EXPECT_EQ(log.lines.size(), 1u) << "ten minutes have not passed since the last table";
  LogUse(&log, after(1201));
  EXPECT_EQ(log.lines.size(), 2u);
  LogUse(&other, start);
  LogUse(&other, after(10'000));
  EXPECT_TRUE(other.lines.empty()) << "no policy has a family there";
}

}  // namespace use_text_test
}  // namespace winnow::plugin
