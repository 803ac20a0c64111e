#include "src/policy_trial/policy_check.h"

#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace winnow::inspect {
namespace policy_check_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(PolicyCheckTest, WinnowWorks) {
  const PolicyVerdict verdict = CheckPolicy("winnow:12", /*with_trials=*/true);
  EXPECT_EQ(verdict.problem, "");
  EXPECT_EQ(verdict.suggestion, "");
  EXPECT_EQ(verdict.asked, "winnow:12");
  EXPECT_THAT(verdict.in_force, AllOf(HasSubstr("winnow"), HasSubstr("bits_per_key=12")));
  ASSERT_EQ(verdict.by_keys.size(), 5u);
  EXPECT_EQ(verdict.by_keys.front().filter->kind, "winnow-ribbon");
  EXPECT_EQ(verdict.by_keys.front().keys, 100u);
  EXPECT_EQ(verdict.by_keys.front().filter->keys, 100u);
  EXPECT_EQ(verdict.by_keys.back().filter->kind, "winnow-ribbon");
  EXPECT_EQ(verdict.by_keys.back().filter->keys, 1'000'000u);
  // Uniform filters would have 0.0041 on the last level of a full tree.
  EXPECT_NEAR(*verdict.by_keys.back().filter->expected_fpr, 0.0050, 0.0002);
}

TEST(PolicyCheckTest, FlushesAndLevelsAreTried) {
  const PolicyVerdict verdict = CheckPolicy("ribbonfilter:10:2", /*with_trials=*/true);
  std::map<std::pair<std::string, int>, std::string> kinds;
  for (const PolicyTrial& trial : verdict.by_level) {
    kinds[{trial.situation, trial.level}] = trial.filter->kind;
  }
  EXPECT_EQ((kinds[{"flush", 0}]), "builtin-bloom");
  EXPECT_EQ((kinds[{"compaction", 0}]), "builtin-bloom");
  EXPECT_EQ((kinds[{"compaction", 1}]), "builtin-bloom");
  EXPECT_EQ((kinds[{"compaction", 2}]), "builtin-ribbon");
  EXPECT_EQ((kinds[{"compaction", 6}]), "builtin-ribbon");
  EXPECT_EQ((kinds[{"ingested file", -1}]), "builtin-ribbon");
}

TEST(PolicyCheckTest, WithoutTrialsThereAreNone) {
  const PolicyVerdict verdict = CheckPolicy("winnow:10", /*with_trials=*/false);
  EXPECT_EQ(verdict.problem, "");
  EXPECT_TRUE(verdict.by_keys.empty());
  EXPECT_TRUE(verdict.by_level.empty());
}

class WorkingPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(WorkingPolicy, HasNoProblem) {
  const PolicyVerdict verdict = CheckPolicy(GetParam(), /*with_trials=*/false);
  EXPECT_EQ(verdict.problem, "");
  EXPECT_NE(verdict.in_force, "");
}

INSTANTIATE_TEST_SUITE_P(Strings, WorkingPolicy,
                         ::testing::Values("winnow", "winnow:1", "winnow:32", "winnow:9.9",
                                           "winnow.Filter:10", " winnow:10 ",
                                           "filter_policy=winnow:10",
                                           "{id=winnow;bits_per_key=10;ribbon_min_keys=50000}",
                                           "bloomfilter:10", "bloomfilter:10:false",
                                           "ribbonfilter:10", "rocksdb.BloomFilter:10"));

TEST(PolicyCheckTest, TellsWhoReadsWinnowsFilters) {
  for (const char* reads : {"winnow:10", "{id=winnow;build=bloomfilter}",
                            "{id=winnow;bits_per_key=12;build=ribbonfilter}"}) {
    EXPECT_TRUE(CheckPolicy(reads, /*with_trials=*/false).reads_winnow) << reads;
  }
  for (const char* does_not : {"bloomfilter:10", "ribbonfilter:10", "nullptr",
                               "rocksdb.BuiltinBloomFilter", "winnow:ten"}) {
    EXPECT_FALSE(CheckPolicy(does_not, /*with_trials=*/false).reads_winnow) << does_not;
  }
}

TEST(PolicyCheckTest, ShowsTheFiltersThatRocksDBBuilds) {
  const PolicyVerdict verdict = CheckPolicy("{id=winnow;build=bloomfilter}", /*with_trials=*/true);
  EXPECT_EQ(verdict.problem, "");
  for (const PolicyTrial& trial : verdict.by_level) {
    EXPECT_EQ(trial.filter->kind, kBuiltinBloom);
  }
}

