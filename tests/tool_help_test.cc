// What the command line tool says of itself, and that it is so: the examples of its help are run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/child_process.h"
#include "tests/files.h"
#include "tests/inspect_testing.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using ::testing::Not;
using testing::RunProgram;

ChildResult RunTool(const std::string& arguments) {
  return RunProgram({"sh", "-c", "'" WINNOW_TOOL "' " + arguments});
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// As the overall help has them.
std::vector<std::string> VerbNames() {
  std::vector<std::string> names;
  for (const std::string& line : LinesThatBegin(RunTool("help").output, "  winnow ")) {
    const std::string rest = line.substr(9);
    names.push_back(rest.substr(0, rest.find(' ')));
  }
  return names;
}

std::vector<std::string> ExamplesOf(const std::string& verb) {
  const std::string help = RunTool("help " + verb).output;
  const size_t at = help.find("\nExamples:\n");
  return at == std::string::npos ? std::vector<std::string>()
                                 : LinesThatBegin(help.substr(at), "  winnow ");
}

// What the names in capitals stand for.
class ToolHelpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto options = testing::MakeOptions(testing::TableWith("winnow:10"));
    {
      const auto database = testing::OpenDatabase(options, folder_ / "db");
      for (uint64_t i = 0; i < 1'000; ++i) {
        ASSERT_STATUS_OK(
            database->Put(ROCKSDB_NAMESPACE::WriteOptions(), testing::KeyOf(i), "value"));
      }
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    testing::WriteSst(options, 1'000, folder_ / "file.sst");
    testing::WriteFile(folder_ / "keys", testing::KeyOf(1) + "\n" + testing::KeyOf(2) + "\n");
    std::string latest;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
      const std::string path = entry.path().string();
      if (path.find("OPTIONS-") != std::string::npos) {
        latest = std::max(latest, path);
      }
    }
    stands_for_ = {{"OPTIONS", latest},
                   {"FILE.sst", folder_ / "file.sst"},
                   {"KEYS", folder_ / "keys"},
                   {"KEY", testing::KeyOf(3)},
                   {"DB", folder_ / "db"}};
  }

  std::string CommandOf(std::string example) const {
    example = example.substr(std::string("  winnow ").size());
    for (const auto& [name, what] : stands_for_) {
      example = Replaced(example, " " + name, " '" + what + "'");
      example = Replaced(example, "=" + name, "='" + what + "'");
    }
    return example;
  }

  testing::TemporaryFolder folder_;
  std::vector<std::pair<std::string, std::string>> stands_for_;
};

TEST_F(ToolHelpTest, EveryExampleOfEveryVerbRuns) {
  const std::vector<std::string> verbs = VerbNames();
  EXPECT_THAT(verbs,
              ::testing::IsSupersetOf({"inspect", "verify", "probe", "policy", "help", "version"}));
  for (const std::string& verb : verbs) {
    const std::vector<std::string> examples = ExamplesOf(verb);
    EXPECT_THAT(examples, Not(IsEmpty())) << verb;
    for (const std::string& example : examples) {
      const ChildResult outcome = RunTool(CommandOf(example));
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
