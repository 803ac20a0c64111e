#include "src/rocksdb/stderr_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/files.h"

namespace winnow::plugin {
namespace {

// A program that closed stderr: the next file that is opened has its number.
TEST(SayOnceOnStderr, NeverWritesToAnotherFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "000012.sst";
  const int saved = ::dup(STDERR_FILENO);
  ::close(STDERR_FILENO);
  SayOnceOnStderr("nothing is open");
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  SayOnceOnStderr("another file");
  const bool was_reused = file == STDERR_FILENO;
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  EXPECT_TRUE(was_reused);
  EXPECT_EQ(testing::ReadFile(path), "");
}

TEST(SayOnceOnStderrDeathTest, WritesEachLineOnceAndNotTooMany) {
  // The child is started with the stderr that it has.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        for (int round = 0; round < 3; ++round) {
          SayOnceOnStderr("a line");
          SayOnceOnStderr("and another");
        }
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "^winnow: a line\nwinnow: and another\n$");
  EXPECT_EXIT(
      {
        for (size_t i = 0; i <= kMostStderrLines; ++i) {
          SayOnceOnStderr(i < kMostStderrLines ? std::string(i, '.') : "too many");
        }
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "winnow: [.]{99}\n$");
}

}  // namespace
}  // namespace winnow::plugin
