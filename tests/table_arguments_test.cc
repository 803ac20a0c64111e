#include "tools/table_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/files.h"

namespace winnow::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Result {
  int number = 0;
  std::optional<std::string> error;
};

TEST(DropDeletedMeanwhileTest, OnlyFilesOfAFolderThatWereThereAreDropped) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "there.sst", "");
  const std::string gone = folder / "gone.sst";
  Tables tables;
  tables.tables = {
      {folder / "there.sst", 1, std::nullopt, true},  // can't be read
      {gone, 1, std::nullopt, true},                  // deleted
      {gone, 1, std::nullopt, false},                 // was given by its name
      {gone, 1, "the database has lost it", true},    // was missing from the first
      {gone, 1, std::nullopt, true},                  // deleted, but read before
  };
  std::vector<Result> results = {{0, "error"}, {1, "error"}, {2, "error"}, {3, "error"}, {4, {}}};
  DropDeletedMeanwhile(&tables, &results);
  std::vector<int> left;
  for (const Result& result : results) {
    left.push_back(result.number);
  }
  EXPECT_THAT(left, ElementsAre(0, 2, 3, 4));
  EXPECT_EQ(tables.tables.size(), 4u);
  EXPECT_EQ(tables.tables[1].from_folder, false);
  EXPECT_THAT(tables.warnings, ElementsAre(HasSubstr("1 file was deleted")));
}

TEST(DropDeletedMeanwhileTest, WhereNothingIsGoneNothingIsSaid) {
  Tables tables;
  tables.tables = {{"/nowhere/a.sst", 1, std::nullopt, false}};
  std::vector<Result> results = {{0, "error"}};
  DropDeletedMeanwhile(&tables, &results);
  EXPECT_EQ(results.size(), 1u);
  EXPECT_THAT(tables.warnings, IsEmpty());
}

}  // namespace
}  // namespace winnow::tools
