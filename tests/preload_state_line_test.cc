// The line in which a process says whether Winnow is in force.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/files.h"
#include "tests/preload_setup.h"

namespace winnow {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Preloading;
using testing::RunClient;
using testing::RunProgram;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

// A program without RocksDB, which keeps its stderr to the end: those of GNU's coreutils close it.
const std::vector<std::string> kShell = {"bash", "-c", ":"};

class PreloadStateLineTest : public ::testing::Test {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }

  static std::vector<std::string> Lines(const std::vector<std::string>& command,
                                        std::vector<std::string> environment) {
    environment.emplace_back("WINNOW_LOG=1");
    const ChildResult result = RunProgram(command, Preloading(environment));
    EXPECT_EQ(result.status, 0) << result.errors;
    return LinesThatBegin(result.errors, "");
  }
};

TEST_F(PreloadStateLineTest, OfAProgramWithoutRocksDBSaysWhatIsMissing) {
  EXPECT_THAT(Lines(kShell, {}),
              ElementsAre(MatchesRegex("winnow: not in force in bash \\([0-9]+\\): the shared "
                                       "RocksDB that it was built for, librocksdb.so.*, is not in "
                                       "this process")));
}

TEST_F(PreloadStateLineTest, OfAProgramThatAsksForNothingSaysSo) {
  EXPECT_THAT(Lines({PRELOAD_CLIENT, "idle"}, {"WINNOW_POLICY=winnow:10"}),
              ElementsAre(AllOf(HasSubstr("winnow: in force in preload_client ("),
                                HasSubstr("bits_per_key=10;"),
                                HasSubstr("the program asked for no filter policy"))));
}

TEST_F(PreloadStateLineTest, SaysThatNoPolicyWasAskedFor) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      Lines({PRELOAD_CLIENT, "write", folder / "db", "bloom:10", "10"}, {}),
      ElementsAre(AllOf(HasSubstr("winnow: in force"), HasSubstr("WINNOW_POLICY is not set"),
                        Not(HasSubstr("the program asked for no")))));
}

TEST_F(PreloadStateLineTest, SaysWhatIsWrongInTheEnvironment) {
  const struct {
    const char* variable;
    const char* said;
  } cases[] = {
      {"WINNOW_POLCY=winnow:10", "\"WINNOW_POLCY=winnow:10\" in the environment is no variable"},
      {"winnow_policy=winnow", "\"winnow_policy=winnow\" in the environment is no variable"},
      {"WINNOW_=",
       "\"WINNOW_=\" in the environment is no variable of Winnow's, which are "
       "WINNOW_POLICY, WINNOW_ADD, WINNOW_LOG"},
      {"WINNOW_ADD=true", "\"WINNOW_ADD=true\" in the environment is not 1"},
      {"WINNOW_X=\x1b[2J\n", "\"WINNOW_X=\\x1b[2J\\x0a\" in the environment"},
  };
  for (const auto& [variable, said] : cases) {
    for (const std::vector<std::string>& command : {kShell, {PRELOAD_CLIENT, "idle"}}) {
      EXPECT_THAT(Lines(command, {variable}), ElementsAre(HasSubstr(said))) << command[0];
    }
  }
  for (const char* variable : {"WINNOW_ADD=1", "WINNOW_ADD=0", "WINNOW_ADD=",
                               "WINNOW_KERNEL=portable", "WINNOW_SHARED_HASH=off", "WINNOWS=1"}) {
    EXPECT_THAT(Lines(kShell, {variable}), ElementsAre(Not(HasSubstr("environment")))) << variable;
  }
}

TEST_F(PreloadStateLineTest, IsSaidForAnythingButZeroAndNothing) {
  for (const char* variable : {"WINNOW_LOG=0", "WINNOW_LOG=", "OTHER=1"}) {
    EXPECT_THAT(RunProgram(kShell, Preloading({variable, "WINNOW_POLCY=1"})).errors, IsEmpty())
        << variable;
  }
  EXPECT_THAT(RunProgram(kShell, Preloading({"WINNOW_LOG=yes"})).errors,
              HasSubstr("\"WINNOW_LOG=yes\" in the environment is not 1"));
}

TEST_F(PreloadStateLineTest, IsSaidOnceByEachProgramAndNotByItsForks) {
  EXPECT_THAT(
      Lines({"bash", "-c", "(:); (:); bash -c : | perl -e 1; true"}, {}),
      UnorderedElementsAre(HasSubstr("in bash ("), HasSubstr("in bash ("), HasSubstr("in perl (")));
}

TEST_F(PreloadStateLineTest, IsSaidOnceByManyThreads) {
  EXPECT_THAT(LinesThatBegin(RunClient({"ask-in-threads"},
                                       Preloading({"WINNOW_POLICY=winnow", "WINNOW_LOG=1"}))
                                 .errors,
                             "winnow: in force"),
              SizeIs(1));
}

}  // namespace
}  // namespace winnow
