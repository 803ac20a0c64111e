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
using testing::WriteFile;

class WholeFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(WholeFileTest, AFileIsMadeOrReplacedAndItsPermissionsAndLinksStay) {
  ASSERT_TRUE(WriteWhole(folder_ / "file", "a longer text").ok());
  const fs::perms mine = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
  fs::permissions(folder_ / "file", mine);
  ASSERT_TRUE(WriteWhole(folder_ / "file", "text").ok());
  EXPECT_EQ(ReadFile(folder_ / "file"), "text");
  EXPECT_THAT(Names(), ElementsAre("file"));
  fs::create_symlink("file", folder_ / "link");
  ASSERT_TRUE(WriteWhole(folder_ / "link", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(ReadFile(folder_ / "file"), "new");
  EXPECT_EQ(fs::status(folder_ / "file").permissions(), mine);
  EXPECT_THAT(Names(), ElementsAre("file", "link"));
}

// Uses a pipe of the test, since a program that runs as root could replace a device for the whole
// system.
TEST_F(WholeFileTest, WhatIsNoFileIsNotReplaced) {
  const std::string path = folder_ / "pipe";
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
  EXPECT_THAT(Names(), ElementsAre("pipe"));
}

TEST_F(WholeFileTest, WhatDoesNotFitLeavesTheFileAsItWas) {
  WriteFile(folder_ / "file", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteWhole(folder_ / "file", std::string(100, 'n'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(std::string(status.message()), HasSubstr("File too large"));
  EXPECT_EQ(ReadFile(folder_ / "file"), "old");
  EXPECT_THAT(Names(), ElementsAre("file"));
}

TEST_F(WholeFileTest, AFailureSaysWhyAndLeavesNothing) {
  for (const std::string& path : {folder_ / "no/file", folder_.path()}) {
    for (const absl::Status& status : {WriteWhole(path, "text"), CheckCanWrite(path)}) {
      EXPECT_FALSE(status.ok()) << path;
      EXPECT_THAT(std::string(status.message()), HasSubstr("can't write " + path + ": "));
    }
  }
  EXPECT_TRUE(Names().empty());
}

TEST_F(WholeFileTest, TheCheckLeavesNothing) {
  EXPECT_TRUE(CheckCanWrite(folder_ / "new").ok());
  EXPECT_TRUE(Names().empty());
  WriteFile(folder_ / "old", "text");
  EXPECT_TRUE(CheckCanWrite(folder_ / "old").ok());
  EXPECT_EQ(ReadFile(folder_ / "old"), "text");
  EXPECT_THAT(Names(), ElementsAre("old"));
}

}  // namespace whole_file_test
}  // namespace winnow::bench
