#include "src/rocksdb/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace prometheus_text_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

// Metric family on a page of the text format, parsed more strictly than by a server:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format and
// https://prometheus.io/docs/practices/naming/.
struct Family {
  std::string help;
  std::string type;
  std::map<std::string, double> samples;  // keyed by labels as written
};

std::map<std::string, Family> Parse(const std::string& page) {
  std::map<std::string, Family> families;
  if (page.empty() || page.back() != '\n') {
    ADD_FAILURE() << "the last line has no end";
    return families;
  }
  static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)+))");
  static const std::regex type("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)");
  static const std::string label = R"re([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")re";
  static const std::regex sample("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:[{](" + label + "(?:," + label +
                                 ")*)[}])? ([0-9]+)");
  std::istringstream in(page);
  std::string current;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      current = match[1];
      EXPECT_EQ(families.count(current), 0u) << current << " comes twice";
      families[current].help = match[2];
    } else if (std::regex_match(line, match, type)) {
      EXPECT_EQ(match[1], current) << "TYPE follows HELP";
      EXPECT_TRUE(families[current].samples.empty());
      EXPECT_EQ(families[current].type, "");
      families[current].type = match[2];
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(match[1], current) << "samples of a family are together";
      EXPECT_NE(families[current].type, "") << line;
      EXPECT_TRUE(families[current].samples.emplace(match[2], std::stod(match[3])).second)
          << line << " comes twice";
    } else {
      ADD_FAILURE() << "not understood: " << line;
    }
  }
  return families;
}

// Every counter has a distinct value.
std::map<std::string, Family> ParsedSample() {
  uint64_t next = 1;
  Counters counters;
  for (uint64_t Counters::*const member :
       {&Counters::empty_filters, &Counters::bloom_filters, &Counters::ribbon_filters,
        &Counters::unbuilt_filters, &Counters::keys, &Counters::bytes, &Counters::bloom_bytes,
        &Counters::bloom_bytes_as_ribbons, &Counters::loaded_winnow, &Counters::loaded_builtin,
        &Counters::loaded_unusable, &Counters::lookups, &Counters::hashes, &Counters::hashes_shared,
        &Counters::ranges_asked, &Counters::ranges_denied}) {
    counters.*member = next++;
  }
  static_assert(sizeof(Counters) == 16 * sizeof(uint64_t), "say the new one as well");
  const SampleCounters samples{next, next + 1, next + 2, next + 3};
  static_assert(sizeof(SampleCounters) == 4 * sizeof(uint64_t), "say the new one as well");
  next += 4;
  FilterLoads loads;
  constexpr size_t kNumbers = sizeof loads / sizeof(uint64_t);
  for (size_t i = 0; i < kNumbers; ++i) reinterpret_cast<uint64_t*>(&loads)[i] = next++;
  UseRow use;
  use.policy = "bits_per_key=10";
  for (uint64_t UseSums::*const member :
       {&UseSums::asks, &UseSums::denied, &UseSums::asks_counted, &UseSums::ranges_asked,
        &UseSums::ranges_denied, &UseSums::filters, &UseSums::keys, &UseSums::bytes}) {
    use.sums.*member = next++;
  }
  use.sums.false_positives = static_cast<double>(next++);
  return Parse(PrometheusText(counters, samples, loads, {use}));
}

TEST(PrometheusTextTest, HasEachCounterOnce) {
  std::multiset<double> values;
  for (const auto& [name, family] : ParsedSample()) {
    if (name == "winnow_build_info") continue;
    for (const auto& [labels, value] : family.samples) values.insert(value);
  }
  std::multiset<double> expected;
  for (int i = 1; i <= 16 + 4 + static_cast<int>(sizeof(FilterLoads) / sizeof(uint64_t)) + 9; ++i) {
    // Two members of SampleCounters are of Winnow 1.
    if (i != 16 + 3 && i != 16 + 4) expected.insert(i);
  }
  EXPECT_EQ(values, expected);
}

TEST(PrometheusTextTest, NamesAreOfTheRightForm) {
  for (const auto& [name, family] : ParsedSample()) {
    EXPECT_THAT(name, MatchesRegex("winnow_[a-z_]+"));
    EXPECT_FALSE(family.samples.empty()) << name;
    const bool is_total = name.size() > 6 && name.substr(name.size() - 6) == "_total";
    EXPECT_EQ(is_total, family.type == "counter") << name;
  }
}

TEST(PrometheusTextTest, LabelsAreEscaped) {
  EXPECT_EQ(EscapedLabel("a\\b\"c\nd"), "a\\\\b\\\"c\\nd");
  EXPECT_EQ(EscapedLabel(""), "");
}

TEST(PrometheusTextTest, OfTheProcessHasItsVersions) {
  const auto families = Parse(CountersAsPrometheusText());
  ASSERT_EQ(families.count("winnow_build_info"), 1u);
  const auto& samples = families.at("winnow_build_info").samples;
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_THAT(samples.begin()->first,
              MatchesRegex("version=\"[0-9.]+\",rocksdb=\"[0-9.]+\",kernels=\"[a-z0-9]+\""));
  EXPECT_EQ(samples.begin()->second, 1);
}

TEST(PrometheusTextTest, ADatabaseWithoutFiltersInMemoryHasASeriesOfItsPolicy) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const testing::TemporaryFolder folder;
  const auto filters = [] {
    const auto families = Parse(CountersAsPrometheusText());
    const auto found = families.find("winnow_filter_use_filters");
    std::vector<double> values;
    if (found == families.end()) return values;
    for (const auto& [labels, value] : found->second.samples) {
      if (labels.find("bits_per_key=11.75") != std::string::npos) values.push_back(value);
    }
    return values;
  };
  enum class Open : uint8_t { kNew, kAgain, kToRead };
  for (const Open how : {Open::kNew, Open::kAgain, Open::kToRead}) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(1 << 20);
    table.cache_index_and_filter_blocks = true;
    table.filter_policy = testing::MakePolicyFrom("winnow:11.75");
    const ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table);
    std::unique_ptr<ROCKSDB_NAMESPACE::DB> database;
    if (how == Open::kToRead) {
      rocksdb_abi::OpenedDB opened{};
      ASSERT_STATUS_OK(
          ROCKSDB_NAMESPACE::DB::OpenForReadOnly(options, folder / "database", &opened));
      database = rocksdb_abi::Own(std::move(opened));
    } else {
      database = testing::OpenDatabase(options, folder / "database");
    }
    if (how == Open::kNew) {
      EXPECT_THAT(filters(), ElementsAre(0));
      ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
      ASSERT_STATUS_OK(database->CompactRange({}, nullptr, nullptr));
    }
    table.block_cache->EraseUnRefEntries();
    EXPECT_THAT(filters(), AllOf(Not(IsEmpty()), Each(0)));
  }
  EXPECT_THAT(filters(), IsEmpty()) << "the policy has ended";
}

}  // namespace prometheus_text_test
}  // namespace winnow::plugin
