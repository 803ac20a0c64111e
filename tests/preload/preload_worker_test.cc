// Remote compactions with the interposer in the primary, the worker, or both.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_worker_test {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KindsOfFilters;
using ::testing::Not;
using testing::Preloading;
using testing::RunClient;

constexpr char kOwn[] = "string:filter_policy=winnow:10";
constexpr char kPolicy[] = "WINNOW_POLICY=winnow:10";
constexpr char kLog[] = "WINNOW_LOG=1";
constexpr char kWorkerSays[] =
    "winnow: compactions that this process does for another one lose Winnow's filters: ";
constexpr char kPrimarySays[] = "compactions by other processes lose Winnow's filters: ";

class PreloadWorkerTest : public ::testing::Test {
 protected:
  // Runs a remote compaction. All files but the last flush's are the worker's, unless it fails.
  void Run(const std::string& policy, const std::vector<std::string>& environment,
           const std::string& worker_policy, const std::string& worker_environment) {
    std::vector<std::string> all = environment;
    all.push_back("WORKER_POLICY=" + worker_policy);
    all.push_back("WORKER_ENVIRONMENT=" + worker_environment);
    const ChildResult result = RunClient({"remote", database_, policy, "4000"}, Preloading(all));
    ASSERT_EQ(result.status, 0) << result.errors;
    output_ = result.output;
    errors_ = result.errors;
    log_ = testing::ReadFile(database_ + "/LOG");
    EXPECT_THAT(RunClient({"read", database_, policy, "4000"}, Preloading(environment)).output,
                HasSubstr("missing=0 invented=0"));
  }

  void ExpectAllDone() { EXPECT_THAT(output_, Not(HasSubstr("done=0"))) << errors_; }

  testing::TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
  std::string output_;
  std::string errors_;
  std::string log_;
};

using Kinds = std::map<std::string, int>;
const Kinds kAllOurs = {{"winnow ribbon", 2}};

// RocksDB alone would crash.
TEST_F(PreloadWorkerTest, WithoutATableFactoryHasThatOfTheDatabasesOptions) {
  Run(kOwn, {}, "null", "");
  ExpectAllDone();
  EXPECT_EQ(KindsOfFilters(database_), kAllOurs);
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_THAT(log_, Not(HasSubstr(kPrimarySays)));
  Run("bloom:10", {kPolicy}, "null", "WINNOW_LOG=1");
  ExpectAllDone();
  EXPECT_EQ(KindsOfFilters(database_), kAllOurs);
  EXPECT_THAT(
      errors_,
      HasSubstr("compactions of " + database_ +
                " for another process have no table_factory and get that of the database's "
                "own options, with the filter policy \"bloomfilter:10:false\", which builds "
                "Winnow's filters"));
  EXPECT_THAT(errors_, Not(HasSubstr(kWorkerSays)));
  EXPECT_THAT(log_, Not(HasSubstr(kPrimarySays)));
}

TEST_F(PreloadWorkerTest, WithoutATableFactoryNorOptionsIsRefused) {
  const ChildResult result =
      RunClient({"worker", folder_ / "none", "null", "/dev/null"}, Preloading({}));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("DB::OpenAndCompact has no table_factory"),
                                   HasSubstr("the compaction's input is damaged or cut off")));
}

TEST_F(PreloadWorkerTest, HasItsPoliciesInterposedAndAdded) {
  for (const char* const worker : {"bloom:10", "ribbon:10:-1", kOwn}) {
    Run(kOwn, {}, worker, kPolicy);
    ExpectAllDone();
    EXPECT_EQ(KindsOfFilters(database_), kAllOurs) << worker;
    EXPECT_THAT(errors_ + log_, Not(HasSubstr(" lose Winnow's filters: "))) << worker;
  }
  Run("none", {kPolicy, "WINNOW_ADD=1", kLog}, "none", "");
  ExpectAllDone();
  EXPECT_EQ(KindsOfFilters(database_), kAllOurs);
  EXPECT_THAT(errors_ + log_, Not(HasSubstr(" lose Winnow's filters: ")));
  EXPECT_THAT(errors_, HasSubstr("column family default of " + database_ +
                                 " has no filter policy and gets one"));
  EXPECT_THAT(errors_, HasSubstr("have a table_factory with the filter policy \"nullptr\", which "
                                 "builds Winnow's filters"));
}

