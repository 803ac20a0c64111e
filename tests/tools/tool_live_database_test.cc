// Verbs on a database that replaces its files during the run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/started_tool.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace tool_live_database_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class ToolLiveDatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::WriteSst(testing::TableWith("winnow:10"), 300'000, slow_);
    database_ = testing::OpenDatabase(testing::MakeOptions(testing::TableWith("winnow:10")),
                                      folder_ / "db");
  }

  // Flushes a file to level 0. Returns its path.
  std::string Flush() {
    testing::PutAndFlush(database_.get(), {1'000});
    return testing::SstFilesIn(folder_ / "db").back();
  }

  bool HasOpen(pid_t process, const std::string& path) const {
    std::error_code code;
    for (fs::directory_iterator file("/proc/" + std::to_string(process) + "/fd", code);
         !code && file != fs::directory_iterator(); file.increment(code)) {
      std::error_code gone;
      if (fs::read_symlink(file->path(), gone) == path) {
        return true;
      }
    }
    return false;
  }

  // Runs the verb on a slow file and the database. Calls `action` while the tool reads the slow
  // file and has already listed the database's files. Returns false if the tool was too fast for
  // that.
  template <typename Action>
  bool RunWhile(const std::string& verb, const std::string& more, const Action& action) {
    const int output =
        open((folder_ / "output").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const testing::Started tool(verb + " --jobs=1 '" + slow_ + "' '" + folder_ / "db" + "' " + more,
                                output, folder_ / "errors");
    close(output);
    pid_t worker = 0;
    while (!tool.HasEnded() && worker == 0) {
      std::this_thread::sleep_for(100us);
      const pid_t child = tool.FirstChild();
      if (child != 0 && HasOpen(child, slow_)) {
        kill(child, SIGSTOP);
        worker = HasOpen(child, slow_) ? child : 0;
        if (worker == 0) {
          kill(child, SIGCONT);
        }
      }
    }
    if (worker != 0) {
      action();
      kill(worker, SIGCONT);
    }
    const int status = tool.Wait();
    EXPECT_TRUE(WIFEXITED(status));
    status_ = WEXITSTATUS(status);
    output_ = testing::ReadFile(folder_ / "output");
    errors_ = tool.Errors();
    return worker != 0;
  }

  // Repeats `prepare` and RunWhile() until the tool was slow enough.
  template <typename Prepare, typename Action>
  void RunWhileReading(const std::string& verb, const std::string& more, const Prepare& prepare,
                       const Action& action) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      prepare();
      if (RunWhile(verb, more, action)) return;
    }
    ADD_FAILURE() << verb << " was always too fast";
  }

  void Compact() {
    ASSERT_STATUS_OK(
        database_->CompactRange(ROCKSDB_NAMESPACE::CompactRangeOptions(), nullptr, nullptr));
  }

  testing::TemporaryFolder folder_;
  const std::string slow_ = folder_ / "slow.sst";
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
  int status_ = -1;
  std::string output_;
  std::string errors_;
};

TEST_F(ToolLiveDatabaseTest, AFileThatWasMergedAwayIsNothingToSpeakOf) {
  for (const auto& [verb, more] : {std::pair("verify", "--samples=1000"),
                                   {"verify", "--json"},
                                   {"probe", "key --exact"},
                                   {"advise", "--draws=1000"}}) {
    SCOPED_TRACE(verb);
    std::string first;
    std::string second;
    const auto flush_twice = [&] {
      first = Flush();
      second = Flush();
    };
    RunWhileReading(verb, more, flush_twice, [&] {
      Compact();
      EXPECT_FALSE(fs::exists(first));
    });
    EXPECT_EQ(status_, 0) << output_ << errors_;
    // One line has the number of deleted files.
    EXPECT_THAT(errors_, HasSubstr(" deleted while others were read"));
    EXPECT_EQ(std::count(errors_.begin(), errors_.end(), '\n'), 1) << errors_;
    EXPECT_THAT(output_, AllOf(Not(HasSubstr(first)), Not(HasSubstr(second))));
  }
}

// Only the new file has the key.
TEST_F(ToolLiveDatabaseTest, AFileThatTookTheirPlaceIsRead) {
  const std::string key = "a key of this database alone";
  const auto flush_twice = [&] {
    ASSERT_STATUS_OK(database_->Put(ROCKSDB_NAMESPACE::WriteOptions(), key, "value"));
    Flush();
    Flush();
  };
  RunWhileReading("probe", "'" + key + "' --exact", flush_twice, [&] { Compact(); });
  EXPECT_EQ(status_, 0) << errors_;
  EXPECT_THAT(output_, AllOf(HasSubstr("may be in 1 of 2 files"), HasSubstr("  present: value")));
  EXPECT_THAT(errors_, HasSubstr("the files that took their place were read\n"));
}

TEST_F(ToolLiveDatabaseTest, AFileThatTheTreeStillNamesIsMissed) {
  std::string file;
  RunWhileReading(
      "verify", "", [&] { file = Flush(); }, [&] { fs::remove(file); });
  EXPECT_EQ(status_, 2);
  EXPECT_THAT(errors_, HasSubstr("winnow verify: " + file + ": there is no file"));
  EXPECT_THAT(output_,
              AllOf(HasSubstr("NOT VERIFIED"), HasSubstr(" files could not be verified\n")));
}

}  // namespace tool_live_database_test
}  // namespace winnow
