#include "src/rocksdb/messages/stderr_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>

#include "src/base/stderr_line.h"
#include "tests/support/files.h"

namespace winnow::plugin {
namespace {

// If a program has closed stderr, the next opened file gets its descriptor.
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
  // The child process starts with the current stderr.
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
        for (size_t i = 0; i <= kMaxStderrLines; ++i) {
          SayOnceOnStderr(i < kMaxStderrLines ? std::string(i, '.') : "too many");
        }
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0),
      "winnow: [.]{99}; further lines of this process are left out\n$");
}

// RocksDB's files are closed on exec, unlike an inherited stderr.
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

// Makes descriptor 2 a pipe without a reader during its lifetime.
class ClosedPipeAsStderr {
 public:
  ClosedPipeAsStderr() : old_(base::StderrAtStart()), saved_(::dup(STDERR_FILENO)) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    ::close(ends[0]);
    base::SetStderrAtStart(base::StderrNow());
  }
  ~ClosedPipeAsStderr() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    base::SetStderrAtStart(old_);
  }

 private:
  const base::StderrDescriptor old_;
  const int saved_;
};

sigset_t SigpipeAlone() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  return set;
}

bool IsSigpipePending() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
}

std::atomic<int> num_sigpipes{0};

TEST(StderrLine, RaisesNoSigpipe) {
  const auto before = std::signal(SIGPIPE, [](int) { ++num_sigpipes; });
  {
    const ClosedPipeAsStderr closed;
    base::StderrLine().Add("nobody reads this").Write();
    errno = ENOENT;
    base::StderrLine().Add("nor this").Write();
    EXPECT_EQ(errno, ENOENT);
  }
  std::signal(SIGPIPE, before);
  EXPECT_EQ(num_sigpipes, 0);
}

// A program may handle signals at any time.
TEST(StderrLine, LeavesASigpipeThatWasPendingAndNoneOfItsOwn) {
  const auto raise_one = [](bool of_the_process) {
    return of_the_process ? ::kill(::getpid(), SIGPIPE) : ::raise(SIGPIPE);
  };
  const sigset_t sigpipe = SigpipeAlone();
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &sigpipe, &before), 0);
  constexpr timespec kNow = {0, 0};
  {
    const ClosedPipeAsStderr closed;
    base::StderrLine().Add("nobody reads this").Write();
    EXPECT_FALSE(IsSigpipePending()) << "one of our own is left";
    for (const bool of_the_process : {false, true}) {
      ASSERT_EQ(raise_one(of_the_process), 0);
      base::StderrLine().Add("nobody reads this").Write();
      EXPECT_TRUE(IsSigpipePending()) << "one of the program's own is gone";
      while (::sigtimedwait(&sigpipe, nullptr, &kNow) == SIGPIPE) {
      }
    }
    sigset_t now;
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &now), 0);
    EXPECT_EQ(::sigismember(&now, SIGPIPE), 1) << "the mask is not what it was";
  }
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
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
