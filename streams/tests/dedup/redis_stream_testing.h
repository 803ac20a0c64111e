// Helpers for tests of `winnow dedup --redis`: clients that run while servers and other clients are
// killed, and counts of the printed lines.

#ifndef WINNOW_STREAMS_TESTS_DEDUP_REDIS_STREAM_TESTING_H_
#define WINNOW_STREAMS_TESTS_DEDUP_REDIS_STREAM_TESTING_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "streams/tests/support/redis_program.h"
#include "tests/support/becomes.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"

namespace winnow::testing {

class RedisStreamTest : public RedisTest {
 protected:
  static constexpr uint64_t kInflight = 1000;

  // Returns the number of clients or servers to kill.
  static int Kills(int unless_said) {
    const char* const said = getenv("WINNOW_DEDUP_KILLS");
    return said == nullptr ? unless_said : atoi(said);
  }

  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    if (RunDedup("--redis=127.0.0.1:1 </dev/null").errors.find("without hiredis") !=
        std::string::npos) {
      GTEST_SKIP() << "the tool was built without hiredis";
    }
  }

  std::string In(const std::vector<std::string>& lines, const std::string& name = "in") {
    WriteFile(folder_ / name, TextOf(lines));
    return "'" + folder_ / name + "' ";
  }
  static std::string Flags(const std::string& servers) {
    return "--capacity=200000 --inflight=" + std::to_string(kInflight) + " --redis=" + servers +
           " ";
  }

  std::unique_ptr<Started> Start(const std::string& arguments, const std::string& out) const {
    return StartDedup(arguments, folder_ / out);
  }

  // A client that gets lines while it runs.
  class Fed {
   public:
    Fed(RedisStreamTest* test, const std::string& flags, const std::string& out)
        : out_(test->folder_ / out) {
      const std::string fifo = out_ + ".fifo";
      EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0);
      tool_ = test->Start("'" + fifo + "' " + flags, out);
      // The tool opens the FIFO once its stream is open; it may end before that.
      EXPECT_TRUE(Becomes([&] {
        input_ = open(fifo.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        return input_ >= 0 || tool_->HasEnded();
      })) << "it does not open its stream: "
          << Errors();
      if (input_ >= 0) fcntl(input_, F_SETFL, 0);
      unlink(fifo.c_str());
    }
    ~Fed() {
      if (input_ >= 0) End();
    }
    Fed(const Fed&) = delete;
    Fed& operator=(const Fed&) = delete;

    void Write(const std::vector<std::string>& lines) const {
      const std::string text = TextOf(lines);
      for (size_t written = 0; written < text.size();) {
        const ssize_t n = write(input_, text.data() + written, text.size() - written);
        ASSERT_GT(n, 0);
        written += static_cast<size_t>(n);
      }
    }
    // Waits for `lines` output lines, or the end of the tool.
    void Await(size_t lines) const {
      Becomes([&] { return tool_->HasEnded() || LinesOf(Output()).size() >= lines; });
      EXPECT_EQ(LinesOf(Output()).size(), lines) << Errors();
    }
    // Ends the input and returns the exit status.
    int End() {
      close(std::exchange(input_, -1));
      return WEXITSTATUS(tool_->Wait());
    }
    std::string Output() const { return ReadFile(out_); }
    std::string Errors() const { return tool_->Errors(); }

   private:
    const std::string out_;
    std::unique_ptr<Started> tool_;
    int input_ = -1;
  };

  // Returns the number before these words in the totals.
  static uint64_t NumberBefore(const std::string& errors, const std::string& words) {
    std::smatch match;
    if (std::regex_search(errors, match, std::regex("([0-9]+) " + words)))
      return std::stoull(match[1]);
    ADD_FAILURE() << "no " << words << " in " << errors;
    return 0;
  }

  // Counts the complete lines of a file.
  void Count(const std::string& out, std::unordered_map<std::string, int>* counts) const {
    const std::string text = ReadFile(folder_ / out);
    const size_t end = text.rfind('\n');
    if (end == std::string::npos) return;
    for (std::string& line : LinesOf(text.substr(0, end + 1))) ++(*counts)[std::move(line)];
  }

  TemporaryFolder folder_;
};

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_DEDUP_REDIS_STREAM_TESTING_H_
