// Live files in a tree's record, as a listener reports them.

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/rocksdb/lookups/shared_hash.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {
namespace told_files_test {

using Id = TreeFiles::Id;
using Listed = ListedFile;

constexpr int kBase = 4;
const WritingJob kJob = {0, true, 0, kBase};
const FileName kDatabase = FileName::Of("/a/database", 0);

std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08d", number);
  return text;
}

TreeFiles::NewFile File(int level, int first, int last, bool is_bottom = false) {
  TreeFiles::NewFile file;
  file.level = level;
  file.is_bottom = is_bottom;
  file.range = {Key(first), Key(last)};
  file.keys = 100;
  return file;
}

Listed FileOf(uint64_t number, int level, int first, int last) {
  Listed listed;
  listed.name = kDatabase.File(number);
  listed.level = level;
  listed.range = {Key(first), Key(last)};
  listed.keys = 100;
  listed.filter_bytes = 90;
  listed.memory = {80, 80};
  listed.is_measured = true;
  return listed;
}

TreeFiles::Levels Tell(TreeFiles* files, const std::vector<Listed>& list, bool is_first = false,
                       FileName database = kDatabase) {
  files->BeginList();
  return files->TakeList(database, is_first, list);
}

TEST(ToldFilesTest, WhatIsListedIsKnown) {
  TreeFiles files;
  EXPECT_FALSE(files.KnowsAllFiles());
  const TreeFiles::Levels levels =
      Tell(&files,
           {FileOf(1, 0, 0, 90), FileOf(2, 0, 50, 200), FileOf(3, 0, 300, 310),
            FileOf(4, 4, 0, 100), FileOf(5, 6, 0, 50), FileOf(6, 6, 51, 400)},
           true);
  EXPECT_EQ(levels.base, 4);
  EXPECT_EQ(levels.depth, 6);
  EXPECT_TRUE(files.KnowsAllFiles());
  const TreeFiles::Sums sums = files.sums();
  EXPECT_EQ(sums.files, 6u);
  EXPECT_EQ(sums.keys, 600);
  EXPECT_EQ(sums.filter_bytes, 540);
  EXPECT_EQ(files.Memory().waiting.uniform_bytes, 160);
  EXPECT_EQ(files.Memory().resting.uniform_bytes, 320);
  const auto below = [&](int level, int first, int last) {
    return files.PlaceOf(level, {Key(first), Key(last)}, kBase).below;
  };
  EXPECT_EQ(below(0, 101, 110), kBase);  // overlaps another file on level 0
  EXPECT_EQ(below(0, 201, 210), TreeFiles::kBottom);
  EXPECT_EQ(below(0, 401, 410), -1);
  EXPECT_EQ(below(3, 90, 110), 4);
  EXPECT_EQ(below(4, 90, 110), TreeFiles::kBottom);
}

TEST(ToldFilesTest, FilesThatAreGoneEndAndFilesThatMovedAreElsewhere) {
  TreeFiles files;
  Tell(&files, {FileOf(1, 4, 0, 100), FileOf(2, 4, 101, 200), FileOf(3, 6, 0, 150)}, true);
  Tell(&files, {FileOf(2, 5, 101, 200), FileOf(3, 6, 0, 150)});
  EXPECT_EQ(files.files(), 2u);
  EXPECT_EQ(files.PlaceOf(3, {Key(110), Key(120)}, kBase).below, 5);
  EXPECT_EQ(files.PlaceOf(3, {Key(10), Key(20)}, kBase).below, TreeFiles::kBottom);
  // A file of another database with the same logger and column family name.
  const FileName other = FileName::Of("/another", 0);
  Listed of_other = FileOf(2, 5, 300, 400);
  of_other.name = other.File(2);
  Tell(&files, {of_other}, true, other);
  EXPECT_EQ(files.files(), 3u);
  Tell(&files, {}, false, other);
  EXPECT_EQ(files.files(), 2u);
  files.Ended(kDatabase.File(3));
  EXPECT_EQ(files.files(), 1u);
}

TEST(ToldFilesTest, FilesThatMoveWhileAListIsReadAreWhereTheyMoved) {
  TreeFiles files;
  const std::vector<Listed> at_first = {FileOf(1, 2, 0, 100), FileOf(2, 6, 0, 500)};
  Tell(&files, at_first, true);
  files.BeginList();
  files.Installed(kDatabase.File(1), 3);
  files.TakeList(kDatabase, false, at_first);
  const auto below = [&](int level) { return files.PlaceOf(level, {Key(0), Key(1)}, kBase).below; };
  EXPECT_EQ(below(1), 3);
  files.BeginList();
  files.TakeList(kDatabase, false, at_first);
  EXPECT_EQ(below(1), 2);
}

TEST(ToldFilesTest, FilesThatAreBeingWrittenStay) {
  TreeFiles files;
  Tell(&files, {}, true);
  const Id written = files.Add(File(6, 0, 100, true), kJob);  // has no number yet
  const Id finished = files.Add(File(6, 101, 200, true), kJob);
  files.SetName(finished, kDatabase.File(7));
  Tell(&files, {});
  EXPECT_TRUE(files.Knows(written));
  EXPECT_TRUE(files.Knows(finished));
  EXPECT_TRUE(files.KnowsAllFiles());
  // The file is missing in a list that was read before its installation, and present in later ones.
  files.BeginList();
  files.Installed(kDatabase.File(7), 6);
  files.TakeList(kDatabase, false, {});
  EXPECT_TRUE(files.Knows(finished));
  Tell(&files, {});
  EXPECT_FALSE(files.Knows(finished));
  EXPECT_TRUE(files.Knows(written));
  // All files that are not in the first list are old, except those added since the list began.
  files.BeginList();
  const Id late = files.Add(File(6, 201, 300, true), kJob);
  files.TakeList(kDatabase, true, {});
  EXPECT_FALSE(files.Knows(written));
  EXPECT_TRUE(files.Knows(late));
}

// The database was closed, and no event named its files.
TEST(ToldFilesTest, FilesThatNobodyNamedEndWithTheFirstList) {
  TreeFiles files;
  const Id id = files.Add(File(4, 0, 90), kJob);
  files.AddMemory(id, {70, 60});
  Tell(&files, {FileOf(9, 6, 0, 95), FileOf(10, 5, 0, 80)}, true);
  EXPECT_EQ(files.files(), 2u);
  EXPECT_FALSE(files.Knows(id));
  EXPECT_EQ(files.Memory().resting.bytes, 160);
  files.Ended(kDatabase.File(9));
  EXPECT_EQ(files.files(), 1u);
}

// A guess removes a file temporarily; the next list decides.
TEST(ToldFilesTest, AListOutweighsGuesses) {
  TreeFiles files;
  std::vector<Listed> list = {FileOf(1, 5, 0, 100), FileOf(2, 6, 0, 200)};
  Tell(&files, list, true);
  files.Ending(kDatabase.File(2), 1);
  const Id output = files.Add(File(6, 0, 200, true), kJob);
  files.SetName(output, kDatabase.File(3));
  EXPECT_EQ(files.files(), 2u);  // file 2 may be compacted alone
  list[0].is_ending = list[1].is_ending = true;
  Tell(&files, list);
  EXPECT_EQ(files.files(), 2u);
  files.Add(File(6, 0, 150, true), kJob);
  EXPECT_EQ(files.files(), 2u);
  list[0].is_ending = false;
  Tell(&files, list);
  EXPECT_EQ(files.files(), 3u);  // a compaction of file 1 began and failed
  EXPECT_EQ(files.PlaceOf(4, {Key(10), Key(20)}, kBase).below, 5);
  files.Ended(kDatabase.File(2));
  EXPECT_EQ(files.files(), 3u);
  EXPECT_EQ(files.Weight(), 3u);
  // Age and readers end no file that was reported, only the one that never was.
  Tell(&files, {list[0], FileOf(3, 6, 0, 200)});
  files.Opened(output);
  files.Closed(output);
  for (int i = 0; i < 200; ++i) {
    TreeFiles::NewFile file = File(6, 1000, 1100, true);
    file.keys = 10'000;
    files.NotWritten(files.Add(file, kJob));
  }
  EXPECT_EQ(files.files(), 2u);
}

// A compaction's keys count once, as those of one new file, before, during and after it.
TEST(ToldFilesTest, TheShapeOfATreeIsThatAfterRunningCompactions) {
  TreeFiles files;
  Tell(&files,
       {FileOf(1, 5, 0, 100), FileOf(2, 6, 0, 60), FileOf(3, 6, 61, 200), FileOf(4, 6, 300, 400)},
       true);
  ASSERT_TRUE(files.MakeGrid());
  const auto shape_of = [](const TreeFiles::TreeShape& tree) {
    std::map<double, bool> is_new;  // keyed by number of keys
    for (const RatedFile& file : tree.files) is_new[file.keys] = file.stays == 0;
    return is_new;
  };
  const auto shape = [&] { return shape_of(files.ShapeAfterCompactions()); };
  EXPECT_EQ(files.ShapeAfterCompactions().files.size(), 4u);
  for (const uint64_t number : {1, 2, 3}) files.Ending(kDatabase.File(number), 7);
  const std::map<double, bool> merged = {{100, false}, {300, true}};
  EXPECT_EQ(shape(), merged);
  WritingJob job = kJob;
  job.last = files.last_id();
  // The first output has half of the keys in half of the range; none counts twice.
  TreeFiles::NewFile first = File(6, 0, 100, true);
  first.keys = 200;
  EXPECT_EQ(shape_of(files.ShapeWith(first, job)), merged);
  first.keys = 50;  // many keys remain to be written
  const double left = shape_of(files.ShapeWith(first, job)).rbegin()->first;
  EXPECT_LT(left, 120);
  first.keys = 200;
  const Id one = files.Add(first, job);
  files.SetName(one, kDatabase.File(5));
  EXPECT_EQ(shape(), merged);
  TreeFiles::NewFile second = File(6, 101, 200, true);
  second.keys = 160;
  EXPECT_EQ(shape_of(files.ShapeWith(second, job)), merged);
  files.SetName(files.Add(second, job), kDatabase.File(6));
  EXPECT_EQ(shape(), merged);
  // A concurrent flush adds its keys.
  TreeFiles::NewFile flush = File(0, 0, 400);
  flush.keys = 40;
  EXPECT_EQ(shape_of(files.ShapeWith(flush, kJob)).size(), 3u);
  // An input of another job is a separate file until that job fails.
  Tell(&files, {FileOf(1, 5, 0, 100), FileOf(2, 6, 0, 60), FileOf(3, 6, 61, 200),
                FileOf(4, 6, 300, 400), FileOf(9, 0, 0, 400)});
  for (const uint64_t number : {1, 2, 3}) files.Ending(kDatabase.File(number), 7);
  files.Ending(kDatabase.File(9), 8);
  EXPECT_EQ(files.ShapeAfterCompactions().files.size(), 3u);
  files.Installed(kDatabase.File(9), 0);
  EXPECT_EQ(shape(), (std::map<double, bool>{{100, false}, {300, true}}));
  files.Ended(kDatabase.File(9));
  for (const uint64_t number : {1, 2, 3}) files.Ended(kDatabase.File(number));
  for (const uint64_t number : {5, 6}) files.Installed(kDatabase.File(number), 6);
  EXPECT_EQ(files.ShapeAfterCompactions().files.size(), 3u);
}

// Two concurrent jobs: outputs of one replace none of the other.
TEST(ToldFilesTest, FilesThatAreBeingWrittenAreReplacedByNone) {
  TreeFiles files;
  Tell(&files, {FileOf(1, 0, 0, 100)}, true);
  files.Ending(kDatabase.File(1), 1);
  const Id flush = files.Add(File(0, 0, 100, false), kJob);
  const Id output = files.Add(File(kBase, 0, 100, true), kJob);
  EXPECT_TRUE(files.Knows(flush));
  files.SetName(flush, kDatabase.File(2));
  files.SetName(output, kDatabase.File(3));
  files.Ended(kDatabase.File(1));
  EXPECT_EQ(files.files(), 2u);
  files.NotWritten(files.Add(File(0, 0, 100, false), kJob));
  EXPECT_EQ(files.files(), 2u);
}

TEST(ToldFilesTest, FilesThatEndWhileAListIsReadAreNoMore) {
  TreeFiles files;
  const std::vector<Listed> list = {FileOf(1, 5, 0, 100), FileOf(2, 6, 0, 100)};
  Tell(&files, list, true);
  files.BeginList();
  files.Ended(kDatabase.File(1));
  const Id output = files.Add(File(5, 0, 100, true), kJob);  // begins like the one that ended
  files.TakeList(kDatabase, false, list);
  files.SetName(output, kDatabase.File(3));
  files.Ended(kDatabase.File(1));
  EXPECT_TRUE(files.Knows(output));
  EXPECT_EQ(files.files(), 2u);
}

TEST(ToldFilesTest, ManyFilesAreAddedUpRight) {
  constexpr int kFiles = 3 * static_cast<int>(TreeFiles::kMaxFiles);
  std::vector<Listed> list;
  for (int i = 0; i < kFiles; ++i)
    list.push_back(FileOf(1u + i, i % 20 == 0 ? 5 : 6, 10 * i, 10 * i + 9));
  TreeFiles files;
  Tell(&files, list, true);
  for (int round = 0; round < 3; ++round) {
    const TreeFiles::Sums sums = files.sums();
    EXPECT_LE(sums.files, TreeFiles::kMaxFiles);
    EXPECT_EQ(sums.keys, 100.0 * static_cast<double>(list.size()));
    EXPECT_NEAR(sums.filter_bytes, 90.0 * static_cast<double>(list.size()), 1);
    EXPECT_NEAR(files.Memory().resting.bytes, 80.0 * static_cast<double>(list.size()), 1);
    EXPECT_TRUE(files.KnowsAllFiles());
    // A third of the files is deleted, and others are larger than estimated.
    std::vector<Listed> rest;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i % 3 != 0) rest.push_back(list[i]);
    }
    list = rest;
    Tell(&files, list);
  }
  Tell(&files, {list[0]});
  EXPECT_EQ(files.files(), 1u);
  files.Ended(list[0].name);  // ends by its own name, or with the next list
  Tell(&files, {});
  EXPECT_EQ(files.files(), 0u);
  EXPECT_EQ(files.sums().filter_bytes, 0);
}

