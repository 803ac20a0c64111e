#include "src/rocksdb/trees/filter_file_map.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace winnow::plugin {
namespace filter_file_map_test {

TreeFiles::NewFile AnyFile() {
  TreeFiles::NewFile file;
  file.level = 6;
  file.is_bottom = true;
  file.range = {"a", "b"};
  file.keys = 1;
  return file;
}

FilterFile FileOf(TreeFiles::Id id) { return {id, 6, true}; }

TEST(FilterFileMapTest, AFileLivesAsLongAsItsReaders) {
  FilterFileMap filter_files;
  const auto files = std::make_shared<TreeFiles>();
  const TreeFiles::Id id = files->Add(AnyFile());
  filter_files.Add("a filter", files, FileOf(id));
  {
    const OwnedReader one = filter_files.NewReader("a filter");
    EXPECT_TRUE(static_cast<bool>(one));
    OwnedReader two = filter_files.NewReader("a filter");
    const OwnedReader moved = std::move(two);
    EXPECT_FALSE(static_cast<bool>(filter_files.NewReader("another")));
    EXPECT_FALSE(static_cast<bool>(filter_files.NewReader("")));
    EXPECT_EQ(files->files(), 1u);
  }
  EXPECT_EQ(files->files(), 0u);
}

TEST(FilterFileMapTest, AReaderMayOutliveAllElse) {
  auto filter_files = std::make_unique<FilterFileMap>();
  auto files = std::make_shared<TreeFiles>();
  filter_files->Add("a filter", files, FileOf(files->Add(AnyFile())));
  OwnedReader reader = filter_files->NewReader("a filter");
  filter_files.reset();
  files.reset();
  EXPECT_TRUE(static_cast<bool>(reader));
}

TEST(FilterFileMapTest, AFileWithOtherReadersDoesNotEndWithThem) {
  FilterFileMap filter_files;
  const auto files = std::make_shared<TreeFiles>();
  filter_files.Add("a partition", files, {files->Add(AnyFile()), 6, false});
  EXPECT_TRUE(static_cast<bool>(filter_files.NewReader("a partition")));
  EXPECT_EQ(files->files(), 1u);
}

TEST(FilterFileMapTest, AForgottenTreeHasNoReaders) {
  FilterFileMap filter_files;
  auto files = std::make_shared<TreeFiles>();
  filter_files.Add("a filter", files, FileOf(files->Add(AnyFile())));
  files.reset();
  EXPECT_FALSE(static_cast<bool>(filter_files.NewReader("a filter")));
}

TEST(FilterFileMapTest, ManyBlocksAreBounded) {
  FilterFileMap filter_files;
  const auto files = std::make_shared<TreeFiles>();
  const TreeFiles::Id alive = files->Add(AnyFile());
  filter_files.Add("alive", files, FileOf(alive));
  for (size_t i = 0; i < FilterFileMap::kMaxBlocks; ++i) {
    filter_files.Add("gone " + std::to_string(i), files, FileOf(alive + 1));
  }
  EXPECT_TRUE(static_cast<bool>(filter_files.NewReader("alive")));
  EXPECT_FALSE(static_cast<bool>(filter_files.NewReader("gone 1")));
}

// If little can be evicted, eviction is not tried again for each new block.
TEST(FilterFileMapTest, MakesRoomForMany) {
  FilterFileMap filter_files;
  const auto files = std::make_shared<TreeFiles>();
  const TreeFiles::Id alive = files->Add(AnyFile());
  for (size_t i = 0; i < FilterFileMap::kMaxBlocks; ++i) {
    const bool is_gone = i % 16 == 0;
    filter_files.Add(std::to_string(i), files, {alive + is_gone, 6, false});
  }
  EXPECT_TRUE(static_cast<bool>(filter_files.NewReader("17")));
  filter_files.Add("one more", files, {alive, 6, false});
  EXPECT_FALSE(static_cast<bool>(filter_files.NewReader("17")));
  EXPECT_TRUE(static_cast<bool>(filter_files.NewReader("one more")));
}

}  // namespace filter_file_map_test
}  // namespace winnow::plugin
