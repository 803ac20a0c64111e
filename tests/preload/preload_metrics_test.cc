// WINNOW_METRICS=FILE: counters of a preloaded program in a file that is rewritten.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_metrics_test {

namespace fs = std::filesystem;
using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Preloading;
using testing::ReadFile;
using testing::RunClient;
using ::testing::SizeIs;

// A process that reads a database and then runs until it is ended.
class Reader {
 public:
  Reader(const std::string& database, const std::string& metrics) {
    const std::vector<std::string> environment =
        Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_METRICS=" + metrics});
    const char* const client =
        testing::AdoptedClient() == nullptr ? PRELOAD_CLIENT : testing::AdoptedClient();
    int input[2];
    EXPECT_EQ(::pipe2(input, O_CLOEXEC), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      for (const std::string& variable : environment) ::putenv(const_cast<char*>(variable.c_str()));
      ::execl(client, client, "read-until-end", database.c_str(), "bloom:10", "100", nullptr);
      ::_exit(127);
    }
    ::close(input[0]);
    input_ = input[1];
  }
  ~Reader() {
    if (process_ != 0) Kill();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::string id() const { return std::to_string(process_); }

  void End() {
    ::close(std::exchange(input_, -1));
    EXPECT_EQ(Wait(), 0);
  }
  void Kill() {
    ::kill(process_, SIGKILL);
    Wait();
    if (input_ >= 0) ::close(std::exchange(input_, -1));
  }

 private:
  int Wait() {
    int status = -1;
    EXPECT_EQ(::waitpid(process_, &status, 0), process_);
    process_ = 0;
    return status;
  }

  pid_t process_ = 0;
  int input_ = -1;
};

class PreloadMetricsTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::vector<std::string>& arguments, const std::string& file,
                  const std::string& policy = "winnow:10") {
    ChildResult result =
        RunClient(arguments, Preloading({"WINNOW_POLICY=" + policy, "WINNOW_METRICS=" + file}));
    EXPECT_EQ(result.status, 0) << result.errors;
    return result;
  }

  // Returns the path of a new database, written without metrics.
  std::string MakeDatabase(const std::string& name) {
    Run({"write", folder_ / name, "bloom:10", "100"}, "");
    return folder_ / name;
  }

  // Waits for a file among those of the metrics.
  bool Has(const std::string& file) const {
    return testing::Becomes([&] { return fs::exists(metrics_ / file); },
                            std::chrono::milliseconds(10));
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(metrics_.path())) {
      files.push_back(entry.path().string());
    }
    return files;
  }

  testing::TemporaryFolder folder_;
  testing::TemporaryFolder metrics_;
  const std::string database_ = folder_ / "db";
  const std::string file_ = metrics_ / "winnow.prom";
};

TEST_F(PreloadMetricsTest, TheFileHasTheCountersOfTheWholeProcess) {
  EXPECT_EQ(Run({"write", database_, "bloom:10", "10000"}, file_).errors, "");
  const std::string text = ReadFile(file_);
  EXPECT_THAT(text, HasSubstr("\nwinnow_filters_built_total{kind=\"ribbon\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE winnow_filter_lookups_total counter\n"));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_THAT(Files(), SizeIs(1)) << "temporary files stay";
  struct stat status = {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0444, 0444u) << "a collector is another user";

  Run({"read", database_, "bloom:10", "10000"}, file_);
  EXPECT_THAT(ReadFile(file_), HasSubstr("\nwinnow_filters_built_total{kind=\"ribbon\"} 0\n"));
  EXPECT_THAT(ReadFile(file_), ::testing::Not(HasSubstr("\nwinnow_filter_lookups_total 0\n")));
}

