// Exit of the command line tool if its output can't be written, or if it is interrupted.

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace tool_endings_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::RunTool;

class ToolEndingsTest : public testing::ToolExamples {
 protected:
  // Returns the arguments of all examples and other commands with output.
  std::vector<std::string> Everything() const {
    std::vector<std::string> all = AllExamples();
    for (const char* arguments : {"--help", "--version", "inspect --help",
                                  "policy winnow:10 --json", "policy winow --json"}) {
      all.emplace_back(arguments);
    }
    for (const char* verb : {"inspect", "verify"}) {
      all.push_back(std::string(verb) + " --json '" + folder_ / "db" + "'");
    }
    all.push_back("probe --json '" + folder_ / "db" + "' key");
    return all;
  }

  // Creates many hard links to one file, to keep a verb busy.
  std::string ManyFiles() {
    fs::create_directory(folder_ / "many");
    testing::WriteSst(testing::TableWith("winnow:10"), 20'000, folder_ / "many/000001.sst");
    for (int i = 2; i < 3'000; ++i) {
      fs::create_hard_link(folder_ / "many/000001.sst",
                           folder_ / ("many/" + std::to_string(100'000 + i) + ".sst"));
    }
    return folder_ / "many";
  }
};

TEST_F(ToolEndingsTest, NothingThatCanNotBeWrittenIsAllGood) {
  for (const std::string& arguments : Everything()) {
    for (const auto& [to, why] :
         {std::pair(" >/dev/full", "No space left on device"), {" >&-", "Bad file descriptor"}}) {
      const testing::ChildResult outcome = RunTool(arguments + to);
      EXPECT_EQ(outcome.status, 2) << arguments;
      EXPECT_THAT(outcome.errors, HasSubstr(std::string("could not be written in full: ") + why))
          << arguments;
    }
  }
}

TEST_F(ToolEndingsTest, AClosedStderrTakesNothingAway) {
  const std::string arguments = "inspect '" + folder_ / "db" + "'";
  const testing::ChildResult outcome = RunTool(arguments + " 2>&- <&-");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, RunTool(arguments).output);
}

TEST_F(ToolEndingsTest, AClosedPipeEndsItQuietly) {
  for (const bool ignored : {false, true}) {
    for (const std::string& arguments : Everything()) {
      int ends[2];
      ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
      close(ends[0]);
      const auto before = signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
      const testing::Started tool(arguments, ends[1], folder_ / "errors");
      signal(SIGPIPE, before);
      close(ends[1]);
      const int status = tool.Wait();
      EXPECT_TRUE(WIFSIGNALED(status)) << arguments << ": " << status;
      EXPECT_EQ(WTERMSIG(status), SIGPIPE) << arguments;
      EXPECT_THAT(tool.Errors(), ::testing::Not(HasSubstr("written"))) << arguments;
    }
  }
}

struct Ending {
  int status = 0;    // wait status
  pid_t worker = 0;  // a stopped worker of the tool
  std::string output;
  std::string errors;
};

// Interrupts the tool at work: after it has opened `pipe` if given, else when it has a worker,
// which is stopped so that the tool can't finish. Restarts a tool that has finished before.
Ending Interrupt(const std::string& arguments, int number, const testing::TemporaryFolder& folder,
                 const std::string& pipe = {}) {
  Ending ending;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::string path = folder / "output";
    const int output = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const testing::Started tool(arguments, output, folder / "errors");
    close(output);
    const int input = pipe.empty() ? -1 : open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    ending.worker = pipe.empty() ? tool.AwaitWorker() : 0;
    if (ending.worker != 0) {
      kill(ending.worker, SIGSTOP);
    }
    kill(tool.process(), number);
    ending.status = tool.Wait();
    if (input >= 0) {
      close(input);
    }
    ending.output = testing::ReadFile(path);
    ending.errors = tool.Errors();
    if (WIFSIGNALED(ending.status)) {
      break;
    }
  }
  return ending;
}

TEST_F(ToolEndingsTest, AnInterruptedVerbTakesItsWorkersWithIt) {
  const std::string many = " '" + ManyFiles() + "' ";
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string verbs_with_workers[] = {
      "verify" + many,
      "verify --json --jobs=1" + many,
      "probe" + many + testing::KeyOf(7) + " --exact",
      "inspect --jobs=1" + many,
      "policy winnow:10 --jobs=1" + many,
  };
  const std::string reader = "probe '" + folder_ / "file.sst" + "' '--keys=" + pipe + "'";
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto expect_end = [&](const std::string& arguments, const Ending& ending) {
      EXPECT_TRUE(WIFSIGNALED(ending.status)) << arguments << ": " << ending.status;
      EXPECT_EQ(WTERMSIG(ending.status), number) << arguments;
      EXPECT_THAT(ending.output, ::testing::IsEmpty()) << arguments;
      EXPECT_THAT(ending.errors, ::testing::IsEmpty()) << arguments;
    };
    expect_end(reader, Interrupt(reader, number, folder_, pipe));
    for (const std::string& arguments : verbs_with_workers) {
      const Ending ending = Interrupt(arguments, number, folder_);
      expect_end(arguments, ending);
      ASSERT_NE(ending.worker, 0) << arguments;
      EXPECT_EQ(kill(ending.worker, 0), -1) << arguments << " leaves a worker behind";
      EXPECT_EQ(errno, ESRCH);
    }
  }
}

// SIGKILL can't be handled: the kernel ends the workers, also stopped ones.
TEST_F(ToolEndingsTest, AKilledVerbLeavesNoWorkerBehind) {
  // Orphaned workers become children of this process, which waits for them.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const Ending ending = Interrupt("verify '" + ManyFiles() + "'", SIGKILL, folder_);
  EXPECT_EQ(WTERMSIG(ending.status), SIGKILL);
  ASSERT_NE(ending.worker, 0);
  int status = 0;
  ASSERT_EQ(waitpid(ending.worker, &status, WUNTRACED), ending.worker);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it is stopped, and left behind";
  if (WIFSTOPPED(status)) {
    kill(ending.worker, SIGKILL);
  }
  while (wait(nullptr) > 0) {
  }
}

}  // namespace tool_endings_test
}  // namespace winnow
