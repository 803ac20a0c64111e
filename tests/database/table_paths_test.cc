// Tests of the table files named by file names, patterns and database folders, each file once.

#include "src/database/table_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow::inspect {
namespace table_paths_test {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::WriteFile;

class TablePathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder :
         {"db1", "shelf/db2", "shelf/deep/db3", "shelf/db2/inner", "bare", "a/b/c/d/e/f/g"}) {
      fs::create_directories(folder_ / folder);
    }
    for (const char* file : {"db1/CURRENT", "db1/1.sst", "db1/2.sst", "db1/3.log",
                             "shelf/db2/CURRENT", "shelf/db2/inner/CURRENT", "shelf/deep/db3/9.sst",
                             "a/b/c/d/e/f/g/CURRENT", "bare/x.txt", "odd[1].sst", "[x].sst"}) {
      WriteFile(folder_ / file, "");
    }
  }

  // Returns the expanded paths relative to the common folder.
  std::vector<std::string> Expand(std::vector<std::string> names) {
    for (std::string& name : names) {
      name = folder_ / name;
    }
    std::vector<std::string> paths;
    for (const TablePath& path : ExpandPaths(names)) {
      std::error_code code;
      EXPECT_EQ(path.is_folder, fs::is_directory(path.path, code));
      paths.push_back(path.path.substr(folder_.path().size() + 1));
      errors_ += path.error;
    }
    return paths;
  }

  std::string errors_;
  testing::TemporaryFolder folder_;
};

TEST_F(TablePathsTest, NamesAreThemselves) {
  EXPECT_THAT(Expand({"db1/2.sst", "db1", "missing", "bare"}),
              ElementsAre("db1/2.sst", "db1", "missing", "bare"));
  EXPECT_EQ(errors_, "");
}

TEST_F(TablePathsTest, PatternsAreWhatTheyMatch) {
  EXPECT_THAT(Expand({"db1/*.sst"}), ElementsAre("db1/1.sst", "db1/2.sst"));
  EXPECT_THAT(Expand({"db?"}), ElementsAre("db1"));
  EXPECT_THAT(Expand({"db1/[2-9].*"}), ElementsAre("db1/2.sst", "db1/3.log"));
  EXPECT_EQ(errors_, "");
  EXPECT_THAT(Expand({"db1/*.ldb"}), ElementsAre("db1/*.ldb"));
  EXPECT_THAT(errors_, HasSubstr("no file or folder matches the pattern"));
}

TEST_F(TablePathsTest, AFileOfThatNameComesBeforeThePattern) {
  EXPECT_THAT(Expand({"odd[1].sst", "[x].sst"}), ElementsAre("odd[1].sst", "[x].sst"));
  EXPECT_EQ(errors_, "");
  EXPECT_TRUE(NamesPath(folder_ / "odd[1].sst"));
  EXPECT_TRUE(NamesPath(folder_ / "db1/*.sst"));
  EXPECT_FALSE(NamesPath(folder_ / "db1/*.ldb"));
  EXPECT_FALSE(NamesPath(folder_ / "missing"));
}

TEST_F(TablePathsTest, AFolderOfDatabasesIsThese) {
  EXPECT_THAT(Expand({"shelf"}), ElementsAre("shelf/db2", "shelf/deep/db3"));
  EXPECT_THAT(Expand({"a/b"}), ElementsAre("a/b/c/d/e/f/g"));
  EXPECT_THAT(Expand({"a"}), ElementsAre("a"));  // too deep in the tree
  fs::create_directory_symlink(folder_.path(), folder_ / "bare/loop");
  EXPECT_THAT(Expand({"bare"}), ElementsAre("bare"));
}

// A stray SST file does not hide a database.
TEST_F(TablePathsTest, AFolderOfTableFilesAndDatabasesIsBoth) {
  WriteFile(folder_ / "shelf/export.sst", "");
  WriteFile(folder_ / "shelf/deep/export.sst", "");
  EXPECT_THAT(Expand({"shelf"}), ElementsAre("shelf", "shelf/db2", "shelf/deep", "shelf/deep/db3"));
  // Subfolders of a database are not searched.
  EXPECT_THAT(Expand({"shelf/db2"}), ElementsAre("shelf/db2"));
}

TEST_F(TablePathsTest, EachIsThereOnce) {
  fs::create_directory_symlink(folder_ / "db1", folder_ / "link");
  fs::create_symlink(folder_ / "db1/1.sst", folder_ / "one.sst");
  EXPECT_THAT(Expand({"db1/../db1/1.sst", "db1/*.sst", "link/1.sst", "one.sst"}),
              ElementsAre("db1/../db1/1.sst", "db1/2.sst"));
  EXPECT_THAT(Expand({"db1", "link", "db1/", "db1/."}), ElementsAre("db1"));
  EXPECT_THAT(Expand({"missing", "missing"}), ElementsAre("missing"));
  fs::create_symlink(folder_ / "nowhere", folder_ / "dangling*.sst");
  EXPECT_THAT(Expand({"dangling*.sst"}), ElementsAre("dangling*.sst"));
  EXPECT_EQ(errors_, "");
}

TEST_F(TablePathsTest, RealPathsAreThoseOfTheFileSystem) {
  fs::create_directory_symlink(folder_ / "db1", folder_ / "link");
  RealPaths real_paths;
  for (const char* name :
       {"db1/1.sst", "link/1.sst", "link/2.sst", "db1/../db1/2.sst", "link", "shelf/db2/CURRENT"}) {
    EXPECT_EQ(real_paths.Of(folder_ / name), fs::canonical(folder_ / name)) << name;
  }
  EXPECT_EQ(real_paths.Of(folder_ / "missing"), folder_ / "missing");
}

}  // namespace table_paths_test
}  // namespace winnow::inspect
