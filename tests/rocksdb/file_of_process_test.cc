#include "src/rocksdb/file_of_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.h"

namespace winnow::plugin {
namespace file_of_process_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

// Returns the text with another word in place of one that it must have.
std::string With(std::string text, const std::string& word, const std::string& other) {
  const size_t at = text.find(word);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? text : text.replace(at, word.size(), other);
}

// Returns the word that follows this text in the line.
std::string WordAfter(const std::string& line, const std::string& text) {
  const size_t begin = line.find(text) + text.size();
  return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

class FileOfProcessTest : public ::testing::Test {
 protected:
  ~FileOfProcessTest() override {
    for (const pid_t process : children_) End(process);
  }

  std::string FileOf(pid_t process) const { return NameInProcess(name_, process); }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  // Starts a process that writes its file and then waits to be killed.
  pid_t Start() {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t process = ::fork();
    if (process == 0) {
      Write(FileOf(::getpid()), LineOfProcess() + "metric 1\n");
      ::close(ready[1]);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char none;
    EXPECT_EQ(::read(ready[0], &none, 1), 0);
    ::close(ready[0]);
    children_.insert(process);
    return process;
  }

  static void End(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  void Kill(pid_t process) {
    children_.erase(process);
    End(process);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      files.push_back(entry.path().string());
    }
    return files;
  }

  testing::TemporaryFolder folder_;
  const std::string name_ = folder_ / "winnow-%p.prom";
  const std::string own_ = FileOf(::getpid());
  const std::string line_ = LineOfProcess();

 private:
  std::set<pid_t> children_;
};

TEST_F(FileOfProcessTest, TheLineIsAComment) {
  EXPECT_THAT(line_, MatchesRegex("# This file is of process [0-9]+, which started at [0-9]+ in "
                                  "pid:.[0-9]+. of boot [-0-9a-f]+\n"));
  EXPECT_EQ(line_, LineOfProcess());
}

TEST_F(FileOfProcessTest, FilesOfProcessesThatWereKilledAreRemoved) {
  const pid_t killed = Start();
  const pid_t lives = Start();
  fs::copy_file(FileOf(killed), TemporaryName(FileOf(killed), killed));
  fs::copy_file(FileOf(lives), TemporaryName(FileOf(lives), lives));
  Write(own_, line_);
  Kill(killed);
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(),
              UnorderedElementsAre(FileOf(lives), TemporaryName(FileOf(lives), lives), own_));
}

TEST_F(FileOfProcessTest, AnIdThatWasGivenToAnotherProcessIsNotTheEndedOne) {
  const std::string start = WordAfter(line_, "started at ");
  Write(own_, With(line_, "at " + start, "at " + start + "0"));
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileOfProcessTest, ProcessesOfOtherNamespacesMayLive) {
  const pid_t process = Start();
  const std::string file = FileOf(process);
  const std::string line = testing::ReadFile(file);
  Kill(process);
  Write(file, With(line, WordAfter(line, " in "), "pid:[1]"));
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 10));
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(), ElementsAre(file));
}

TEST_F(FileOfProcessTest, ProcessesOfAnEarlierBootHaveEnded) {
  const std::string boot = "01234567-89ab-cdef-0123-456789abcdef";
  const std::string line =
      With(With(line_, WordAfter(line_, " of boot "), boot), WordAfter(line_, " in "), "pid:[1]");
  Write(own_, line);
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(), ElementsAre(own_)) << "another machine writes into the folder";
  fs::last_write_time(own_, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 10));
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileOfProcessTest, OtherFilesStay) {
  const pid_t process = Start();
  const std::string file = FileOf(process);
  const std::string text = testing::ReadFile(file);
  Kill(process);
  const std::string id = std::to_string(process);
  std::vector<std::string> expected;
  const auto add = [&](const std::string& name, const std::string& content) {
    expected.push_back(folder_ / name);
    Write(expected.back(), content);
  };
  // Other names.
  add("other-" + id + ".prom", text);
  add("winnow-" + id + ".prom.bak", text);
  add("winnow-0" + id + ".prom", text);
  add("winnow-+" + id + ".prom", text);
  add("winnow--" + id + ".prom", With(text, id, "-" + id));
  add("winnow-.prom", text);
  add("winnow-0.prom", With(text, id, "0"));
  // Other contents.
  fs::remove(file);
  add("winnow-" + id + ".prom", "winnow_build_info{pid=\"" + id + "\"} 1\n");
  add("winnow-99999991.prom", text);
  add("winnow-99999992.prom", "");
  add("winnow-99999993.prom", "# HELP\n" + With(text, id, "99999993"));
  add("winnow-99999994.prom", With(With(text, id, "99999994"), "\n", " \n"));
  // No regular files.
  Write(folder_ / "linked", With(text, id, "99999995"));
  expected.push_back(folder_ / "linked");
  expected.push_back(FileOf(99999995));
  fs::create_symlink(folder_ / "linked", expected.back());
  expected.push_back(FileOf(99999996));
  fs::create_directory(expected.back());
  expected.push_back(FileOf(99999997));
  ASSERT_EQ(::mkfifo(expected.back().c_str(), 0600), 0);
  RemoveFilesOfEndedProcesses(name_);
  EXPECT_THAT(Files(), ::testing::UnorderedElementsAreArray(expected));
}

TEST_F(FileOfProcessTest, ProcessesThatBeginAtOnceRemoveTheSameFiles) {
  std::vector<pid_t> processes;
  for (int i = 0; i < 20; ++i) processes.push_back(Start());
  for (const pid_t process : processes) Kill(process);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] { RemoveFilesOfEndedProcesses(name_); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileOfProcessTest, NamesWithTheIdElsewhereAreFilledIn) {
  EXPECT_EQ(NameInProcess("/run/%p/winnow-%p", 12), "/run/12/winnow-12");
  EXPECT_EQ(NameInProcess("/run/winnow", 12), "/run/winnow");
  const std::string name = folder_ / "%p-of-%p";
  const std::string file = NameInProcess(name, 99999999);
  Write(file, With(line_, std::to_string(::getpid()), "99999999"));
  // The id is in a folder, or nowhere, or the folder does not exist.
  for (const char* other : {"/%p/winnow.prom", "/winnow.prom", "/none/winnow-%p.prom"}) {
    RemoveFilesOfEndedProcesses(folder_.path() + other);
  }
  EXPECT_THAT(Files(), ElementsAre(file));
  RemoveFilesOfEndedProcesses(name);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileOfProcessTest, AProcessRemovesItsOwnFileOnly) {
  Write(own_, With(line_, WordAfter(line_, " in "), "pid:[1]"));
  RemoveFileOfProcess(own_, line_);
  EXPECT_THAT(Files(), ElementsAre(own_)) << "of a container";
  Write(own_, line_ + "metric 1\n");
  RemoveFileOfProcess(own_, "");
  EXPECT_THAT(Files(), ElementsAre(own_));
  RemoveFileOfProcess(own_, line_);
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace file_of_process_test
}  // namespace winnow::plugin
