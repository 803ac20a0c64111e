// WINNOW_ADD: filters for programs that request none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow {
namespace preload_add_test {

using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using testing::NewestOptionsFile;
using testing::Preloading;
using testing::RunClient;
using testing::RunProgram;
using testing::TemporaryFolder;
using Kinds = std::map<std::string, int>;

constexpr char kKeys[] = "10000";

std::vector<std::string> Adding(std::vector<std::string> more = {},
                                const std::string& policy = "winnow:10") {
  more.insert(more.begin(), {"WINNOW_POLICY=" + policy, "WINNOW_ADD=1"});
  return Preloading(more);
}

class PreloadAddTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::string& what, const std::string& how,
                  const std::vector<std::string>& environment, const std::string& policy = "none") {
    ChildResult result = RunClient({what, how + database_, policy, kKeys}, environment);
    EXPECT_EQ(result.status, 0) << result.errors;
    if (what == "read") {
      EXPECT_THAT(result.output, HasSubstr("missing=0 invented=0")) << result.errors;
    }
    return result;
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

class PreloadAddOpenTest : public PreloadAddTest,
                           public ::testing::WithParamInterface<const char*> {};

TEST_P(PreloadAddOpenTest, BuildsAndUsesFilters) {
  Run("write", GetParam(), Adding());
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"winnow ribbon", 2}}));
  EXPECT_THAT(Run("read", GetParam(), Adding()).output, HasSubstr("useful=9"));
  EXPECT_THAT(Run("read", GetParam(), {}).output, HasSubstr("useful=0"));
}

INSTANTIATE_TEST_SUITE_P(EveryWay, PreloadAddOpenTest,
                         ::testing::Values("", "transaction@", "optimistic@", "ttl@"));

TEST_F(PreloadAddTest, ReadOnlyAndSecondaryUseTheFilters) {
  Run("write", "", Adding());
  for (const char* how : {"read-only@", "secondary@"}) {
    EXPECT_THAT(Run("read", how, {}).output, HasSubstr("useful=0")) << how;
    EXPECT_THAT(Run("read", how, Adding()).output, HasSubstr("useful=9")) << how;
  }
}

TEST_F(PreloadAddTest, FollowersUseTheFilters) {
#if WINNOW_ROCKSDB_HAS_FOLLOWERS
  Run("write", "", Adding());
  EXPECT_THAT(Run("read", "follower@", {}).output, HasSubstr("useful=0"));
  const ChildResult adding = Run("read", "follower@", Adding({"WINNOW_LOG=1"}));
  EXPECT_THAT(adding.output, HasSubstr("useful=9"));
  EXPECT_THAT(LinesThatBegin(adding.errors, "winnow: column family"),
              ElementsAre(EndsWith(".follower has no filter policy and gets one")));
#else
  GTEST_SKIP() << "this RocksDB has no DB::OpenAsFollower";
#endif
}

TEST_F(PreloadAddTest, ProgramsOfTheCApiGetFiltersToo) {
  const ChildResult result =
      RunProgram({PRELOAD_C_CLIENT, database_, "none", "0", kKeys}, Adding());
  EXPECT_EQ(result.output, "missing=0 invented=0\n") << result.errors;
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"winnow ribbon", 1}}));
}

TEST_F(PreloadAddTest, EveryColumnFamilyWithoutAPolicyGetsOne) {
  const ChildResult result = Run("write", "families@", Adding({"WINNOW_LOG=1"}));
  // "default" and "second" have a flushed and a compacted file each; "own" requests Ribbon filters.
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"winnow ribbon", 6}}));
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: each of"),
              ElementsAre("winnow: each of 2 column families of " + database_ +
                          " (default, second) has no filter policy and gets one"));
  Run("read", "families@", Adding());
  Run("read", "families@", {});
}

TEST_F(PreloadAddTest, CustomComparatorsAndPrefixExtractorsAreLeftAlone) {
  for (const char* policy : {"winnow:10", "read", "{id=winnow;build=bloomfilter}"}) {
    for (const auto& [family, reason] : std::map<std::string, std::string>{
             {"COMPARATOR=equal-cases", "a comparator"},
             {"PREFIX=4",
              "a prefix extractor, with which a filter would hide rows from scans with "
              "neither auto_prefix_mode nor total_order_seek"}}) {
      const ChildResult result = Run("write", "", Adding({"WINNOW_LOG=1", family}, policy));
      EXPECT_THAT(LinesThatBegin(result.errors, ""),
                  ElementsAre(HasSubstr("winnow: in force"),
                              HasSubstr("gets no filter policy: it has " + reason)))
          << policy << " " << family;
    }
    EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 2}})) << policy;
  }
}

