// Each job goes to one worker, and a dead worker is distinguished from a busy one.

#include "tests/distributed/job_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow::distributed {
namespace {

using State = JobFolder::State;

const Job kJob = {"/db", std::string("in\0put", 6), "learned"};

// Worker in a child process, since a process does not see its own locks. It reports when `work` is
// done, and waits to be killed.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    process_ = fork();
    if (process_ == 0) {
      work();
      if (write(ends[1], "+", 1) == 1) pause();
      _exit(1);
    }
    close(ends[1]);
    char said = 0;
    EXPECT_EQ(read(ends[0], &said, 1), 1) << "the worker died";
    close(ends[0]);
  }
  ~Worker() { Kill(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t process() const { return process_; }

  void Kill() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

class JobFolderTest : public ::testing::Test {
 protected:
  const testing::TemporaryFolder temporary_;
  const std::string path_ = temporary_ / "jobs";
  JobFolder jobs_{path_};
};

TEST_F(JobFolderTest, AJobComesWholeAndOnce) {
  jobs_.Put("a-1", kJob);
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kWaiting);
  const auto taken = jobs_.Take();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->id(), "a-1");
  EXPECT_EQ(taken->job().database, kJob.database);
  EXPECT_EQ(taken->job().input, kJob.input);
  EXPECT_EQ(taken->job().learned, kJob.learned);
  EXPECT_EQ(jobs_.Take(), nullptr);
  EXPECT_FALSE(jobs_.Withdraw("a-1"));
  taken->Finish({"", "out"});
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kDone);
  EXPECT_EQ(jobs_.ResultOf("a-1").output, "out");
}

TEST_F(JobFolderTest, WhatIsWithdrawnComesToNobody) {
  jobs_.Put("a-1", kJob);
  EXPECT_TRUE(jobs_.Withdraw("a-1"));
  EXPECT_EQ(jobs_.Take(), nullptr);
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kLost);
}

TEST_F(JobFolderTest, AJobIsLostWhenItsWorkerIsKilledAndNotBefore) {
  jobs_.Put("a-1", kJob);
  Worker worker([this] { (void)JobFolder(path_).Take().release(); });
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kTaken);
  EXPECT_EQ(jobs_.Holders(), std::vector<pid_t>{worker.process()});
  jobs_.ForgetAll();
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kTaken) << "a living worker has it";
  worker.Kill();
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kLost);
}

TEST_F(JobFolderTest, AJobThatIsDoneStaysSoWhenItsWorkerIsKilled) {
  jobs_.Put("a-1", kJob);
  Worker worker([this] { JobFolder(path_).Take()->Finish({"IO error", ""}); });
  worker.Kill();
  EXPECT_EQ(jobs_.StateOf("a-1"), State::kDone);
  EXPECT_EQ(jobs_.ResultOf("a-1").error, "IO error");
}

}  // namespace
}  // namespace winnow::distributed