TEST_F(PreloadMetricsTest, EachProcessCanHaveAFileWhileItLives) {
  {
    Reader first(MakeDatabase("first"), metrics_ / "of-%p-%p.prom");
    Reader second(MakeDatabase("second"), metrics_ / "%p.prom");
    ASSERT_TRUE(Has("of-" + first.id() + "-" + first.id() + ".prom"));
    ASSERT_TRUE(Has(second.id() + ".prom"));
    const std::string text = ReadFile(metrics_ / (second.id() + ".prom"));
    const std::string label = "pid=\"" + second.id() + "\"}";
    EXPECT_THAT(text, HasSubstr("\nwinnow_filter_lookups_total{" + label + " "));
    EXPECT_THAT(text, HasSubstr("{kind=\"ribbon\"," + label + " "));
    const std::string file_of_first = metrics_ / ("of-" + first.id() + "-" + first.id() + ".prom");
    first.End();
    EXPECT_FALSE(fs::exists(file_of_first));
    EXPECT_TRUE(fs::exists(metrics_ / (second.id() + ".prom")));
    second.End();
  }
  EXPECT_THAT(Files(), IsEmpty());

  Run({"ask-and-fork"}, metrics_ / "%p.prom");
  EXPECT_THAT(Files(), IsEmpty()) << "the child asks for nothing";
  // A daemon's first process ends by _exit().
  MakeDatabase("db");
  Run({"daemon", database_, "bloom:10", "100"}, metrics_ / "%p.prom");
  Run({"read", database_, "bloom:10", "100"}, metrics_ / "%p.prom");
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(PreloadMetricsTest, AKilledProcessLeavesItsFileToTheNextThatBegins) {
  const std::string name = metrics_ / "winnow-%p.prom";
  Reader killed(MakeDatabase("first"), name);
  Reader lives(MakeDatabase("second"), name);
  const std::string file_of_killed = "winnow-" + killed.id() + ".prom";
  const std::string file_of_lives = "winnow-" + lives.id() + ".prom";
  ASSERT_TRUE(Has(file_of_killed));
  ASSERT_TRUE(Has(file_of_lives));
  killed.Kill();
  EXPECT_TRUE(fs::exists(metrics_ / file_of_killed));
  std::ofstream(metrics_ / "winnow-99999999.prom") << "metric{pid=\"99999999\"} 1\n";
  Reader next(MakeDatabase("third"), name);
  ASSERT_TRUE(Has("winnow-" + next.id() + ".prom"));
  EXPECT_FALSE(fs::exists(metrics_ / file_of_killed));
  EXPECT_TRUE(fs::exists(metrics_ / file_of_lives));
  next.End();
  lives.End();
  EXPECT_THAT(Files(), ElementsAre(metrics_ / "winnow-99999999.prom")) << "of another program";
}

TEST_F(PreloadMetricsTest, WithoutAFileOrWinnowsPolicyNothingIsWritten) {
  Run({"write", database_, "bloom:10", "100"}, "");
  Run({"idle"}, file_);
  Run({"read", database_, "bloom:10", "100"}, file_, "stock");
  EXPECT_THAT(Files(), SizeIs(0));
}

TEST_F(PreloadMetricsTest, AFileThatCantBeWrittenIsReportedOnce) {
  const ChildResult result =
      Run({"write", database_, "bloom:10", "100"}, metrics_ / "none/winnow.prom");
  EXPECT_EQ(result.errors,
            "winnow: WINNOW_METRICS: metrics can't be written to \"" +
                (metrics_ / "none/winnow.prom") +
                "\" (No such file or directory); expected a file in a folder in which this "
                "process may create files\n");
  EXPECT_THAT(Run({"read", database_, "bloom:10", "100"}, metrics_.path()).errors,
              HasSubstr("Is a directory"));
  EXPECT_THAT(Files(), SizeIs(0));
}

// A killed process leaves the last complete file. Each rewrite replaces the file, so its inode
// changes.
TEST_F(PreloadMetricsTest, TheFileIsRewrittenWhileTheProcessRuns) {
  const auto inode = [this] {
    struct stat status = {};
    return ::stat(file_.c_str(), &status) == 0 ? status.st_ino : 0;
  };
  Reader reader(MakeDatabase("db"), file_);
  ASSERT_TRUE(Has("winnow.prom"));
  const ino_t first = inode();
  EXPECT_TRUE(testing::Becomes([&] { return inode() != first; }, std::chrono::milliseconds(100)));
  reader.Kill();
  EXPECT_THAT(ReadFile(file_), HasSubstr("winnow_build_info{"));
}

}  // namespace preload_metrics_test
}  // namespace winnow
