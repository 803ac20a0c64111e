// Programs with an in-tree Winnow built with WINNOW_STAND_IN=1, or linked with an archive made by
// `winnow adopt`, compared with the same programs with RocksDB alone. tests/repo/in_tree_test.sh
// and tests/preload/adopt_test.sh build them and run this test with environment variables:
// STAND_IN_CLIENT and STAND_IN_C_CLIENT, the paths of preload_client.cc's and preload_c_client.cc's
// programs; STAND_IN_PLACE, the description of Winnow's location on stderr.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/preload/traces.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

using testing::AllAreWinnows;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using ::testing::Not;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::Traces;
using Kinds = std::map<std::string, int>;
using Environment = std::vector<std::string>;

constexpr int kKeys = 100'000;
// Number of keys if the resulting files are compared byte by byte.
constexpr int kFewKeys = 10'000;
const Environment kUnset;
const Environment kWinnow = {"WINNOW_POLICY=winnow:10"};
const Environment kStock = {"WINNOW_POLICY=stock"};

// Requests for built-in policies.
const std::vector<std::string> kPolicies = {"bloom:10",
                                            "bloom:0",
                                            "ribbon:10:-1",
                                            "ribbon:10:0",
                                            "string:filter_policy=bloomfilter:10",
                                            "string:filter_policy=ribbonfilter:12:3"};
const std::vector<std::string> kPoliciesOfC = {"bloom", "bloom_full", "ribbon", "ribbon_hybrid"};

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) {
    ADD_FAILURE() << name
                  << " is not set: run tests/repo/in_tree_test.sh or tests/preload/adopt_test.sh";
    return "false";
  }
  return value;
}

bool IsAdopted() { return Variable("STAND_IN_PLACE") == "an adopted archive"; }

class StandInTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::string& what, const std::string& policy,
                  const Environment& environment) {
    return RunProgram({Variable("STAND_IN_CLIENT"), what, database_, policy, std::to_string(keys_)},
                      environment);
  }
  ChildResult RunC(const std::string& policy, const Environment& environment) {
    std::filesystem::remove_all(database_);
    return RunProgram(
        {Variable("STAND_IN_C_CLIENT"), database_, policy, "10", std::to_string(keys_)},
        environment);
  }
  // Runs the client with RocksDB alone.
  ChildResult RunPlain(const std::string& what, const std::string& policy) {
    return RunProgram({PRELOAD_CLIENT, what, database_, policy, std::to_string(keys_)}, {});
  }
  ChildResult RunPlainC(const std::string& policy) {
    std::filesystem::remove_all(database_);
    return RunProgram({PRELOAD_C_CLIENT, database_, policy, "10", std::to_string(keys_)}, {});
  }

  Traces TracesOf(const ChildResult& result) const { return testing::TracesOf(result, database_); }

  const std::string& database() const { return database_; }
  void SetKeys(int keys) { keys_ = keys; }

 private:
  int keys_ = kKeys;
  testing::TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

// Returns the number of data blocks read for absent keys. Expects that all keys are found.
int BlocksReadForAbsentKeys(const ChildResult& read) {
  EXPECT_THAT(read.output, HasSubstr("missing=0 invented=0")) << read.errors;
  return std::stoi(read.output.substr(read.output.find("absent_blocks=") + 14));
}

TEST_F(StandInTest, WithoutTheVariableAProgramLeavesWhatItLeavesWithRocksDBAlone) {
  SetKeys(kFewKeys);
  for (const std::string& policy : kPolicies) {
    const Traces plain = TracesOf(RunPlain("write", policy));
    EXPECT_TRUE(TracesOf(Run("write", policy, kUnset)) == plain) << policy;
    EXPECT_TRUE(TracesOf(Run("write", policy, {"WINNOW_POLICY="})) == plain) << policy;
  }
  for (const std::string& policy : kPoliciesOfC) {
    const Traces plain = TracesOf(RunPlainC(policy));
    EXPECT_TRUE(TracesOf(RunC(policy, kUnset)) == plain) << policy;
  }
}

TEST_F(StandInTest, WithoutTheVariableWinnowsFiltersAreRead) {
  ASSERT_EQ(Run("write", "bloom:10", kWinnow).status, 0);
  ASSERT_TRUE(AllAreWinnows(KindsOfFilters(database())));
  const int ours = BlocksReadForAbsentKeys(Run("read", "bloom:10", kWinnow));
  EXPECT_LT(ours, kKeys * 3 / 100);
  EXPECT_EQ(BlocksReadForAbsentKeys(Run("read", "bloom:10", kUnset)), ours);
  EXPECT_EQ(BlocksReadForAbsentKeys(Run("read", "string:filter_policy=bloomfilter:10", kUnset)),
            ours);
}

TEST_F(StandInTest, ByWinnowsPolicyFiltersAreWinnowsAndRocksDBAloneFindsAllKeys) {
  for (const std::string& policy : kPolicies) {
    if (policy == "bloom:0") continue;
    const ChildResult written = Run("write", policy, kWinnow);
    EXPECT_EQ(written.status, 0) << policy << written.errors;
    EXPECT_THAT(written.errors, IsEmpty()) << policy;
    EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database()))) << policy;
    EXPECT_LT(BlocksReadForAbsentKeys(Run("read", policy, kWinnow)), kKeys * 3 / 100) << policy;
    EXPECT_GT(BlocksReadForAbsentKeys(RunPlain("read", policy)), kKeys * 95 / 100) << policy;
  }
}

