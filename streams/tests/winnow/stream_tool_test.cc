// Tests that the program has the verbs of streams, also in builds without RocksDB, and that the
// examples in their help run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::testing {
namespace stream_tool_test {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(StreamToolTest, ExamplesRun) {
  const TemporaryFolder folder;
  WriteFile(folder / "KEYS", "one\ntwo\n");
  ASSERT_EQ(RunProgram({WINNOW_TOOL, "pages", "build", "--capacity=1000", folder / "PAGES", "KEY"})
                .status,
            0);
  for (const char* verb : {"size", "pages", "dedup", "help", "version"}) {
    const std::string help = RunProgram({WINNOW_TOOL, "help", verb}).output;
    const size_t at = help.find("\nExamples:\n");
    ASSERT_NE(at, std::string::npos) << verb;
    for (const std::string& example : LinesThatBegin(help.substr(at), "  winnow ")) {
      const ChildResult outcome = RunProgram(
          {"sh", "-c", "cd '" + folder.path() + "' && '" WINNOW_TOOL "' " + example.substr(9)});
      EXPECT_EQ(outcome.status, 0) << example << "\n" << outcome.errors;
      EXPECT_THAT(outcome.output, Not(IsEmpty())) << example;
    }
  }
}

}  // namespace stream_tool_test
}  // namespace winnow::testing
