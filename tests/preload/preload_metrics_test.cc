// WINNOW_METRICS=FILE: counters of a preloaded program in a file that is rewritten.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_metrics_test {

namespace fs = std::filesystem;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::Preloading;
using testing::ReadFile;
using testing::RunClient;
using testing::RunProgram;
using ::testing::SizeIs;

class PreloadMetricsTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::vector<std::string>& arguments, const std::string& file,
                  const std::string& policy = "winnow:10") {
    ChildResult result =
        RunClient(arguments, Preloading({"WINNOW_POLICY=" + policy, "WINNOW_METRICS=" + file}));
    EXPECT_EQ(result.status, 0) << result.errors;
    return result;
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

TEST_F(PreloadMetricsTest, EachProcessCanHaveAFile) {
  Run({"ask-and-fork"}, metrics_ / "of-%p-%p.prom");
  EXPECT_THAT(Files(), SizeIs(1)) << "a child that asks for nothing has none";
  Run({"daemon", database_, "bloom:10", "100"}, metrics_ / "%p.prom");
  ASSERT_THAT(Files(), SizeIs(3)) << "of the process that asked, and of its child, which reads";
  for (const std::string& file : Files()) {
    if (file.find("of-") != std::string::npos) continue;
    const std::string label = "pid=\"" + fs::path(file).stem().string() + "\"}";
    EXPECT_THAT(ReadFile(file), HasSubstr("winnow_filter_lookups_total{" + label + " "));
    EXPECT_THAT(ReadFile(file), HasSubstr("{kind=\"ribbon\"," + label + " "));
  }
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
  ASSERT_TRUE(fs::create_directory(folder_ / "metrics"));
  std::string client = "env";
  for (const std::string& variable :
       Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_METRICS=metrics/winnow.prom"})) {
    client += " " + variable;
  }
  client += std::string(" ") + PRELOAD_CLIENT;
  const ChildResult result = RunProgram({"sh", "-c",
                                         "cd '" + folder_.path() + "' && mkfifo input && { " +
                                             client + R"( ask-until-end <input 3>&- &
    client=$!
    exec 3>input
    before=
    for i in $(seq 600); do
      now=$(stat -c %i metrics/winnow.prom 2>/dev/null) || now=
      [ -n "$before" ] || before=$now
      [ "$now" = "$before" ] || break
      sleep 0.1
    done
    [ "$now" != "$before" ] || exit 3
    kill -9 $client
    wait $client
    grep -q '^winnow_build_info{' metrics/winnow.prom; })"});
  EXPECT_EQ(result.status, 0) << result.errors;
}

}  // namespace preload_metrics_test
}  // namespace winnow
