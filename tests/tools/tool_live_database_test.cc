// Verbs on a database that replaces its files during the run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/started_tool.h"

namespace winnow {
namespace tool_live_database_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::KeyOf;
using ::testing::Not;
using testing::Started;
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
    for (uint64_t i = 0; i < 1'000; ++i) {
      EXPECT_TRUE(database_->Put(ROCKSDB_NAMESPACE::WriteOptions(), KeyOf(i), "value").ok());
    }
    EXPECT_TRUE(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions()).ok());
    std::string latest;
    for (const auto& entry : fs::directory_iterator(folder_ / "db")) {
      if (entry.path().extension() == ".sst") {
        latest = std::max(latest, entry.path().string());
      }
    }
    return latest;
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
    const Started tool(verb + " --jobs=1 '" + slow_ + "' '" + folder_ / "db" + "' " + more, output,
                       folder_ / "errors");
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

  testing::TemporaryFolder folder_;
  const std::string slow_ = folder_ / "slow.sst";
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database_;
  int status_ = -1;
  std::string output_;
  std::string errors_;
};

TEST_F(ToolLiveDatabaseTest, AFileThatWasMergedAwayIsNothingToSpeakOf) {
  const struct {
    const char* verb;
    const char* more;
  } cases[] = {{"verify", "--samples=1000"},
               {"verify", "--json"},
               {"probe", "key --exact"},
               {"advise", "--draws=1000"}};
  for (const auto& [verb, more] : cases) {
    bool done = false;
    for (int attempt = 0; attempt < 20 && !done; ++attempt) {
      const std::string first = Flush();
      const std::string second = Flush();
      done = RunWhile(verb, more, [&] {
        ASSERT_STATUS_OK(
            database_->CompactRange(ROCKSDB_NAMESPACE::CompactRangeOptions(), nullptr, nullptr));
        EXPECT_FALSE(fs::exists(first));
      });
      if (done) {
        EXPECT_EQ(status_, 0) << verb << output_ << errors_;
        // One line has the number of deleted files.
        EXPECT_THAT(errors_, HasSubstr(" deleted while others were read")) << verb;
        EXPECT_EQ(std::count(errors_.begin(), errors_.end(), '\n'), 1) << verb << errors_;
        EXPECT_THAT(output_, AllOf(Not(HasSubstr(first)), Not(HasSubstr(second)))) << verb;
      }
    }
    EXPECT_TRUE(done) << verb << " was always too fast";
  }
}

// Only the new file has the key.
TEST_F(ToolLiveDatabaseTest, AFileThatTookTheirPlaceIsRead) {
  const std::string key = "a key of this database alone";
  bool done = false;
  for (int attempt = 0; attempt < 20 && !done; ++attempt) {
    ASSERT_STATUS_OK(database_->Put(ROCKSDB_NAMESPACE::WriteOptions(), key, "value"));
    Flush();
    Flush();
    done = RunWhile("probe", "'" + key + "' --exact", [&] {
      ASSERT_STATUS_OK(
          database_->CompactRange(ROCKSDB_NAMESPACE::CompactRangeOptions(), nullptr, nullptr));
    });
    if (done) {
      EXPECT_EQ(status_, 0) << errors_;
      EXPECT_THAT(output_, HasSubstr("may be in 1 of 2 files"));
      EXPECT_THAT(output_, HasSubstr("  present: value"));
      EXPECT_THAT(errors_, HasSubstr("the files that took their place were read\n"));
    }
  }
  EXPECT_TRUE(done);
}

TEST_F(ToolLiveDatabaseTest, AFileThatTheTreeStillNamesIsMissed) {
  bool done = false;
  for (int attempt = 0; attempt < 20 && !done; ++attempt) {
    const std::string file = Flush();
    done = RunWhile("verify", "", [&] { fs::remove(file); });
    if (done) {
      EXPECT_EQ(status_, 2);
      EXPECT_THAT(errors_, HasSubstr("winnow verify: " + file + ": there is no file"));
      EXPECT_THAT(output_,
                  AllOf(HasSubstr("NOT VERIFIED"), HasSubstr(" files could not be verified\n")));
    }
  }
  EXPECT_TRUE(done);
}

}  // namespace tool_live_database_test
}  // namespace winnow
