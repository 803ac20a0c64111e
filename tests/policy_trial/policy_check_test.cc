#include "src/policy_trial/policy_check.h"

#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
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

  const PolicyVerdict without_trials =
      CheckPolicy("filter_policy=winnow:10", /*with_trials=*/false);
  EXPECT_EQ(without_trials.problem, "");
  EXPECT_TRUE(without_trials.by_keys.empty());
  EXPECT_TRUE(without_trials.by_level.empty());
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

// The outcomes of many more strings are those of policy_outcomes_test.cc.
TEST(PolicyCheckTest, AProblemIsSaidWithTheNameThatIsMeant) {
  const struct {
    const char* asked;
    const char* problem;     // a part of it
    const char* suggestion;  // the complete text
  } cases[] = {{"", "no filter", ""},
               {"filter_policy=", "no filter", ""},
               {"nullptr", "no filter", ""},
               {"winow:12", "drops it", "winnow"},
               {"Winnow:12", "drops it", "winnow"},
               {"bloom:8", "drops it", "bloomfilter"},
               {"winnow:ten", "1 to 32", ""},
               {"{id=winnow;bits=12}", "does not open", "bits_per_key"},
               {"{id=winnow:12; bloom_befor_level = 2}", "does not open", "bloom_before_level"},
               {"{id=winow;bits=12}", "drops it", "winnow"},
               {"{id=bloomfilter:10;colour=red}", "no such option", ""},
               {"{id=bloomfilter:10;colour=red}", "uses bloomfilter:10:false instead", ""},
               {"id=winnow;bits_per_key=12", "A database whose options ask for it does not", ""},
               {"bloomfilter:0", "builds none", ""},
               {"rocksdb.BuiltinBloomFilter", "builds none", ""}};
  for (const auto& param : cases) {
    SCOPED_TRACE(param.asked);
    const PolicyVerdict verdict = CheckPolicy(param.asked, /*with_trials=*/true);
    EXPECT_THAT(verdict.problem, HasSubstr(param.problem));
    EXPECT_EQ(verdict.suggestion, param.suggestion);
    EXPECT_TRUE(verdict.by_keys.empty());
  }
}

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

}  // namespace policy_check_test
}  // namespace winnow::inspect