TEST(ToldFilesTest, EstimatesAreReplacedByMeasures) {
  TreeFiles files;
  Listed listed = FileOf(1, 6, 0, 100);
  listed.is_measured = false;
  Tell(&files, {listed}, true);
  EXPECT_FALSE(files.KnowsAllFiles());
  EXPECT_EQ(files.sums().keys, 100);
  listed = FileOf(1, 6, 0, 100);
  listed.keys = 250;
  Tell(&files, {listed});
  EXPECT_TRUE(files.KnowsAllFiles());
  EXPECT_EQ(files.sums().keys, 250);
}

TEST(ToldFilesTest, AFileThatIsMovedUpLiesOverNothing) {
  TreeFiles files;
  Tell(&files, {FileOf(1, 6, 0, 100)}, true);
  files.Installed(kDatabase.File(1), 5);
  EXPECT_EQ(files.PlaceOf(5, {Key(0), Key(1)}, kBase).below, TreeFiles::kBottom);
  EXPECT_EQ(files.sums().levels.back().keys, 100);
}

TEST(ToldFilesTest, ReadersHearOfANewLevel) {
  const auto files = std::make_shared<TreeFiles>();
  Tell(files.get(), {}, true);
  const Id id = files->Add(File(4, 0, 100), kJob);
  files->SetName(id, kDatabase.File(1));
  const std::shared_ptr<const std::atomic<int>> level = files->LevelOfReaders(id);
  EXPECT_EQ(*level, 4);
  files->Installed(kDatabase.File(1), 5);
  EXPECT_EQ(*level, TreeFiles::LevelIndex(5, true));
  Tell(files.get(), {FileOf(1, 5, 0, 100), FileOf(2, 6, 0, 100)});
  EXPECT_EQ(*level, 5);
  // Samples of a reader that was created before.
  FilterFileMap filter_files;
  filter_files.Add("a filter", files, {id, 4, false});
  const OwnedReader reader = filter_files.NewReader("a filter");
  Tell(files.get(), {FileOf(1, 6, 0, 100)});
  files->samples().Reserve();
  ASSERT_TRUE(files->MakeGrid());
  // The first lookup gives the thread its state.
  const ROCKSDB_NAMESPACE::Slice key("first");
  const ROCKSDB_NAMESPACE::Slice* const keys[] = {&key};
  KeyHash hash;
  SharedHashes(keys, 1, &hash);
  reader.samples().Note(LookupsOfThisThread(), Key(50), 1, reader.AskedNow(0.01), false);
  std::vector<LookupSamples::Record> records;
  files->samples().Snapshot(&records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].deepest, TreeFiles::LevelIndex(6, true));
}

TEST(ToldFilesTest, AClosedDatabaseIsGuessedAgain) {
  TreeFiles files;
  const Id id = files.Add(File(6, 0, 100, true), kJob);
  files.SetName(id, kDatabase.File(1));
  files.Opened(id);
  Tell(&files, {FileOf(1, 6, 0, 100)}, true);
  files.StopBeingTold();
  EXPECT_FALSE(files.KnowsAllFiles());
  files.Closed(id);
  EXPECT_EQ(files.files(), 0u);
  Tell(&files, {FileOf(1, 6, 0, 100)}, true);
  EXPECT_EQ(files.files(), 1u);
  EXPECT_TRUE(files.Knows(id));
}

}  // namespace told_files_test
}  // namespace winnow::plugin
