// Lines that state if Winnow is in force in a process, and which column families it does not
// affect.

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
namespace preload_state_line_test {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Preloading;
using testing::ReadFile;
using testing::RunClient;
using testing::RunProgram;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

// A program without RocksDB that keeps stderr open until exit; GNU coreutils close it.
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

TEST_F(PreloadStateLineTest, SaysWhatIsInForce) {
  const struct {
    std::vector<std::string> environment;
    const char* said;
  } cases[] = {
      {{"WINNOW_POLICY=winnow:10"}, "build Winnow's filters with bits_per_key=10;[^,]*=auto;"},
      {{"WINNOW_ADD=1"}, "WINNOW_POLICY is not set.*; WINNOW_ADD=1 has no effect without WINNOW"},
      {{"WINNOW_POLICY=winnow", "WINNOW_ADD=1"},
       ", but each with its own bits_per_key; column families without a policy get one;"},
      {{"WINNOW_POLICY=stock", "WINNOW_ADD=1"}, "is stock,.*; WINNOW_ADD=1 has no effect then;"},
      {{"WINNOW_POLICY=read", "WINNOW_ADD=1"},
       "; built-in policies build what the program asks for, and read Winnow's filters too; "
       "column families without a policy get one that reads, and builds none;"},
      {{"WINNOW_POLICY={id=winnow;build=bloomfilter;bits_per_key=12}", "WINNOW_ADD=1"},
       "; built-in policies build RocksDB's filters, and read Winnow's too, with bits_per_key=12;"
       ".*;build=bloomfilter;level_plan=auto; column families without a policy get one;"},
      {{"WINNOW_POLICY=winnow:99"}, "; databases with filters don't open: "},
      {{"WINNOW_POLICY=winnow:99", "WINNOW_ADD=1"}, "; databases don't open but to be read: "},
  };
  for (const auto& [environment, said] : cases) {
    EXPECT_THAT(Lines({PRELOAD_CLIENT, "idle"}, environment),
                ElementsAre(MatchesRegex(
                    "winnow: (not )?in force in preload_client \\([0-9]+\\): .*" +
                    std::string(said) + ".* the program asked for no filter policy and.*")));
  }
}

TEST_F(PreloadStateLineTest, SaysThatNoPolicyWasAskedFor) {
  const TemporaryFolder folder;
  EXPECT_THAT(Lines({PRELOAD_CLIENT, "write", folder / "db", "bloom:10", "10"}, {}),
              ElementsAre(AllOf(HasSubstr("winnow: in force"),
                                EndsWith("WINNOW_POLICY is not set, so that the program's policies "
                                         "stay what they are; its options may name winnow"))));
}

TEST_F(PreloadStateLineTest, SaysWhichFiltersAPolicyBuilds) {
  const std::map<std::string, std::string> said = {
      {"winnow:10", "builds Winnow filters, bits_per_key=10;"},
      {"read", "builds RocksDB's own filters, as the program asked, and reads Winnow's too ("},
      {"{id=winnow;build=bloomfilter;bits_per_key=12}",
       "builds RocksDB's bloomfilter:12, and reads Winnow's too ("},
  };
  const TemporaryFolder folder;
  for (const auto& [policy, words] : said) {
    EXPECT_THAT(Lines({PRELOAD_CLIENT, "write", folder / "db", "bloom:10", "10"},
                      {"WINNOW_POLICY=" + policy}),
                Contains(HasSubstr("winnow: filter policy bloomfilter:10:false " + words)));
  }
}

TEST_F(PreloadStateLineTest, SaysWhatIsWrongInTheEnvironment) {
  const struct {
    const char* variable;
    const char* said;
  } cases[] = {
      {"WINNOW_POLCY=winnow:10", "\"WINNOW_POLCY=winnow:10\" in the environment is not one of"},
      {"winnow_policy=winnow", "\"winnow_policy=winnow\" in the environment is not one of"},
      {"WINNOW_=",
       "\"WINNOW_=\" in the environment is not one of Winnow's variables, which are "
       "WINNOW_POLICY, WINNOW_ADD, WINNOW_LOG"},
      {"WINNOW_ADD=true", "\"WINNOW_ADD=true\" in the environment is not 1, and only 1 has"},
      {"WINNOW_SHARED_HASH=off", "\"WINNOW_SHARED_HASH=off\" in the environment has no effect any"},
      {"WINNOW_POLICY=", "\"WINNOW_POLICY=\" in the environment is empty, and counts as not set"},
      {"WINNOW_X=\x1b[2J\n", "\"WINNOW_X=\\x1b[2J\\x0a\" in the environment"},
  };
  for (const auto& [variable, said] : cases) {
    for (const std::vector<std::string>& command : {kShell, {PRELOAD_CLIENT, "idle"}}) {
      EXPECT_THAT(Lines(command, {variable}), ElementsAre(HasSubstr(said))) << command[0];
    }
  }
  for (const char* variable :
       {"WINNOW_ADD=1", "WINNOW_ADD=0", "WINNOW_ADD=", "WINNOW_KERNEL=portable", "WINNOWS=1"}) {
    EXPECT_THAT(Lines(kShell, {variable}), ElementsAre(Not(HasSubstr("environment")))) << variable;
  }
}

TEST_F(PreloadStateLineTest, IsSaidForAnythingButZeroAndNothing) {
  for (const char* variable : {"WINNOW_LOG=0", "WINNOW_LOG=", "OTHER=1"}) {
    EXPECT_THAT(RunProgram(kShell, Preloading({variable, "WINNOW_POLCY=1"})).errors, IsEmpty())
        << variable;
  }
  EXPECT_THAT(RunProgram(kShell, Preloading({"WINNOW_LOG=yes"})).errors,
              HasSubstr("\"WINNOW_LOG=yes\" in the environment is not 1, and counts as 1"));
}

TEST_F(PreloadStateLineTest, IsSaidOnceByEachProgramAndNotByItsForks) {
  EXPECT_THAT(
      Lines({"bash", "-c", "(:); (:); bash -c : | perl -e 1; true"}, {}),
      UnorderedElementsAre(HasSubstr("in bash ("), HasSubstr("in bash ("), HasSubstr("in perl (")));
}

// ---- Column families that it has no part in

class PreloadFamilyNotesTest : public ::testing::Test {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }

  std::vector<std::string> Notes(const std::string& verb, const std::string& how,
                                 const std::string& policy,
                                 const std::vector<std::string>& environment) {
    const ChildResult result =
        RunClient({verb, how + database_, policy, "100"}, Preloading(environment));
    EXPECT_EQ(result.status, 0) << result.errors;
    return LinesThatBegin(result.errors, "winnow: column family");
  }

  std::string Note(const std::string& family) const {
    return "winnow: column family " + family + " of " + database_ +
           " has no filter policy: files get no filters, and those that files have are not used; ";
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
  const std::vector<std::string> winnow_ = {"WINNOW_POLICY=winnow", "WINNOW_LOG=1"};
};

TEST_F(PreloadFamilyNotesTest, SayOnceHoweverADatabaseIsOpenedThatItHasNoPolicy) {
  for (const char* how : {"", "transaction@", "optimistic@", "ttl@"}) {
    EXPECT_THAT(Notes("write", how, "none", winnow_),
                ElementsAre(Note("default") + "WINNOW_ADD=1 gives it one"))
        << how;
    EXPECT_THAT(ReadFile(database_ + "/LOG"),
                HasSubstr("[winnow] column family default has no filter policy: "))
        << how;
  }
  for (const char* how : {"read-only@", "secondary@"}) {
    for (const char* policy : {"WINNOW_POLICY=winnow", "WINNOW_POLICY=read"}) {
      Notes("write", "", "none", winnow_);
      EXPECT_THAT(Notes("read", how, "none", {policy, "WINNOW_LOG=1"}),
                  ElementsAre(Note("default") + "WINNOW_ADD=1 gives it one"))
          << how;
    }
  }
  EXPECT_THAT(ReadFile(database_ + ".secondary/LOG"), HasSubstr("[winnow] column family default"));
}

TEST_F(PreloadFamilyNotesTest, NameFamiliesThatAreMadeOrImportedLater) {
  std::vector<std::string> expected;
  for (const char* family : {"default", "one", "four", "five"}) {
    expected.push_back(Note(family) + "WINNOW_ADD=1 gives it one");
  }
  EXPECT_THAT(Notes("later-families", "", "none", winnow_),
              ::testing::UnorderedElementsAreArray(expected));
  EXPECT_THAT(ReadFile(database_ + "/LOG"),
              AllOf(HasSubstr("[winnow] column family five has no filter policy: "),
                    HasSubstr("[winnow] each of 2 column families (two, three) has no filter ")));
}

TEST_F(PreloadFamilyNotesTest, AHundredFamiliesGiveOneLine) {
  const auto of_hundred = [&](const std::string& verb, const std::string& policy,
                              const std::vector<std::string>& environment) {
    return LinesThatBegin(
        RunClient({verb, "hundred@" + database_, policy, "2"}, Preloading(environment)).errors,
        "winnow: each of 100 column families of " + database_ +
            " (default, family1, family2, family3, ...) ");
  };
  const auto count = [&](const std::string& text) {
    const std::string log = ReadFile(database_ + "/LOG");
    int found = 0;
    for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  for (const char* families : {"that are created", "that exist"}) {
    EXPECT_THAT(of_hundred("read", "none", winnow_),
                ElementsAre(HasSubstr("has no filter policy: files get no filters")))
        << families;
    EXPECT_EQ(count("[winnow] each of 100 column families (default, family1, "), 1) << families;
    EXPECT_EQ(count(" has no filter policy: "), 1) << families;
  }
  std::vector<std::string> adding = winnow_;
  adding.emplace_back("WINNOW_ADD=1");
  EXPECT_THAT(of_hundred("read", "none", adding),
              ElementsAre(HasSubstr("has no filter policy and gets one")));
  // Each has a policy of its own, and flushes a file.
  EXPECT_THAT(of_hundred("again", "bloom:10", winnow_), IsEmpty());
  EXPECT_EQ(count(" builds the filters of policy bloomfilter:10"), 1);
}

TEST_F(PreloadFamilyNotesTest, SayWhatWouldHelpWithoutAnyVariable) {
  EXPECT_THAT(Notes("write", "", "none", {"WINNOW_LOG=1"}),
              ElementsAre(Note("default") + "WINNOW_POLICY=winnow with WINNOW_ADD=1 gives it one"));
  EXPECT_THAT(ReadFile(database_ + "/LOG"), Not(HasSubstr("[winnow]")));
}

TEST_F(PreloadFamilyNotesTest, AreNotWhereNothingIsMissingOrNobodyAsks) {
  EXPECT_THAT(Notes("write", "families@", "bloom:10", winnow_), IsEmpty());
  EXPECT_THAT(ReadFile(database_ + "/LOG"), Not(HasSubstr("column family default has")));
  EXPECT_THAT(Notes("write", "", "string:filter_policy=winnow:10", {"WINNOW_LOG=1"}), IsEmpty());
  EXPECT_THAT(Notes("write", "", "none", {"WINNOW_POLICY=winnow"}), IsEmpty());
}

// RocksDB builds no filters with 0 bits.
TEST_F(PreloadFamilyNotesTest, APolicyOfNoBitsBuildsNoneAndSaysSo) {
  const ChildResult result = RunClient({"write", database_, "bloom:0", "100"}, Preloading(winnow_));
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: filter policy"),
              ElementsAre(HasSubstr("bloomfilter:0:false builds no filters")));
  EXPECT_THAT(ReadFile(database_ + "/LOG"),
              HasSubstr("for policy bloomfilter:0:false, which builds no filters"));
  EXPECT_THAT(testing::KindsOfFilters(database_), ElementsAre(::testing::Pair("none", 2)));
}

}  // namespace preload_state_line_test
}  // namespace winnow