struct ProblemCase {
  const char* asked;
  const char* problem;     // a part of it
  const char* suggestion;  // the complete text
};

void PrintTo(const ProblemCase& param, std::ostream* out) { *out << param.asked; }

class ProblematicPolicy : public ::testing::TestWithParam<ProblemCase> {};

TEST_P(ProblematicPolicy, IsSaidWithTheNameThatIsMeant) {
  const PolicyVerdict verdict = CheckPolicy(GetParam().asked, /*with_trials=*/true);
  EXPECT_THAT(verdict.problem, HasSubstr(GetParam().problem));
  EXPECT_EQ(verdict.suggestion, GetParam().suggestion);
  EXPECT_TRUE(verdict.by_keys.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Strings, ProblematicPolicy,
    ::testing::Values(
        ProblemCase{"", "no filter", ""}, ProblemCase{"  ", "no filter", ""},
        ProblemCase{"filter_policy=", "no filter", ""}, ProblemCase{"nullptr", "no filter", ""},
        ProblemCase{"winow:12", "drops it", "winnow"},
        ProblemCase{"Winnow:12", "drops it", "winnow"},
        ProblemCase{"bloom:8", "drops it", "bloomfilter"},
        ProblemCase{"bloomfilter", "drops it", ""}, ProblemCase{"bloomfilter:ten", "drops it", ""},
        ProblemCase{"winnow:ten", "1 to 32", ""}, ProblemCase{"winnow:", "1 to 32", ""},
        ProblemCase{"winnow:99", "1 to 32", ""}, ProblemCase{"winnow:0", "1 to 32", ""},
        ProblemCase{"{id=winnow;bits=12}", "does not open", "bits_per_key"},
        ProblemCase{"{id=winnow:12; bloom_befor_level = 2}", "does not open", "bloom_before_level"},
        ProblemCase{"{id=winow;bits=12}", "drops it", "winnow"},
        ProblemCase{"{id=nullptr}", "drops it", ""},
        ProblemCase{"ribbonfilter:10:99999999999", "drops it", ""},
        ProblemCase{"{id=bloomfilter:10;colour=red}", "no such option", ""},
        ProblemCase{"{id=bloomfilter:10;colour=red}", "uses bloomfilter:10:false instead", ""},
        ProblemCase{"id=winnow;bits_per_key=12",
                    "In a table-options string and a column family's options string: "
                    "a database whose options ask for it does not open",
                    ""},
        ProblemCase{"id=winnow;bits_per_key=12", "In an OPTIONS file: RocksDB uses", ""},
        ProblemCase{"bloomfilter:0", "builds none", ""},
        ProblemCase{"rocksdb.BuiltinBloomFilter", "builds none", ""},
        ProblemCase{"something else", "drops it", ""}, ProblemCase{"{", "", ""}));

// The policy in force names its options; a new option must not be forgotten in the list.
TEST(PolicyCheckTest, AnUnknownOptionIsToldAllThatThereAre) {
  const std::string in_force = CheckPolicy("winnow", /*with_trials=*/false).in_force;
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const absl::string_view setting :
       absl::StrSplit(in_force, absl::ByAnyChar("{;}"), absl::SkipEmpty())) {
    const std::string name(setting.substr(0, setting.find('=')));
    if (name != "id") {
      names.push_back(name);
      values.emplace_back(setting.substr(setting.find('=')));
    }
  }
  EXPECT_THAT(names, Contains("bloom_before_level"));
  for (size_t i = 0; i < names.size(); ++i) {
    const PolicyVerdict verdict =
        CheckPolicy("{id=winnow;" + names[i] + "s" + values[i] + "}", /*with_trials=*/false);
    for (const std::string& other : names) {
      EXPECT_THAT(verdict.problem, ContainsRegex(other + "[,. )]")) << verdict.problem;
    }
    EXPECT_EQ(verdict.suggestion, names[i]);
  }
}

// The verdict on a string may depend on the place.
TEST(PolicyCheckTest, AnOptionsFileIsAPlaceOfItsOwn) {
  EXPECT_EQ(CheckPolicyOfFile("id=winnow;bits_per_key=10", /*with_trials=*/false).problem, "");
  EXPECT_THAT(CheckPolicyOfFile("{winnow:10}", /*with_trials=*/false).problem,
              HasSubstr("drops it"));
  EXPECT_THAT(CheckPolicyOfFile("filter_policy=winnow:10", /*with_trials=*/false).problem,
              HasSubstr("drops it"));
}

}  // namespace policy_check_test
}  // namespace winnow::inspect
