#include "tools/winnow/cli/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "src/cli/interruption.h"
#include "tests/support/files.h"

namespace winnow::tools {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;
using winnow::testing::ReadFile;
using winnow::testing::WriteFile;

class PrintTest : public ::testing::Test {
 protected:
  size_t FilesThere() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  winnow::testing::TemporaryFolder folder_;
};

TEST_F(PrintTest, AFileIsWrittenWhole) {
  const std::string text(1'000'000, 'x');
  EXPECT_TRUE(PrintToFile("inspect", folder_ / "new", text));
  EXPECT_EQ(ReadFile(folder_ / "new"), text);
  EXPECT_TRUE(PrintToFile("inspect", folder_ / "new", "y"));
  EXPECT_EQ(ReadFile(folder_ / "new"), "y");
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(PrintTest, ALinkStaysOne) {
  WriteFile(folder_ / "file", "old");
  fs::create_symlink("file", folder_ / "link");
  EXPECT_TRUE(PrintToFile("inspect", folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(ReadFile(folder_ / "file"), "new");
}

TEST_F(PrintTest, WhatCanNotBeWrittenIsSaid) {
  CaptureStderr();
  EXPECT_FALSE(PrintToFile("inspect", "/dev/full", "text"));
  EXPECT_EQ(GetCapturedStderr(),
            "winnow inspect: /dev/full could not be written in full: No space left on device\n");
  EXPECT_TRUE(PrintToFile("inspect", "/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  CaptureStderr();
  EXPECT_FALSE(PrintToFile("inspect", folder_ / "missing/file", "text"));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("missing/file could not be written in full: No such"));
  CaptureStderr();
  EXPECT_FALSE(PrintToFile("inspect", folder_.path(), "text"));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("Is a directory"));
  EXPECT_EQ(FilesThere(), 0u);
}

// A limit on file sizes stands for a full file system.
TEST_F(PrintTest, WhatWasThereStaysWhereTheNewOneDoesNotFit) {
  WriteFile(folder_ / "file", "old");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {1'000, 1'000};
    setrlimit(RLIMIT_FSIZE, &small);
    close(STDERR_FILENO);
    _exit(PrintToFile("inspect", folder_ / "file", std::string(5'000, 'x')) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ReadFile(folder_ / "file"), "old");
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(PrintTest, AnInterruptedProgramRemovesItsUnfinishedFile) {
  for (const int number : {SIGINT, SIGTERM}) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      signal(number, SIG_DFL);  // may be ignored if tests run in a shell's background
      cli::EndInOrderWhenInterrupted();
      const cli::UnfinishedFile unfinished(folder_ / "unfinished");
      cli::UnfinishedFile kept(folder_ / "kept");
      WriteFile(folder_ / "unfinished", "half");
      WriteFile(folder_ / "kept", "whole");
      kept.Keep();
      close(ready[1]);
      while (true) {
        pause();
      }
    }
    close(ready[1]);
    char none = 0;
    ASSERT_EQ(read(ready[0], &none, 1), 0);  // the other end is closed
    close(ready[0]);
    ASSERT_EQ(kill(child, number), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_FALSE(fs::exists(folder_ / "unfinished"));
    EXPECT_EQ(ReadFile(folder_ / "kept"), "whole");
  }
}

TEST_F(PrintTest, PlacesOfUnfinishedFilesAreUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    const std::string text = std::to_string(i);
    ASSERT_TRUE(PrintToFile("inspect", folder_ / text, text));
    ASSERT_EQ(ReadFile(folder_ / text), text);
  }
  EXPECT_EQ(FilesThere(), 100u);
}

}  // namespace
}  // namespace winnow::tools