// The policy is new for each job and has not learned the tree.
TEST_F(PreloadWorkerTest, SaysThatAPlanKnowsNothingOfTheTree) {
  for (const char* const worker : {"null", "bloom:10"}) {
    Run("bloom:10", {"WINNOW_POLICY=winnow:10"}, worker, "");
    ExpectAllDone();
    std::string logs;
    for (const auto& job : std::filesystem::directory_iterator(folder_.path())) {
      if (job.path().extension() != ".files") continue;
      logs += testing::ReadFile(job.path() / "LOG");
      std::filesystem::remove_all(job.path());
    }
    EXPECT_THAT(logs, HasSubstr("level_plan=auto, without what "
                                "was learned of its tree (no text of ExportLearned came with it)"))
        << worker;
  }
}

// The worker finds out by the database's options, the primary by the file.
TEST_F(PreloadWorkerTest, WithoutOurFiltersIsSaidByBothSides) {
  Run(kOwn, {kLog}, "none", "WINNOW_LOG=0");
  ExpectAllDone();
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 1}, {"winnow ribbon", 1}}));
  EXPECT_THAT(errors_, AllOf(HasSubstr(std::string(kWorkerSays) +
                                       "table_factory of CompactionServiceOptionsOverride has no "
                                       "filter policy, and the database's own options have the "
                                       "filter policy \"winnow.Filter"),
                             HasSubstr(kPrimarySays + database_)));
  EXPECT_THAT(log_, AllOf(HasSubstr(kPrimarySays), HasSubstr("has no filter, as the worker's")));
  Run(kOwn, {}, "bloom:10", "");
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"built-in bloom", 1}, {"winnow ribbon", 1}}));
  EXPECT_THAT(errors_, AllOf(HasSubstr("has the filter policy \"bloomfilter:10:false\", and"),
                             Not(HasSubstr(kPrimarySays))));
  EXPECT_THAT(log_, HasSubstr("a filter of RocksDB's policy \"bloomfilter\""));
}

// A worker with an older Winnow cannot read the options. RocksDB decides if the job is done.
TEST_F(PreloadWorkerTest, SaysThatTheDatabasesOptionsCantBeRead) {
  const std::string change = "sh -c 'sed -i s/id=winnow.Filter\\;/\\&mesh=9\\;/ " + database_ +
                             "/OPTIONS-*; exec \"$0\" \"$@\"'";
  Run(kOwn, {}, "bloom:10", change);
  EXPECT_THAT(errors_, AllOf(HasSubstr("it can't be told whether compactions that this process "
                                       "does for another one lose Winnow's filters"),
                             HasSubstr("mesh"), HasSubstr("answer kUseLocal")));
}

// Both filters have the name of RocksDB's policy, so their bytes decide.
TEST_F(PreloadWorkerTest, WithoutThePreloadIsSaidWhereThePrimarysPolicyIsInterposed) {
  Run("bloom:10", {kPolicy}, "bloom:10", "");
  EXPECT_THAT(log_, Not(HasSubstr(kPrimarySays)));
  Run("bloom:10", {kPolicy}, "bloom:10", "-u LD_PRELOAD");
  ExpectAllDone();
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"built-in bloom", 1}, {"winnow ribbon", 1}}));
  EXPECT_THAT(log_, AllOf(HasSubstr(kPrimarySays),
                          HasSubstr("a filter of RocksDB's policy \"bloomfilter\"")));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(PreloadWorkerTest, IsRefusedByAMalformedRequest) {
  Run(kOwn, {}, "bloom:10", "WINNOW_POLICY=winnow:ten");
  EXPECT_THAT(output_, HasSubstr("done=0"));
  EXPECT_EQ(KindsOfFilters(database_), kAllOurs);
  EXPECT_THAT(errors_, HasSubstr("WINNOW_POLICY is \"winnow:ten\""));
}

}  // namespace preload_worker_test
}  // namespace winnow
