#include "src/database/table_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow::inspect {
namespace table_places_test {

using ::testing::HasSubstr;
using testing::WriteFile;

TEST(TablePlacesTest, StandInsAreToldApart) {
  for (const std::string database : {"db", "/data/db/", "."}) {
    const std::vector<std::string> paths = StandInPaths(database);
    ASSERT_EQ(paths.size(), static_cast<size_t>(kMaxPaths));
    EXPECT_EQ(paths.front(), database);
    for (int i = 0; i < kMaxPaths; ++i) {
      EXPECT_EQ(NumberOfPath(database, paths[static_cast<size_t>(i)]), i);
    }
  }
}

class FindTableFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c"}) {
      std::filesystem::create_directory(folder_ / name);
      folders_.push_back(folder_ / name);
    }
  }

  testing::TemporaryFolder folder_;
  std::vector<std::string> folders_;
};

TEST_F(FindTableFileTest, TheFirstFolderThatHasItCounts) {
  WriteFile(folder_ / "b/1.sst", "four");
  WriteFile(folder_ / "c/1.sst", "four");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders_), folder_ / "b/1.sst");
}

// Another database's file may have the same number.
TEST_F(FindTableFileTest, TheRightSizeComesFirst) {
  WriteFile(folder_ / "a/1.sst", "seven..");
  WriteFile(folder_ / "c/1.sst", "four");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders_), folder_ / "c/1.sst");
}

TEST_F(FindTableFileTest, ACutFileIsFoundNevertheless) {
  WriteFile(folder_ / "b/1.sst", "cut");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders_), folder_ / "b/1.sst");
}

TEST_F(FindTableFileTest, NowhereIsNoPath) {
  WriteFile(folder_ / "b/1.sst", "four");
  EXPECT_FALSE(FindTableFile("2.sst", 4, folders_));
  EXPECT_THAT(WhyNotFound("2.sst", 0, "db"), HasSubstr("no file 2.sst in db"));
  EXPECT_THAT(WhyNotFound("2.sst", 2, "db"), HasSubstr("path 3 of db_paths"));
}

}  // namespace table_places_test
}  // namespace winnow::inspect
