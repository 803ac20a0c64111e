// Tests that result files are complete or absent.

#include "db_bench_ext/read_amplification/system/whole_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow::bench {
namespace whole_file_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::TemporaryFolder;
using testing::WriteFile;

std::vector<std::string> NamesIn(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(WholeFileTest, AFileIsMadeOrReplacedAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteWhole(folder / "file", "a longer text").ok());
  ASSERT_TRUE(WriteWhole(folder / "file", "text").ok());
  EXPECT_EQ(ReadFile(folder / "file"), "text");
  EXPECT_THAT(NamesIn(folder), ElementsAre("file"));
}

TEST(WholeFileTest, PermissionsStay) {
  const TemporaryFolder folder;
  WriteFile(folder / "file", "old");
  const fs::perms mine = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
  fs::permissions(folder / "file", mine);
  ASSERT_TRUE(WriteWhole(folder / "file", "new").ok());
  EXPECT_EQ(fs::status(folder / "file").permissions(), mine);
}

TEST(WholeFileTest, ALinkStaysOne) {
  const TemporaryFolder folder;
  WriteFile(folder / "file", "old");
  fs::create_symlink("file", folder / "link");
  ASSERT_TRUE(WriteWhole(folder / "link", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(ReadFile(folder / "file"), "new");
  EXPECT_THAT(NamesIn(folder), ElementsAre("file", "link"));
}

// Uses a pipe of the test, since a program that runs as root could replace a device for the whole
// system.
TEST(WholeFileTest, WhatIsNoFileIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(CheckCanWrite(path).ok());
  EXPECT_TRUE(WriteWhole(path, "text").ok());
  EXPECT_TRUE(fs::is_fifo(path));
  std::string text(10, '\0');
  EXPECT_EQ(read(reader, text.data(), text.size()), 4);
  EXPECT_EQ(text.substr(0, 4), "text");
  close(reader);
  EXPECT_THAT(NamesIn(folder), ElementsAre("pipe"));
}

TEST(WholeFileTest, WhatDoesNotFitLeavesTheFileAsItWas) {
  const TemporaryFolder folder;
  WriteFile(folder / "file", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteWhole(folder / "file", std::string(100, 'n'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(std::string(status.message()), HasSubstr("File too large"));
  EXPECT_EQ(ReadFile(folder / "file"), "old");
  EXPECT_THAT(NamesIn(folder), ElementsAre("file"));
}

TEST(WholeFileTest, AFailureSaysWhyAndLeavesNothing) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder / "no/file", folder.path()}) {
    for (const absl::Status& status : {WriteWhole(path, "text"), CheckCanWrite(path)}) {
      EXPECT_FALSE(status.ok()) << path;
      EXPECT_THAT(std::string(status.message()), HasSubstr("can't write " + path + ": "));
    }
  }
  EXPECT_TRUE(NamesIn(folder).empty());
}

TEST(WholeFileTest, TheCheckLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(CheckCanWrite(folder / "new").ok());
  EXPECT_TRUE(NamesIn(folder).empty());
  WriteFile(folder / "old", "text");
  EXPECT_TRUE(CheckCanWrite(folder / "old").ok());
  EXPECT_EQ(ReadFile(folder / "old"), "text");
  EXPECT_THAT(NamesIn(folder), ElementsAre("old"));
}

}  // namespace whole_file_test
}  // namespace winnow::bench
