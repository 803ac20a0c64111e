#include "winnow/amq/page_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "streams/tests/support/page_stores.h"
#include "tests/support/files.h"

namespace winnow::amq {
namespace page_store_test {

using Found = PageStore::Found;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::TemporaryFolder;
using testing::WriteFile;

TEST(MemoryPageStore, KeepsBytes) {
  MemoryPageStore store;
  testing::ExpectKeepsBytes(&store);
  EXPECT_EQ(store.all().size(), 1u);
}

TEST(FolderPageStore, KeepsBytes) {
  const TemporaryFolder folder;
  FolderPageStore store(folder.path());
  testing::ExpectKeepsBytes(&store);
  std::string reason;
  ASSERT_TRUE(store.Store("plan", "a file", &reason)) << reason;
  EXPECT_EQ(ReadFile(folder / "plan"), "a file");
}

TEST(FolderPageStore, WhatACrashLeftIsNotTakenForAPage) {
  const TemporaryFolder folder;
  FolderPageStore store(folder.path());
  std::string bytes;
  std::string reason;
  ASSERT_TRUE(store.Store("1-0", "old", &reason));
  WriteFile(folder / "1-0.new", "half of a much longer pa");
  WriteFile(folder / "1-1.new", "half");
  EXPECT_EQ(store.Load("1-0", &bytes, &reason), Found::kYes);
  EXPECT_EQ(bytes, "old");
  EXPECT_EQ(store.Load("1-1", &bytes, &reason), Found::kNo);
  ASSERT_TRUE(store.Store("1-0", "new", &reason)) << reason;
  EXPECT_EQ(store.Load("1-0", &bytes, &reason), Found::kYes);
  EXPECT_EQ(bytes, "new");
  WriteFile(folder / "1-0.new", "half");
  ASSERT_TRUE(store.Remove("1-0", &reason)) << reason;
  ASSERT_TRUE(store.Remove("1-1", &reason)) << reason;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Simulates a full disk.
TEST(FolderPageStore, AWriteThatFailsLeavesTheOldBytes) {
  const TemporaryFolder folder;
  FolderPageStore store(folder.path());
  std::string reason;
  ASSERT_TRUE(store.Store("1-0", "old", &reason));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  const auto old_action = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const bool stored = store.Store("1-0", std::string(10'000, 'n'), &reason);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_action);
  EXPECT_FALSE(stored);
  EXPECT_THAT(reason, HasSubstr("can't write " + (folder / "1-0.new") + ": File too large"));
  std::string bytes;
  EXPECT_EQ(store.Load("1-0", &bytes, &reason), Found::kYes);
  EXPECT_EQ(bytes, "old");
  EXPECT_NE(::access((folder / "1-0.new").c_str(), F_OK), 0) << "the half is left";
}

TEST(FolderPageStore, FaultsNameTheFile) {
  const TemporaryFolder folder;
  FolderPageStore store(folder.path());
  std::string bytes;
  std::string reason;
  ASSERT_EQ(::mkdir((folder / "1-0").c_str(), 0777), 0);
  EXPECT_EQ(store.Load("1-0", &bytes, &reason), Found::kFailed);
  EXPECT_EQ(reason, "can't read " + (folder / "1-0") + ": Is a directory");
  EXPECT_FALSE(store.Store("1-0", "x", &reason));
  EXPECT_THAT(reason, HasSubstr("can't rename to its name " + (folder / "1-0.new")));
  EXPECT_FALSE(store.Remove("1-0", &reason));
  EXPECT_THAT(reason, HasSubstr("can't remove " + (folder / "1-0")));

  FolderPageStore nowhere(folder / "nowhere");
  EXPECT_EQ(nowhere.Load("plan", &bytes, &reason), Found::kFailed);
  EXPECT_EQ(reason, "can't open " + (folder / "nowhere") + ": No such file or directory");
  EXPECT_FALSE(nowhere.Store("plan", "x", &reason));
  EXPECT_THAT(reason, HasSubstr("can't write " + (folder / "nowhere/plan.new")));
  EXPECT_FALSE(nowhere.Flush(&reason));
}

}  // namespace page_store_test
}  // namespace winnow::amq
