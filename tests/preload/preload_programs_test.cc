// The interposer in ldb, an unmodified program of the distribution. With db_bench, the tests
// roll_out.db_bench take a database to Winnow and back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_programs_test {

using testing::ChildResult;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::NewestOptionsFile;
using testing::Preloading;
using testing::RocksDBProgram;
using testing::RunProgram;
using testing::TemporaryFolder;
using Kinds = std::map<std::string, int>;

class PreloadProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }

  static ChildResult Run(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
    ChildResult result = RunProgram(command, environment);
    EXPECT_EQ(result.status, 0) << command[0] << " is installed by tools/setup.sh; it said "
                                << result.errors;
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(PreloadProgramsTest, LdbBuildsAndReadsWinnowFilters) {
  WINNOW_SKIP_WITHOUT("ldb");
  const std::vector<std::string> environment = Preloading({"WINNOW_POLICY=winnow:10"});
  const std::string database = folder_ / "db";
  const std::string option = "--db=" + database;
  Run({RocksDBProgram("ldb"), option, "--create_if_missing", "--bloom_bits=10", "batchput", "one",
       "1", "two", "2"},
      environment);
  Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "compact"}, environment);
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"winnow bloom", 1}}));
  // Without the preload, ldb gives a family without a merge operator one.
  EXPECT_THAT(NewestOptionsFile(database), HasSubstr("merge_operator=nullptr"));
  EXPECT_EQ(
      Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "get", "two"}, environment).output,
      "2\n");
  EXPECT_EQ(Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "get", "two"}, {}).output,
            "2\n");
}

// ldb does not know the program's merge operator, and would put another one in its place.
TEST_F(PreloadProgramsTest, LdbChangesNoDatabaseWhoseMergeOperatorItDoesNotKnow) {
  WINNOW_SKIP_WITHOUT("ldb");
  const std::string ldb = RocksDBProgram("ldb");
  const std::string database = folder_ / "db";
  const std::string option = "--db=" + database;
  const std::string renamed = folder_ / "admin";
  ASSERT_EQ(RunProgram({"sh", "-c", "cp \"$(command -v '" + ldb + "')\" '" + renamed + "'"}).status,
            0);
  for (const char* how : {"", "families@"}) {
    ASSERT_EQ(testing::RunClient({"count", how + database, "bloom:10", "100"}, {}).status, 0);
    const std::string options = NewestOptionsFile(database);
    for (const std::vector<std::string>& command : {
             std::vector<std::string>{ldb, option, "compact"},
             {ldb, option, "--try_load_options", "compact"},
             {ldb, option, "--try_load_options=false", "compact"},
             {ldb, option, "--ignore_unknown_options", "put", "a", "b"},
             {ldb, option, "checkpoint", "--checkpoint_dir=" + (folder_ / "checkpoint")},
             {ldb, option, "backup", "--backup_dir=" + (folder_ / "backup")},
             {ldb, option, "delete", "a"},
             {ldb, option, "repair"},
             {"sh", "-c", "nice '" + ldb + "' " + option + " compact"},
             {renamed, option, "compact"},
         }) {
      for (const char* policy : {"WINNOW_POLICY=winnow:10", "WINNOW_POLICY=read"}) {
        const ChildResult result = RunProgram(command, Preloading({policy}));
        EXPECT_EQ(result.status, 1) << ::testing::PrintToString(command) << result.output;
        EXPECT_THAT(result.errors, HasSubstr("Nothing was changed. Let the service"));
      }
    }
    EXPECT_EQ(NewestOptionsFile(database), options);
    EXPECT_EQ(testing::RunClient({"counted", how + database, "bloom:10", "100"}, {}).output,
              "wrong=0\n");
    // Verbs that open read-only are let through.
    for (const char* verb : {"scan", "list_column_families", "manifest_dump"}) {
      EXPECT_EQ(RunProgram({ldb, option, verb}, Preloading({"WINNOW_POLICY=winnow:10"})).status, 0)
          << verb;
    }
  }
}

}  // namespace preload_programs_test
}  // namespace winnow
