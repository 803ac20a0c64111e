// `winnow refilter` on the command line: output, JSON, and exit codes. tests/refilter has more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_refilter_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::TableWith;

class VerbRefilterTest : public testing::VerbTest {
 protected:
  VerbRefilterTest() : VerbTest("refilter") {
    testing::PutAndFlush(OpenDatabase(options_, folder_ / "db").get(), {10'000});
  }

  const ROCKSDB_NAMESPACE::Options options_ = MakeOptions(TableWith("bloomfilter:10"));
};

TEST_F(VerbRefilterTest, SaysWhatItDidAndWhoCanAskTheFilters) {
  const ChildResult dry = Run(Quoted("db") + "--policy=winnow:10 --dry_run");
  EXPECT_EQ(dry.status, 0) << dry.errors;
  EXPECT_THAT(dry.output, AllOf(HasSubstr("1: 1 would change"), HasSubstr("written      0 bytes")));
  const json prepared = RunJson(Quoted("db") + "--policy=winnow:10 --prepare", 0);
  EXPECT_EQ(prepared.at("prepared"), true);
  EXPECT_EQ(prepared.at("bytes_written"), 0);
  const ChildResult done = Run(Quoted("db") + "--policy=winnow:10");
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("1: 1 changed, 0 have these filters already"));
  EXPECT_THAT(done.errors, HasSubstr("only processes with Winnow can ask Winnow's filters"));
  const json again = RunJson(Quoted("db") + "--policy=winnow:10", 0);
  EXPECT_EQ(again.at("schema"), "winnow.refilter/1");
  EXPECT_EQ(again.at("changed"), 0);
  EXPECT_EQ(again.at("same"), 1);
  EXPECT_EQ(again.at("remarks").size(), 1u);
  EXPECT_THAT(again.at("failed"), ::testing::IsEmpty());
}

TEST_F(VerbRefilterTest, TakesThePolicyOfTheEnvironmentOrOfTheOptionsFile) {
  EXPECT_EQ(RunJson(Quoted("db"), 0).at("changed"), 0);  // bloomfilter:10, as it was
  const std::string command = "WINNOW_POLICY=winnow:12 '" WINNOW_TOOL "' refilter --json ";
  const json document =
      testing::JsonOf(testing::RunProgram({"sh", "-c", command + Quoted("db")}), 0);
  EXPECT_EQ(document.at("changed"), 1);
  // With these, bits per key are those of the program.
  for (const std::string policy : {"read", "winnow"}) {
    const ChildResult outcome = testing::RunProgram(
        {"sh", "-c", "WINNOW_POLICY=" + policy + " '" WINNOW_TOOL "' refilter " + Quoted("db")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("which filters to write: give --policy"));
  }
}

TEST_F(VerbRefilterTest, ExitCodesAreThoseOfOtherVerbs) {
  const auto database = OpenDatabase(options_, folder_ / "db");
  const ChildResult open = Run(Quoted("db") + "--policy=winnow:10");
  EXPECT_EQ(open.status, 2);
  EXPECT_THAT(open.errors, HasSubstr("Close the database first"));
  testing::ExpectWrongUsage("refilter", "which database?");
  testing::ExpectWrongUsage("refilter a b", "one database at a time");
  testing::ExpectWrongUsage("refilter a --dry_run --prepare", "at once?");
  const ChildResult none = Run(Quoted("nothing"));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("there is no folder"));
}

TEST_F(VerbRefilterTest, AFileThatCanNotBeReadIsOne) {
  testing::FlipBits(testing::SstFilesIn(folder_ / "db").at(0), 100);
  const ChildResult outcome = Run(Quoted("db") + "--policy=winnow:10");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("It stays as it is"));
}

}  // namespace verb_refilter_test
}  // namespace winnow
