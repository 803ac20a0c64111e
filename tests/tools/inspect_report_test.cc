// Reports of `winnow inspect` on files that were read: sums, advice, selection and order.

#include "tools/winnow/inspect/inspect_report.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/winnow/findings/families.h"
#include "tools/winnow/findings/filter_hints.h"

namespace winnow::inspect {
namespace inspect_report_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SstReport File(const char* path, std::string_view kind = kWinnowRibbon, uint64_t keys = 10'000,
               double fpr = 0.01, std::optional<int> level = std::nullopt,
               const char* family = "default") {
  SstReport file;
  file.path = path;
  file.level = level;
  file.column_family = family;
  file.database = "db";
  file.entries = keys;
  file.file_bytes = 100 * keys;
  FilterSummary& filter = file.filter.emplace();
  filter.kind = std::string(kind);
  filter.expected_fpr = fpr;
  if (kind != kNoFilter) {
    filter.keys = keys;
    filter.bytes = keys;
    filter.bits_per_key = 8;
  }
  if (kind == kWinnowRibbon) {
    filter.built_for = BuiltFor{0, fpr, "uniform", -1};
  }
  return file;
}

SstReport NotRead(const char* path) {
  SstReport file;
  file.path = path;
  file.error = "it can't be read";
  return file;
}

std::vector<SstReport> FilesOfTwoFamilies() {
  return {File("a", kWinnowRibbon, 10, 0.01, 0, "x"), File("b", kBuiltinBloom, 20, 0.01, 1, "x"),
          File("c", kBuiltinBloom, 40, 0.01, 1, "y"), NotRead("d")};
}

TEST(FilterTotalsTest, RatesAreWeightedByKeys) {
  FilterTotals totals;
  totals.Add(File("a", kWinnowRibbon, 1'000, 0.5));
  totals.Add(File("b", kWinnowRibbon, 9'000, 0.01));
  EXPECT_NEAR(totals.mean_fpr().value_or(0), 0.1 * 0.5 + 0.9 * 0.01, 1e-12);
  EXPECT_EQ(totals.files, 2u);
  EXPECT_EQ(totals.keys, 10'000u);
  EXPECT_DOUBLE_EQ(totals.bits_per_key(), 8);
}

TEST(FilterTotalsTest, FilesWithoutAFilterAreCountedAndDoNotHideTheRateOfTheOthers) {
  FilterTotals totals;
  EXPECT_FALSE(totals.mean_fpr());
  totals.Add(File("a", kNoFilter, 5'000, 1));
  EXPECT_EQ(totals.mean_fpr(), 1.0);
  totals.Add(File("b", kWinnowRibbon, 9'000, 0.01));
  totals.Add(NotRead("c"));
  EXPECT_EQ(totals.without_filter, 1u);
  EXPECT_EQ(totals.entries_without_filter, 5'000u);
  EXPECT_EQ(totals.entries, 14'000u);
  EXPECT_EQ(totals.not_read, 1u);
  EXPECT_NEAR(totals.mean_fpr().value_or(0), 0.01, 1e-12);
}

TEST(FilterTotalsTest, TheBoundIsThatOfTheRates) {
  FilterTotals totals;
  totals.Add(File("a", kWinnowRibbon, 8'000, 1.0 / 64));  // needs at least 6 bits, has 8
  totals.Add(File("b", kBuiltinBloom, 8'000, 1.0 / 16));  // needs at least 4 bits, has 8
  EXPECT_DOUBLE_EQ(totals.bound_bytes(), 10'000);
  EXPECT_DOUBLE_EQ(totals.bytes_above_bound(), 6'000);
  EXPECT_DOUBLE_EQ(totals.share_above_bound().value_or(0), 0.6);
  SstReport unknown = File("c", kBuiltinBloom, 8'000, 1.0 / 16);
  unknown.filter->expected_fpr.reset();
  totals.Add(unknown);
  totals.Add(File("d", kNoFilter, 8'000, 1));
  SstReport single = File("e", kWinnowBloom, 8'000, 0x1p-15);
  single.filter->range.emplace().answers_keys = true;
  totals.Add(single);
  EXPECT_DOUBLE_EQ(totals.bytes_above_bound(), 6'000);
}

TEST(FilterTotalsTest, SumsByFamilyLevelAndKind) {
  const std::vector<SstReport> files = FilesOfTwoFamilies();
  const TotalsOfFiles totals = TotalsOf(files);
  EXPECT_EQ(totals.all.keys, 70u);
  EXPECT_EQ(totals.all.not_read, 1u);
  EXPECT_EQ(totals.by_family.at({"db", "x"}).keys, 30u);
  EXPECT_EQ(totals.by_family.at({"db", "y"}).keys, 40u);
  EXPECT_EQ(totals.by_family.size(), 2u);
  EXPECT_EQ(totals.by_level.at(0).keys, 10u);
  EXPECT_EQ(totals.by_level.at(1).files, 2u);
  EXPECT_EQ(totals.by_kind.at("builtin-bloom").keys, 60u);
}

SstReport Learned(int level, uint64_t place, uint64_t keys, double bits) {
  SstReport file = File("f", kWinnowRibbon, keys, 0.01, level);
  file.place = place;
  file.filter->bytes = static_cast<uint64_t>(static_cast<double>(keys) * bits / 8);
  file.filter->bits_per_key = bits;
  file.filter->built_for->level_plan = "learned";
  return file;
}

TEST(LearnedBitsTest, AreThoseOfEachLevelAndOfTheLastOneByRange) {
  // Files are unsorted; the first file of level 2 has three and a half tenths of its keys.
  const std::vector<SstReport> files = {Learned(2, 7, 6'500, 4), Learned(1, 3, 100, 20),
                                        Learned(2, 5, 3'500, 12), Learned(1, 4, 300, 8)};
  const std::vector<LearnedBits> all = LearnedBitsOf(files);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].family, FamilyName("db", "default"));
  ASSERT_EQ(all[0].levels.size(), 2u);
  EXPECT_EQ(all[0].levels[0].level, 1);
  EXPECT_EQ(all[0].levels[0].files, 2u);
  EXPECT_EQ(all[0].levels[0].least, 8);
  EXPECT_EQ(all[0].levels[0].mean, 11);
  EXPECT_EQ(all[0].levels[0].most, 20);
  EXPECT_EQ(all[0].levels[1].least, 4);
  EXPECT_DOUBLE_EQ(all[0].levels[1].mean, 6.8);
  EXPECT_EQ(all[0].levels[1].most, 12);
  EXPECT_THAT(all[0].tenths, ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                                  {12., 12., 12., 8., 4., 4., 4., 4., 4., 4.}));
}

TEST(LearnedBitsTest, AreOfFamiliesWhoseFilesDifferAlone) {
  std::vector<SstReport> files = {Learned(2, 0, 1'000, 7), Learned(2, 1, 1'000, 7.5)};
  EXPECT_THAT(LearnedBitsOf(files), IsEmpty());
  files.push_back(Learned(2, 3, 10, 44));
  EXPECT_THAT(LearnedBitsOf(files), IsEmpty());
  files.push_back(Learned(2, 2, 1'000, 9));
  EXPECT_EQ(LearnedBitsOf(files).size(), 1u);
  files.push_back(NotRead("d"));
  files.push_back(File("e", kNoFilter, 1'000, 1, 2));
  EXPECT_EQ(LearnedBitsOf(files).front().levels.front().files, 4u);
  for (SstReport& file : files) {
    if (file.filter && file.filter->built_for) file.filter->built_for->level_plan = "auto";
  }
  EXPECT_THAT(LearnedBitsOf(files), IsEmpty());
  // Files of level 0 overlap.
  EXPECT_THAT(LearnedBitsOf({Learned(0, 0, 1'000, 7), Learned(0, 1, 1'000, 14)}).at(0).tenths,
              IsEmpty());
}

std::vector<std::string> Paths(const InspectReport& report) {
  std::vector<std::string> paths;
  for (const SstReport& file : report.files) paths.push_back(file.path);
  return paths;
}

TEST(InspectReportTest, FilesAreChosenByFamilyAndLevel) {
  const std::vector<SstReport> files = FilesOfTwoFamilies();
  FileSelection selection;
  selection.families = {"x"};
  EXPECT_THAT(Paths(MakeInspectReport(files, {}, selection)), ElementsAre("a", "b", "d"));
  selection.levels = {1, 2};
  EXPECT_THAT(Paths(MakeInspectReport(files, {}, selection)), ElementsAre("b", "d"));
  EXPECT_EQ(MakeInspectReport(files, {}, selection).totals.all.keys, 20u);
  EXPECT_EQ(MakeInspectReport(files, {}, selection).not_selected, 2u);
  EXPECT_EQ(UnknownFamilies(FamiliesOf(files), selection.families), "");
  selection.families = {"x", "z"};
  EXPECT_THAT(UnknownFamilies(FamiliesOf(files), selection.families),
              ::testing::AllOf(HasSubstr("z;"), HasSubstr("x, y")));
}

TEST(InspectReportTest, FilesAreInOrderAndTheSumsOverAll) {
  std::vector<SstReport> files = {File("c", kWinnowRibbon, 10, 0.3, 2), NotRead("d"),
                                  File("a", kWinnowRibbon, 30, 0.1),
                                  File("b", kWinnowRibbon, 20, 0.2, 0)};
  files[3].filter->bits_per_key = 12;
  const auto sorted = [&files](FileOrder order) {
    FileSelection selection;
    selection.order = order;
    return Paths(MakeInspectReport(files, {}, selection));
  };
  EXPECT_THAT(sorted(FileOrder::kAsRead), ElementsAre("c", "d", "a", "b"));
  EXPECT_THAT(sorted(FileOrder::kPath), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(sorted(FileOrder::kLevel), ElementsAre("b", "c", "d", "a"));
  EXPECT_THAT(sorted(FileOrder::kEntries), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(sorted(FileOrder::kBytes), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(sorted(FileOrder::kBits), ElementsAre("b", "c", "a", "d"));
  EXPECT_THAT(sorted(FileOrder::kFpr), ElementsAre("c", "b", "a", "d"));
  FileSelection selection;
  selection.limit = 1;
  const InspectReport report = MakeInspectReport(files, {"a remark"}, selection);
  EXPECT_EQ(report.listed, 1u);
  EXPECT_EQ(report.left_out(), 3u);
  EXPECT_EQ(report.totals.all.keys, 60u);
  EXPECT_THAT(report.remarks, ElementsAre("a remark"));
  selection.limit = 9;
  EXPECT_EQ(MakeInspectReport(files, {}, selection).left_out(), 0u);
}

// Expects one hint for each regular expression.
void ExpectHints(const std::vector<SstReport>& files, const std::vector<std::string>& expected) {
  const std::vector<std::string> hints = HintsOn(files);
  ASSERT_EQ(hints.size(), expected.size()) << ::testing::PrintToString(hints);
  for (size_t i = 0; i < hints.size(); ++i) {
    EXPECT_THAT(hints[i], ::testing::ContainsRegex(expected[i]));
  }
}

TEST(FilterHintsTest, NothingToDoWhereAllIsWell) {
  ExpectHints({}, {});
  ExpectHints({File("a"), File("b"), NotRead("c")}, {});
}

TEST(FilterHintsTest, FilesWithoutFilters) {
  ExpectHints({File("a", kNoFilter, 7, 1), File("b", kNoFilter, 7, 1)},
              {"2 files with 14 entries have no filter, nor has any.*set filter_policy"});
  ExpectHints({File("a"), File("b", kNoFilter, 1'234'567, 1)},
              {"1 file with 1,234,567 entries has no filter.*written without a policy"});
  // The file looks ingested: with optimize_filters_for_hits it would name its policy.
  for (const int level : {0, 6}) {
    const std::vector<SstReport> files = {File("a", kWinnowRibbon, 9, 0.01, level),
                                          File("b", kNoFilter, 7, 1, 6)};
    ExpectHints(files, {"written without a policy"});
    EXPECT_THAT(HintsOn(files), ElementsAre(Not(HasSubstr("optimize_filters_for_hits"))));
  }
}

TEST(FilterHintsTest, NewFiltersWhereTheySaveATenth) {
  constexpr uint64_t kKeys = 1'000'000;
  const auto tree = [](std::string_view kind, double rate, double last_rate) {
    return std::vector<SstReport>{File("a", kind, kKeys / 100, rate, 1),
                                  File("b", kind, kKeys / 10, rate, 2),
                                  File("c", kind, kKeys, last_rate, 3)};
  };
  const std::string reads =
      "have about 52.5 % fewer false reads.*winnow refilter FOLDER --policy=winnow:10,";
  ExpectHints(tree(kWinnowRibbon, 0.01, 0.01), {reads});
  ExpectHints(tree(kWinnowRibbon, 0.001, 0.01), {});  // about as the rule gives them
  ExpectHints({File("c", kWinnowRibbon, kKeys, 0.01, 3)}, {});
  std::vector<SstReport> builtin = {File("c", kBuiltinBloom, kKeys, 0.01, 3)};
  builtin[0].filter->bloom.bytes = kKeys;
  builtin[0].filter->bloom.bytes_as_ribbons = kKeys * 3 / 4;
  ExpectHints(builtin, {"take about 25 % fewer bytes.*winnow refilter FOLDER --policy=winnow:10,"});
  for (const auto& [rate, policy] : {std::pair(0.0001, ":22,"), std::pair(0.1, ":5,")}) {
    builtin[0].filter->expected_fpr = rate;
    ExpectHints(builtin, {absl::StrCat("take about 25 % fewer bytes.*--policy=winnow", policy)});
  }
  builtin[0].filter->range.emplace().range_bits = 15;
  ExpectHints(builtin, {"--policy='.id=winnow;bits_per_key=5;range_bits=15.',"});
  builtin[0].database.clear();
  ExpectHints(builtin, {});
  ExpectHints({File("c", kBuiltinBloom, kKeys / 100, 0.01, 3)}, {});
  // Winnow's filters of few keys take more bytes at equal rates.
  std::vector<SstReport> small = tree(kBuiltinBloom, 0.01, 0.01);
  ExpectHints(small, {reads});
  small[2].filter->bloom.bytes = kKeys;
  small[2].filter->bloom.bytes_as_ribbons = kKeys * 3 / 2;
  ExpectHints(small, {});
}

TEST(FilterHintsTest, FilesWithoutFiltersThatNoPolicyIsMissingIn) {
  const SstReport with_filter = File("a", kWinnowRibbon, 9, 0.01, 6);
  SstReport ranges = File("ranges", kNoFilter, 7, 1, 6);
  ranges.range_deletions = 7;
  ExpectHints({with_filter, ranges}, {});
  ranges.range_deletions = 6;
  ExpectHints({with_filter, ranges}, {"written without a policy"});
  SstReport for_hits = File("hits", kNoFilter, 7, 1, 6);
  for_hits.filter->policy_name = "winnow.Filter";
  const std::string says_why =
      "1 file with 7 entries has no filter, though a policy was in force.*"
      "optimize_filters_for_hits";
  ExpectHints({with_filter, for_hits}, {says_why});
  ExpectHints({for_hits}, {says_why});
  ExpectHints({for_hits, File("none", kNoFilter, 8, 1, 5)}, {says_why, "written without a policy"});
}

TEST(FilterHintsTest, RatesThatAreTooHigh) {
  SstReport high = File("a", kWinnowRibbon, 10'000, 0.04);
  high.filter->built_for->target_fpr = 0.01;
  ExpectHints({high, File("b")}, {"1 filter has more than 1.5 times the rate.*4 % for 1 %"});
  high.filter->keys = 10;  // rates of small filters vary
  ExpectHints({high, File("b")}, {});
  ExpectHints(
      {File("a", kBuiltinBloom), File("b", kBuiltinBloom), File("c", kBuiltinBloom, 5'000, 0.1)},
      {"1 file has a filter of up to 10 %.*1 % is usual"});
}

TEST(FilterHintsTest, FiltersThatOthersBuilt) {
  ExpectHints({File("a", kBuiltinBloom, 10, 1)}, {"that let every key through"});
  ExpectHints({File("a", kBuiltinBloom), File("b")}, {"1 file has RocksDB's own filters beside"});
  SstReport foreign = File("a", kUnknown, 10, 1);
  foreign.filter->policy_name = "my.Policy";
  ExpectHints({foreign}, {"of the policy 'my.Policy'"});
  foreign.filter->obsolete = true;
  ExpectHints({foreign}, {"before 7.0"});
  SstReport legacy = File("a", kBuiltinBloom);
  legacy.filter->parameters.emplace().format = "LegacyBloom";
  ExpectHints({legacy}, {"format_version to 5"});
  SstReport faulty = File("a");
  faulty.filter->fault = "it is damaged";
  ExpectHints({faulty}, {"1 filter is damaged"});
}

TEST(FilterHintsTest, ShapesThatCost) {
  SstReport partitioned = File("a", kWinnowRibbon, 1'000);
  partitioned.filter->partitions = 20;
  ExpectHints({partitioned},
              {"hold 50 keys.*decouple_partitioned_filters=true.*metadata_block_size"});
  partitioned.filter->partitions = 3;
  ExpectHints({partitioned}, {"hold 333 keys"});
  partitioned.filter->partitions = 2;
  ExpectHints({partitioned}, {});
  std::vector<SstReport> files(20, File("a", kWinnowRibbon, 9, 0.01, 0));
  ExpectHints(files, {"level 0 has 20 files"});
  files.pop_back();
  ExpectHints(files, {});
}

}  // namespace inspect_report_test
}  // namespace winnow::inspect
