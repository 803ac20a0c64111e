// Tests of lists of policies, the policies that RocksDB creates from them, and the proof that they
// are in force.

#include "db_bench_ext/read_amplification/trees/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace policies_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PoliciesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(winnow_rocksdb_register(), 0); }
};

std::string Message(const absl::Status& status) { return std::string(status.message()); }

Policy Made(const std::string& asked) {
  absl::StatusOr<Policy> policy = MakePolicy(asked);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return policy.ok() ? *policy : Policy{};
}

TEST_F(PoliciesTest, AListIsCutAtCommasOutsideBraces) {
  EXPECT_THAT(*SplitPolicies("none, winnow:10 ,{id=winnow;x={a,b}},bloomfilter:10"),
              ElementsAre("none", "winnow:10", "{id=winnow;x={a,b}}", "bloomfilter:10"));
}

TEST_F(PoliciesTest, AListThatIsNotOneIsAnError) {
  EXPECT_THAT(Message(SplitPolicies("winnow:10,").status()), HasSubstr("is empty"));
  EXPECT_THAT(Message(SplitPolicies("").status()), HasSubstr("is empty"));
  EXPECT_THAT(Message(SplitPolicies("{winnow").status()), HasSubstr("don't match"));
  EXPECT_THAT(Message(SplitPolicies("win}n{ow").status()), HasSubstr("don't match"));
  EXPECT_THAT(Message(SplitPolicies("none,winnow,none").status()), HasSubstr("twice"));
}

TEST_F(PoliciesTest, PoliciesOfBothFormsAreMade) {
  EXPECT_EQ(Made("none").object, nullptr);
  EXPECT_EQ(Made("{id=winnow;bits_per_key=8.5}").Name(), "winnow.Filter");
}

TEST_F(PoliciesTest, WhatRocksDBWouldDropSilentlyIsAnError) {
  for (const char* asked :
       {"winow:10", "winnow:ten", "winnow:33", "{id=winnow;bits=10}", "nullptr"}) {
    const absl::StatusOr<Policy> policy = MakePolicy(asked);
    ASSERT_FALSE(policy.ok()) << asked;
    EXPECT_THAT(Message(policy.status()), HasSubstr(asked));
  }
}

TEST_F(PoliciesTest, FiltersOfThePolicyProveIt) {
  const struct {
    const char *asked, *name, *kinds[2];
  } cases[] = {{"none", "", {"none", "none"}},
               {"bloomfilter:10", "bloomfilter", {"builtin-bloom", "builtin-bloom"}},
               {"ribbonfilter:10", "ribbonfilter", {"builtin-bloom", "builtin-ribbon"}},
               {"winnow:10", "winnow.Filter", {"winnow-bloom", "winnow-ribbon"}}};
  for (const auto& [asked, name, kinds] : cases) {
    EXPECT_EQ(Made(asked).Name(), name);
    EXPECT_TRUE(
        ProveInForce(Made(asked), {{"1.sst", name, kinds[0], ""}, {"2.sst", name, kinds[1], ""}})
            .ok())
        << asked;
  }
}

TEST_F(PoliciesTest, AnythingElseInAnyFileIsRefused) {
  struct Case {
    std::string asked;
    std::vector<FoundFilter> files;
    std::string says;
  };
  const FoundFilter good = {"1.sst", "winnow.Filter", "winnow-ribbon", ""};
  // Files may lack a filter where the options say so, but not all files.
  FoundFilter lacks = {"2.sst", "winnow.Filter", "none", ""};
  lacks.may_lack = true;
  EXPECT_TRUE(ProveInForce(Made("winnow:10"), {good, lacks}).ok());
  FoundFilter of_other = lacks;
  of_other.policy_name = "bloomfilter";
  const Case cases[] = {
      {"winnow:10", {}, "no files"},
      {"winnow:10", {lacks}, "no file has a filter"},
      {"winnow:10", {good, of_other}, "2.sst was written with"},
      {"winnow:10",
       {good, {"2.sst", "bloomfilter", "builtin-bloom", ""}},
       "2.sst was written with"},
      {"winnow:10", {good, {"2.sst", "", "none", ""}}, "2.sst was written with no policy"},
      {"winnow:10", {good, {"2.sst", "winnow.Filter", "builtin-bloom", ""}}, "kind builtin-bloom"},
      {"winnow:10", {good, {"2.sst", "winnow.Filter", "none", ""}}, "kind none"},
      {"winnow:10", {good, {"2.sst", "winnow.Filter", "unknown", "it is torn"}}, "it is torn"},
      // The preloaded interposer writes such files for a program that requests a built-in policy.
      {"bloomfilter:10", {{"1.sst", "bloomfilter", "winnow-bloom", ""}}, "kind winnow-bloom"},
      {"bloomfilter:0", {{"1.sst", "bloomfilter", "none", ""}}, "kind none"},
      {"none", {{"1.sst", "bloomfilter", "builtin-bloom", ""}}, "where no policy was expected"},
  };
  for (const Case& c : cases) {
    const absl::Status status = ProveInForce(Made(c.asked), c.files);
    EXPECT_THAT(Message(status), HasSubstr("'" + c.asked + "' is not in force"));
    EXPECT_THAT(Message(status), HasSubstr(c.says));
  }
}

}  // namespace policies_test
}  // namespace winnow::bench