TEST_F(StandInTest, ByWinnowsPolicyThoseOfTheCApiAreTooAndRocksDBAloneFindsAllKeys) {
  for (const std::string& policy : kPoliciesOfC) {
    const ChildResult written = RunC(policy, kWinnow);
    EXPECT_EQ(written.status, 0) << policy << written.errors;
    EXPECT_EQ(written.output, "missing=0 invented=0\n") << policy;
    EXPECT_THAT(written.errors, IsEmpty()) << policy;
    EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database()))) << policy;
    // The C client writes the first keys of the same sequence.
    const ChildResult read =
        RunProgram({PRELOAD_C_CLIENT, database(), policy, "10", "1000"}, Environment());
    EXPECT_EQ(read.output, "missing=0 invented=0\n") << policy << read.errors;
  }
}

TEST_F(StandInTest, OptionsNameWinnowWhateverTheVariableSays) {
  for (const Environment& environment : {kUnset, kStock, kWinnow}) {
    ASSERT_EQ(Run("write", "string:filter_policy=winnow:10", environment).status, 0);
    EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database())));
  }
}

TEST_F(StandInTest, StockLeavesAllAsItWas) {
  SetKeys(kFewKeys);
  std::vector<std::string> policies = kPolicies;
  policies.insert(policies.end(), {"none", "string:filter_policy=winow:10"});
  for (const std::string& policy : policies) {
    const Traces plain = TracesOf(RunPlain("write", policy));
    EXPECT_TRUE(TracesOf(Run("write", policy, {"WINNOW_POLICY=stock", "WINNOW_ADD=1"})) == plain)
        << policy;
    const ChildResult read = RunPlain("read", policy);
    const ChildResult by_us = Run("read", policy, kStock);
    EXPECT_EQ(by_us.output, read.output) << policy;
    EXPECT_EQ(by_us.errors, read.errors) << policy;
  }
  for (const std::string& policy : kPoliciesOfC) {
    const Traces plain = TracesOf(RunPlainC(policy));
    EXPECT_TRUE(TracesOf(RunC(policy, kStock)) == plain) << policy;
  }
  // "stock" does not read existing Winnow filters either.
  ASSERT_EQ(Run("write", "bloom:10", kWinnow).status, 0);
  EXPECT_GT(BlocksReadForAbsentKeys(Run("read", "bloom:10", kStock)), kFewKeys * 95 / 100);
}

TEST_F(StandInTest, SaysThatNothingIsAdded) {
  if (IsAdopted()) GTEST_SKIP() << "policies are added there: preload_add_test";
  for (const char* policy : {"none", "bloom:10"}) {
    const ChildResult result = Run("write", policy, {"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(LinesThatBegin(result.errors, ""),
                ElementsAre(StartsWith("winnow: WINNOW_ADD has no effect")))
        << policy;
  }
  Run("write", "none", {"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"});
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"none", 2}}));
}

TEST_F(StandInTest, SaysWhatIsInForceWhereThatIsAsked) {
  const struct {
    Environment environment;
    const char* said;
  } cases[] = {
      {kUnset, "; built-in policies build what the program asks for, and read Winnow's filters"},
      {kWinnow, "; built-in policies build Winnow's filters with bits_per_key=10;"},
      {kStock, "; WINNOW_POLICY is stock, so that the program's policies stay what they are"},
  };
  for (const auto& [environment, said] : cases) {
    Environment logging = environment;
    logging.emplace_back("WINNOW_LOG=1");
    const ChildResult result = Run("write", "bloom:10", logging);
    EXPECT_THAT(LinesThatBegin(result.errors, "winnow: in force in "),
                ElementsAre(AllOf(HasSubstr(" in " + Variable("STAND_IN_PLACE") + " of RocksDB"),
                                  HasSubstr(said))));
  }
  const ChildResult threads =
      RunProgram({Variable("STAND_IN_CLIENT"), "ask-in-threads"}, {"WINNOW_LOG=1"});
  EXPECT_EQ(threads.status, 0) << threads.errors;
  EXPECT_THAT(LinesThatBegin(threads.errors, "winnow: in force in "), ::testing::SizeIs(1));
}

TEST_F(StandInTest, AMalformedPolicyKeepsDatabasesFromOpeningButForTheCApi) {
  const Environment wrong = {"WINNOW_POLICY=winow:10"};
  const ChildResult result = Run("write", "bloom:10", wrong);
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(LinesThatBegin(result.errors, "preload_client: "),
              ElementsAre(StartsWith("preload_client: Invalid argument: WINNOW_POLICY is")));
  const ChildResult by_c = RunC("bloom_full", wrong);
  if (IsAdopted()) {  // Winnow's DB::Open has reported everything
    EXPECT_THAT(result.errors, Not(HasSubstr("winnow: ")));
    EXPECT_EQ(by_c.status, 3);
    EXPECT_THAT(by_c.errors, StartsWith("preload_c_client: Invalid argument: WINNOW_POLICY is"));
    return;
  }
  EXPECT_THAT(result.errors, StartsWith("winnow: WINNOW_POLICY is \"winow:10\""));
  EXPECT_EQ(by_c.output, "missing=0 invented=0\n");
  EXPECT_THAT(by_c.errors, HasSubstr("winnow: WINNOW_POLICY is \"winow:10\""));
}

}  // namespace
}  // namespace winnow
