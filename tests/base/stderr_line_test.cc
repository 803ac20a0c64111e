#include "src/rocksdb/stderr_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "src/base/stderr_line.h"
#include "tests/support/files.h"

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
      ::testing::ExitedWithCode(0),
      "winnow: [.]{99}; further lines of this process are left out\n$");
}

// RocksDB closes its files on exec; who inherited stderr did not.
TEST(SayOnceOnStderr, NeverWritesToAFileThatIsClosedOnExec) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "000012.log";
  const base::StderrDescriptor old = base::StderrAtStart();
  const int saved = ::dup(STDERR_FILENO);
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  ::dup3(file, STDERR_FILENO, O_CLOEXEC);
  const base::StderrDescriptor now = base::StderrNow();
  struct stat status;
  EXPECT_EQ(::fstat(file, &status), 0);
  base::SetStderrAtStart({status.st_dev, status.st_ino, true});
  SayOnceOnStderr("to a file with the inode that stderr had");
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  ::close(file);
  base::SetStderrAtStart(old);
  EXPECT_FALSE(now.is_open);
  EXPECT_EQ(testing::ReadFile(path), "");
}

TEST(Quoted, CutsAndEscapes) {
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("winnow:10"), "\"winnow:10\"");
  EXPECT_EQ(Quoted(std::string_view("a\0\xff\"\\", 5)), "\"a\\x00\\xff\\\"\\\\\"");
  EXPECT_EQ(Quoted(std::string(200, 'x')), "\"" + std::string(200, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(201, 'x')), "\"" + std::string(200, 'x') + "...\"");
}

TEST(StderrLineDeathTest, EndsALineThatIsTooLongWithDots) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        base::StderrLine().Add(std::string(5000, 'x').c_str()).Write();
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "^winnow: x{4084}[.][.][.]\n$");
}

}  // namespace
}  // namespace winnow::plugin
