// Tests of `winnow pages` killed at random times, and of several instances at once: a page is
// either old or new, the pages are those before or after a build, and nothing stored is lost.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "streams/tests/winnow/pages_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"

namespace winnow {
namespace pages_killed_test {

namespace fs = std::filesystem;

using amq::FolderPageStore;
using amq::PagedBloom;
using testing::ChildResult;
using testing::ReadFile;
using testing::RunProgram;
using testing::Started;
using testing::WriteFile;

constexpr int kKills = 10;

class PagesKilledTest : public ::testing::Test {
 protected:
  // Writes a list of the keys from first to last - 1 and returns its path.
  std::string List(uint64_t first, uint64_t last) {
    const std::string path =
        folder_ / ("keys-" + std::to_string(first) + "-" + std::to_string(last));
    WriteFile(path, testing::KeyLines(first, last));
    return path;
  }

  ChildResult Pages(const std::string& action, const std::string& pages, const std::string& list,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {WINNOW_TOOL, "pages", action, folder_ / pages,
                                        "--keys=" + list};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }

  void Copy(const std::string& from, const std::string& to) {
    fs::remove_all(folder_ / to);
    fs::copy(folder_ / from, folder_ / to);
  }

  std::map<std::string, std::string> Files(const std::string& pages) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_ / pages)) {
      files[entry.path().filename().string()] = ReadFile(entry.path().string());
    }
    return files;
  }

  // Returns a state that changes whenever the file is written or replaced.
  static std::pair<ino_t, int64_t> StateOf(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return {0, 0};
    return {status.st_ino, status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
  }

  // Runs the command and kills it after it has written the file, up to 2^log2_longest microseconds
  // later, log-uniformly distributed. Returns whether it was still running.
  bool RunAndKill(const std::string& arguments, const std::string& file, int log2_longest) {
    const auto before = StateOf(file);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const Started tool("pages " + arguments, nowhere, folder_ / "errors");
    close(nowhere);
    while (StateOf(file) == before && !tool.HasEnded()) {
    }
    std::uniform_real_distribution<double> exponent(0, log2_longest);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds(std::llround(1000 * std::exp2(exponent(random_))));
    while (std::chrono::steady_clock::now() < end) {
    }
    kill(tool.process(), SIGKILL);
    return WIFSIGNALED(tool.Wait());
  }

  // Expects that all pages that the record names are complete.
  void ExpectWhole(const std::string& pages) {
    FolderPageStore store(folder_ / pages);
    std::string reason;
    std::optional<PagedBloom> filter = PagedBloom::Open(&store, &reason);
    ASSERT_TRUE(filter.has_value()) << reason;
    ASSERT_TRUE(filter->LoadAll(&reason)) << reason;
  }

  testing::TemporaryFolder folder_;
  std::mt19937_64 random_{20'240'601};
};

TEST_F(PagesKilledTest, AKilledAddLeavesEachPageAsItWasOrAsItWouldBe) {
  const std::vector<std::string> flags = {"--capacity=50000", "--page_size=128"};
  const std::string old_keys = List(0, 20'000);
  ASSERT_EQ(Pages("build", "old", old_keys, flags).status, 0);
  Copy("old", "new");
  const std::string list = List(20'000, 40'000);
  const std::string all = List(0, 40'000);
  ASSERT_EQ(Pages("add", "new", list).status, 0);
  const auto old_files = Files("old");
  const auto new_files = Files("new");
  int interrupted = 0;
  for (int i = 0; i < kKills; ++i) {
    Copy("old", "pages");
    // Kills after the record or a random page is written.
    const std::string watched =
        i % 4 == 0 ? "plan" : "1-" + std::to_string(random_() % (old_files.size() - 2));
    interrupted += RunAndKill("add '" + folder_ / "pages" + "' '--keys=" + list + "'",
                              folder_ / ("pages/" + watched), 10);
    size_t stored = 0;
    for (const auto& [name, bytes] : Files("pages")) {
      if (name == "plan" || name == "lock" || fs::path(name).extension() == ".new") continue;
      ASSERT_TRUE(bytes == old_files.at(name) || bytes == new_files.at(name)) << name;
      ++stored;
    }
    EXPECT_GE(stored, old_files.size() - 2);
    ExpectWhole("pages");
    EXPECT_EQ(Pages("ask", "pages", old_keys).status, 0);

    const ChildResult again = Pages("add", "pages", list);
    ASSERT_EQ(again.status, 0) << again.errors;
    auto files = Files("pages");
    for (const auto& [name, bytes] : new_files) {
      if (name != "plan") {
        EXPECT_EQ(files[name], bytes) << name;
      }
    }
    EXPECT_EQ(Pages("ask", "pages", all).status, 0);
  }
  EXPECT_GT(interrupted, 0);
}

TEST_F(PagesKilledTest, AKilledBuildLeavesTheOldPagesOrTheNew) {
  const std::string old_keys = List(0, 20'000);
  ASSERT_EQ(Pages("build", "old", old_keys, {"--page_size=128"}).status, 0);
  const std::string all = List(0, 40'000);
  int interrupted = 0;
  Copy("old", "pages");
  for (int i = 0; i < kKills; ++i) {
    if (i % 3 == 0) Copy("old", "pages");  // otherwise continues from the last kill
    interrupted +=
        RunAndKill("build '" + folder_ / "pages" + "' '--keys=" + all + "' --page_size=128",
                   folder_ / "pages/plan", 16);
    ExpectWhole("pages");
    EXPECT_EQ(Pages("ask", "pages", old_keys).status, 0);
    EXPECT_THAT(Pages("ask", "pages", all).status, ::testing::AnyOf(0, 1));
  }
  EXPECT_GT(interrupted, 0);

  const ChildResult built = Pages("build", "pages", all, {"--page_size=128"});
  ASSERT_EQ(built.status, 0) << built.errors;
  EXPECT_EQ(Pages("ask", "pages", all).status, 0);
  FolderPageStore store(folder_ / "pages");
  std::string reason;
  const std::optional<PagedBloom> filter = PagedBloom::Open(&store, &reason);
  ASSERT_TRUE(filter.has_value()) << reason;
  EXPECT_EQ(Files("pages").size(), filter->shape().pages + 2) << "what killed builds left is gone";
}

TEST_F(PagesKilledTest, OfSeveralAtOnceNoneTakesAwayWhatAnotherAdded) {
  constexpr uint64_t kWriters = 4;
  constexpr uint64_t kRuns = 6;
  constexpr uint64_t kKeys = 500;
  ASSERT_EQ(Pages("build", "pages", List(0, kKeys), {"--capacity=20000"}).status, 0);
  std::atomic<int> failed{0};
  std::vector<std::vector<std::string>> lists(kWriters);
  uint64_t end = kKeys;
  for (std::vector<std::string>& of_writer : lists) {
    for (uint64_t run = 0; run < kRuns; ++run, end += kKeys) {
      of_writer.push_back(List(end, end + kKeys));
    }
  }
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (const std::string& list : lists[writer]) {
        ChildResult outcome = Pages("add", "pages", list);
        while (outcome.status == 2 && outcome.errors.find("has locked them") != std::string::npos) {
          outcome = Pages("add", "pages", list);
        }
        failed += outcome.status != 0;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(Pages("ask", "pages", List(0, end)).status, 0);
}

}  // namespace pages_killed_test
}  // namespace winnow
