// Tests of which files are removed at the end of a run.

#include "db_bench_ext/read_amplification/system/work_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files.h"

namespace winnow::bench {
namespace work_folder_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

void WriteInto(const std::string& folder) { std::ofstream(folder + "/file") << "text"; }

TEST(WorkFolderTest, WhatWasMadeIsRemovedUnlessItIsToBeKept) {
  for (const bool keep : {false, true}) {
    const TemporaryFolder base;
    {
      const auto folder = WorkFolder::Open(base / "made", keep);
      ASSERT_TRUE(folder.ok()) << folder.status();
      WriteInto(*(*folder)->MakeChild("tree"));
      EXPECT_TRUE(fs::exists(base / "made/tree/file"));
    }
    EXPECT_EQ(fs::exists(base / "made/tree/file"), keep);
    EXPECT_EQ(fs::exists(base / "made"), keep);
  }
}

TEST(WorkFolderTest, WhatWasThereBeforeStays) {
  const TemporaryFolder base;
  WriteInto(base.path());
  fs::create_directory(base / "other");
  WriteInto(base / "other");
  {
    const auto folder = WorkFolder::Open(base.path(), false);
    ASSERT_TRUE(folder.ok()) << folder.status();
    WriteInto(*(*folder)->MakeChild("tree"));
    const auto taken = (*folder)->MakeChild("other");
    EXPECT_THAT(std::string(taken.status().message()), HasSubstr("there already"));
  }
  EXPECT_FALSE(fs::exists(base / "tree"));
  EXPECT_TRUE(fs::exists(base / "file"));
  EXPECT_TRUE(fs::exists(base / "other/file"));
}

TEST(WorkFolderTest, AnEmptyFolderAndWhatOthersPutIntoOneStay) {
  const TemporaryFolder base;
  fs::create_directory(base / "empty");
  {
    ASSERT_TRUE(WorkFolder::Open(base / "empty", false).ok());
    const auto folder = WorkFolder::Open(base / "made", false);
    ASSERT_TRUE(folder.ok()) << folder.status();
    WriteInto((*folder)->path());
  }
  EXPECT_TRUE(fs::exists(base / "empty"));
  EXPECT_TRUE(fs::exists(base / "made/file"));
}

TEST(WorkFolderTest, WithoutAPathItIsATemporaryOne) {
  std::string path;
  {
    const auto folder = WorkFolder::Open("", false);
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = (*folder)->path();
    EXPECT_TRUE(fs::is_directory(path));
    ASSERT_TRUE((*folder)->MakeChild("tree").ok());
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkFolderTest, APlaceThatCanNotBeIsAnError) {
  EXPECT_THAT(std::string(WorkFolder::Open("/dev/null/folder", false).status().message()),
              HasSubstr("/dev/null/folder"));
}

}  // namespace work_folder_test
}  // namespace winnow::bench
