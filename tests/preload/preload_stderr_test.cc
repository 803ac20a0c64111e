// The interposer's output in programs that close descriptor 2, never had it, or whose reader waits
// for its end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_stderr_test {

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Preloading;
using testing::ReadFile;
using testing::RunClient;
using testing::RunProgram;
using testing::TemporaryFolder;

const std::vector<std::string> kLogging =
    Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1", "WINNOW_LOG=1"});

class PreloadStderrTest : public ::testing::Test {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }

  // Runs a shell command, in which $CLIENT is the client and $DB a database.
  ChildResult Shell(const std::string& command) const {
    std::vector<std::string> environment = {"CLIENT=" + std::string(PRELOAD_CLIENT),
                                            "DB=" + database_};
    // Preloads into the client only, not into the shell.
    std::string preload;
    for (const std::string& variable : kLogging) {
      preload += " '" + variable + "'";
    }
    environment.push_back("PRELOAD=env" + preload);
    return RunProgram({"sh", "-c", "with() { eval \"$PRELOAD\" '\"$@\"'; }; " + command},
                      environment);
  }

  // Expects that only the databases' LOG files have lines of Winnow's.
  void ExpectNoLineInFiles() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "")) {
      if (entry.is_regular_file()) {
        EXPECT_EQ(ReadFile(entry.path().string()).find("winnow: "), std::string::npos)
            << entry.path();
      }
    }
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_F(PreloadStderrTest, EveryAcknowledgedWriteIsFoundAfterDescriptor2BecameAWal) {
  const ChildResult written = RunClient({"close-stderr", database_, "bloom:10", "1000"}, kLogging);
  ASSERT_EQ(written.status, 0) << written.errors;
  ASSERT_THAT(written.output, HasSubstr(".log")) << "the WAL should be descriptor 2";
  ExpectNoLineInFiles();
  EXPECT_THAT(RunClient({"read", database_, "bloom:10", "1000"}, {}).output,
              HasSubstr("missing=0 invented=0"));
}

TEST_F(PreloadStderrTest, NothingIsWrittenWhereItWasClosedAtTheStart) {
  const ChildResult written = Shell("with $CLIENT write $DB none 1000 2>&-");
  ASSERT_EQ(written.status, 0);
  EXPECT_THAT(written.errors, IsEmpty());
  ExpectNoLineInFiles();
  EXPECT_THAT(RunClient({"read", database_, "none", "1000"}, {}).output,
              HasSubstr("missing=0 invented=0"));
}

TEST_F(PreloadStderrTest, TheLinesAreThereWhereItIsWhatItWas) {
  for (const char* target : {"2>&1", "2>/dev/null", "2>>$DB.err"}) {
    ASSERT_EQ(Shell(std::string("with $CLIENT write $DB none 1000 ") + target).status, 0);
  }
  EXPECT_THAT(Shell("with $CLIENT write $DB none 1000 2>&1").output,
              HasSubstr("winnow: in force in preload_client"));
  EXPECT_THAT(ReadFile(database_ + ".err"),
              HasSubstr("winnow: built 0 Bloom filters and 3 Ribbon filters"));
}

TEST_F(PreloadStderrTest, WhoReadsADaemonsOutputDoesNotWaitForIt) {
  // The daemon ends after its output was read, so a reader that waits for the daemon waits forever.
  const ChildResult result = Shell(
      "mkfifo $DB.pipe && with timeout 60 sh -c "
      "'read=$($CLIENT linger $DB.pipe 2>&1); : >$DB.pipe; echo \"$read\"'");
  EXPECT_EQ(result.status, 0) << "it waited for the daemon";
  EXPECT_THAT(result.output, HasSubstr("winnow: in force"));
}

// The pipe has no reader, and the program itself writes nothing to it.
TEST_F(PreloadStderrTest, AProgramLivesWhoseStderrNobodyReads) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  const ChildResult result = Shell(
      "mkfifo $DB.pipe && exec 3<>$DB.pipe 2>$DB.pipe 3>&- && with $CLIENT write $DB none 1000");
  std::signal(SIGPIPE, before);
  EXPECT_EQ(result.status, 0) << "it ended by signal " << result.status - 128;
  EXPECT_THAT(RunClient({"read", database_, "none", "1000"}, {}).output,
              HasSubstr("missing=0 invented=0"));
}

// A kept descriptor might be closed by close_range() and reused for a file.
TEST_F(PreloadStderrTest, NoDescriptorIsKept) {
  EXPECT_EQ(RunClient({"descriptors"}, kLogging).output, RunClient({"descriptors"}, {}).output);
}

}  // namespace preload_stderr_test
}  // namespace winnow
