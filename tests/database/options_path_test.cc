#include "src/database/options_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/support/files.h"

namespace winnow::inspect {
namespace options_path_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::WriteFile;

constexpr char kOptions[] = "# This is a RocksDB option file.\n#\n\n  [Version]\n";

TEST(OptionsPathTest, ASlashOrTheNameOfAnOptionsFileIsAPath) {
  for (const char* text : {"/tmp/nosuch/OPTIONS-000007", "db/000007", "./db", "/", "winnow/10"}) {
    EXPECT_EQ(SignOfPath(text), "it has a slash") << text;
  }
  for (const char* text : {"OPTIONS-000007", "OPTIONS", "OPTIONS-000007.dbtmp", "options.ini"}) {
    EXPECT_EQ(SignOfPath(text), "it is called like an OPTIONS file") << text;
  }
  for (const char* text : {"winnow:10", "winnow", "winow:000007", "", "{id=winnow;a=/b}",
                           "filter_policy=a/b", "rocksdb.BloomFilter:10", "000007"}) {
    EXPECT_EQ(SignOfPath(text), "") << text;
  }
}

class FindOptionsFileTest : public ::testing::Test {
 protected:
  std::string Error(const std::string& name) {
    const OptionsPath found = FindOptionsFile(folder_ / name);
    EXPECT_EQ(found.path, folder_ / name);
    if (!found.error.empty()) {
      EXPECT_THAT(found.error, AllOf(HasSubstr("'" + folder_ / name + "'"),
                                     HasSubstr("expected is an OPTIONS file")));
    }
    return found.error;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(FindOptionsFileTest, AnOptionsFileIsItself) {
  WriteFile(folder_ / "file", kOptions);
  EXPECT_EQ(Error("file"), "");
  WriteFile(folder_ / "empty", "");
  EXPECT_EQ(Error("empty"), "") << "what is missing in it is said by who reads it";
  fs::create_symlink(folder_ / "file", folder_ / "link");
  EXPECT_EQ(Error("link"), "");
}

TEST_F(FindOptionsFileTest, AFolderIsItsLatestFile) {
  fs::create_directory(folder_ / "empty");
  EXPECT_THAT(Error("empty"), HasSubstr("no OPTIONS file in the folder"));
  WriteFile(folder_ / "OPTIONS-000007", kOptions);
  WriteFile(folder_ / "OPTIONS-000012", kOptions);
  const OptionsPath found = FindOptionsFile(folder_.path());
  EXPECT_EQ(found.path, folder_ / "OPTIONS-000012");
  EXPECT_EQ(found.error, "");
}

TEST_F(FindOptionsFileTest, WhatIsNotThereIsAnError) {
  EXPECT_THAT(Error("missing"), HasSubstr("there is no file or folder"));
  EXPECT_THAT(Error("missing"), HasSubstr("taken for a path, as it has a slash"));
  WriteFile(folder_ / "file", kOptions);
  EXPECT_THAT(Error("file/OPTIONS-000007"), HasSubstr("there is no file or folder"));
  fs::create_symlink(folder_ / "missing", folder_ / "link");
  EXPECT_THAT(Error("link"), HasSubstr("there is no file or folder"));
}

TEST_F(FindOptionsFileTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Error("pipe"), HasSubstr("is a pipe"));
  ASSERT_EQ(::mkfifo((folder_ / "OPTIONS-000007").c_str(), 0600), 0);
  EXPECT_THAT(FindOptionsFile(folder_.path()).error, HasSubstr("OPTIONS-000007' is a pipe"));
}

TEST_F(FindOptionsFileTest, OtherSpecialFilesAreErrors) {
  for (const char* device : {"/dev/zero", "/dev/null"}) {
    EXPECT_THAT(FindOptionsFile(device).error, HasSubstr("is a device")) << device;
  }
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT((folder_ / "socket").size(), sizeof(address.sun_path));
  std::strcpy(address.sun_path, (folder_ / "socket").c_str());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT(Error("socket"), HasSubstr("is a socket"));
  ::close(descriptor);
}

TEST_F(FindOptionsFileTest, AFileThatMayNotBeReadIsAnError) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may read everything";
  }
  WriteFile(folder_ / "file", kOptions);
  fs::permissions(folder_ / "file", fs::perms::none);
  EXPECT_THAT(Error("file"), HasSubstr("Permission denied"));
}

// A sparse file, so that nothing is written.
TEST_F(FindOptionsFileTest, AFileOfGigabytesIsNotRead) {
  WriteFile(folder_ / "zeros", "");
  fs::resize_file(folder_ / "zeros", uint64_t{8} << 30);
  EXPECT_THAT(Error("zeros"), HasSubstr("not a RocksDB options file"));
  WriteFile(folder_ / "comments", std::string(1 << 20, '#'));
  EXPECT_THAT(Error("comments"), HasSubstr("not a RocksDB options file"));
  WriteFile(folder_ / "section", kOptions);
  fs::resize_file(folder_ / "section", uint64_t{8} << 30);
  EXPECT_THAT(Error("section"), HasSubstr("has 8589934592 bytes"));
}

TEST_F(FindOptionsFileTest, AnotherFileIsAnError) {
  for (const std::string& text : {std::string("winnow:10\n"), std::string("\0\1\2", 3),
                                  std::string("2024/01/01-00:00:00 RocksDB version: 7.8.3\n")}) {
    WriteFile(folder_ / "file", text);
    EXPECT_THAT(Error("file"), HasSubstr("not a RocksDB options file"));
  }
}

}  // namespace options_path_test
}  // namespace winnow::inspect