class PreloadAddLaterTest : public PreloadAddOpenTest {};

TEST_P(PreloadAddLaterTest, ColumnFamiliesThatAreMadeLaterGetFilters) {
  const std::string how = GetParam();
  Run("later-families", how, Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=0"}));
  const int files = how == "transaction@" ? 4 : 6;  // without an imported one
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", files}}));
  const std::string stock = NewestOptionsFile(database_);
  const ChildResult result = Run("later-families", how, Adding({"WINNOW_LOG=1"}));
  // The imported column family gets one more key.
  EXPECT_EQ(KindsOfFilters(database_),
            how == "transaction@" ? (Kinds{{"winnow ribbon", files}})
                                  : (Kinds{{"winnow bloom", 1}, {"winnow ribbon", files - 1}}));
  EXPECT_TRUE(NewestOptionsFile(database_) == stock);
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: column family four"),
              ElementsAre("winnow: column family four of " + database_ +
                          " has no filter policy and gets one"));
}

TEST_P(PreloadAddLaterTest, IteratorsSeeTheSameAfterAPrefixExtractorIsSet) {
  const std::string how = GetParam();
  const ChildResult stock = Run("prefixes", how, {});
  EXPECT_THAT(stock.output, HasSubstr("cccc -> dddd"));
  const ChildResult with = Run("prefixes", how, Adding({"WINNOW_LOG=1"}));
  EXPECT_EQ(with.output, stock.output);
  EXPECT_THAT(LinesThatBegin(with.errors, "winnow: column family default of " + database_ +
                                              " gets no more filters"),
              ::testing::SizeIs(1))
      << with.errors;
  EXPECT_THAT(testing::ReadFile(database_ + "/LOG"),
              HasSubstr("[winnow] column family default gets no more filters of WINNOW_ADD"));
  // The files of the following compaction, and of the flush after the extractor was removed.
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 2}}));
  for (const char* policy : {"read", "{id=winnow;build=bloomfilter}"}) {
    EXPECT_EQ(Run("prefixes", how, Adding({}, policy)).output, stock.output) << policy;
    EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 2}})) << policy;
  }
}

// The files' filters have prefixes, since the program had an extractor and a policy then.
TEST_P(PreloadAddLaterTest, IteratorsSeeTheSameOfOldPrefixes) {
  const std::string how = GetParam();
  for (const std::vector<std::string>& writer :
       {std::vector<std::string>{"PREFIX=4"},
        Preloading({"WINNOW_POLICY=winnow:10", "PREFIX=4"})}) {
    Run("write", how, writer, "bloom:10");
    const std::string stock = Run("old-prefixes", how, {}).output;
    EXPECT_THAT(stock, Not(HasSubstr("end")));
    for (const char* policy : {"WINNOW_POLICY=winnow", "WINNOW_POLICY=read"}) {
      const ChildResult with =
          Run("old-prefixes", how, Preloading({policy, "WINNOW_ADD=1", "WINNOW_LOG=1"}));
      EXPECT_EQ(with.output, stock) << policy;
      EXPECT_THAT(with.errors,
                  HasSubstr("column family default of " + database_ + " gets no more filters"))
          << policy;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWay, PreloadAddLaterTest,
                         ::testing::Values("", "transaction@", "optimistic@"));

TEST_F(PreloadAddTest, AMalformedPolicyKeepsADatabaseFromBeingOpened) {
  for (const char* how : {"", "families@", "transaction@"}) {
    const ChildResult result = RunClient({"write", how + database_, "none", "10"},
                                         Preloading({"WINNOW_POLICY=winnow:99", "WINNOW_ADD=1"}));
    EXPECT_EQ(result.status, 3) << how;
    EXPECT_THAT(result.errors, HasSubstr("Invalid argument: WINNOW_POLICY is \"winnow:99\""));
  }
}

}  // namespace preload_add_test
}  // namespace winnow
