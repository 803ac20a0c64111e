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

// Another database's file may have the same number, and a file may be cut.
TEST(TablePlacesTest, TheFirstFolderThatHasTheFileCountsButTheRightSizeComesFirst) {
  const testing::TemporaryFolder folder;
  std::vector<std::string> folders;
  for (const char* name : {"a", "b", "c"}) {
    folders.push_back(folder / name);
    std::filesystem::create_directory(folders.back());
  }
  EXPECT_FALSE(FindTableFile("1.sst", 4, folders));
  WriteFile(folder / "b/1.sst", "cut");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders), folder / "b/1.sst");
  WriteFile(folder / "c/1.sst", "four");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders), folder / "c/1.sst");
  WriteFile(folder / "b/1.sst", "four");
  EXPECT_EQ(FindTableFile("1.sst", 4, folders), folder / "b/1.sst");
  EXPECT_FALSE(FindTableFile("2.sst", 4, folders));
}

TEST(TablePlacesTest, WhyAFileIsNotFoundNamesItsPath) {
  EXPECT_THAT(WhyNotFound("2.sst", 0, "db"), HasSubstr("no file 2.sst in db"));
  EXPECT_THAT(WhyNotFound("2.sst", 2, "db"), HasSubstr("path 3 of db_paths"));
}

}  // namespace table_places_test
}  // namespace winnow::inspect
