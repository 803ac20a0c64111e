// What the command line tool says of itself, and that it is so: the examples of its help are run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/tool_testing.h"

namespace winnow {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using testing::ExamplesOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunTool;
using testing::VerbNames;

class ToolHelpTest : public testing::ToolExamples {};

TEST_F(ToolHelpTest, EveryExampleOfEveryVerbRuns) {
  const std::vector<std::string> verbs = VerbNames();
  EXPECT_THAT(verbs,
              ::testing::IsSupersetOf({"inspect", "verify", "probe", "policy", "help", "version"}));
  for (const std::string& verb : verbs) {
    const std::vector<std::string> examples = ExamplesOf(verb);
    EXPECT_THAT(examples, Not(IsEmpty())) << verb;
    for (const std::string& example : examples) {
      const ChildResult outcome = RunTool(ArgumentsOf(example));
      EXPECT_EQ(outcome.status, 0) << example << "\n" << outcome.errors;
      EXPECT_THAT(outcome.output, Not(IsEmpty())) << example;
      EXPECT_THAT(outcome.errors, IsEmpty()) << example;
    }
  }
}

TEST_F(ToolHelpTest, AVerbsHelpHasItsParts) {
  for (const std::string& verb : VerbNames()) {
    const ChildResult help = RunTool("help " + verb);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output.rfind("winnow " + verb, 0), 0u) << help.output;
    EXPECT_THAT(help.output, AllOf(HasSubstr("\nExamples:\n"), HasSubstr("\nExit codes:\n"),
                                   HasSubstr("  2  something could not be read")));
    if (verb != "help") {
      EXPECT_EQ(RunTool(verb + " --help").output, help.output);
    }
  }
  EXPECT_THAT(RunTool("help verify").output,
              AllOf(HasSubstr("\n  --samples=N (default: 10000)\n"),
                    HasSubstr("\n  --path=FOLDER\n"), HasSubstr("\n  --json\n")));
}

TEST_F(ToolHelpTest, VersionIsAVerb) {
  const ChildResult version = RunTool("version");
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.output, AllOf(HasSubstr("winnow 0."), HasSubstr("RocksDB ")));
  EXPECT_EQ(RunTool("--version").output, version.output);
  EXPECT_EQ(RunTool("version x").status, 2);
  EXPECT_EQ(RunTool("version --json").status, 2);
}

TEST_F(ToolHelpTest, WhatWasMeantIsGuessed) {
  const struct {
    const char* arguments;
    const char* said;
  } cases[] = {
      {"inspct x", "there is no verb 'inspct'; did you mean 'inspect'?"},
      {"VERIFY x", "did you mean 'verify'?"},
      {"pol x", "did you mean 'policy'?"},
      {"help proeb", "did you mean 'probe'?"},
      {"hlep", "did you mean 'help'?"},
      {"inspct --jsn x", "did you mean 'inspect'?"},
      {"verify --sample=10 x", "there is no flag --sample=10 for verify; did you mean --samples?"},
      {"inspect --jsno x", "did you mean --json?"},
      {"probe --exakt x", "did you mean --exact?"},
  };
  for (const auto& [arguments, said] : cases) {
    const ChildResult outcome = RunTool(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr(said)) << arguments;
  }
  for (const char* arguments : {"compact x", "help compact", "inspect --verbose x", "x", "-j"}) {
    const ChildResult outcome = RunTool(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.errors, Not(HasSubstr("did you mean"))) << arguments;
  }
}

}  // namespace
}  // namespace winnow
