#include "src/rocksdb/trees/tree_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/counted_memory.h"
#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace tree_files_test {

using Id = TreeFiles::Id;
using testing::allocations_left;

constexpr int kBase = 4;
const WritingJob kJob = {0, true, 0, kBase};

std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08d", number);
  return text;
}

KeyRange Range(int first, int last) { return {Key(first), Key(last)}; }

TreeFiles::NewFile File(int level, KeyRange range, bool is_bottom = false) {
  TreeFiles::NewFile file;
  file.level = level;
  file.is_bottom = is_bottom;
  file.range = std::move(range);
  file.keys = 100;
  return file;
}

int Below(TreeFiles* files, int level, const KeyRange& range, int base = kBase) {
  return files->PlaceOf(level, range, base).below;
}

TEST(TreeFilesTest, FindsTheFirstLevelBelowWithSuchKeys) {
  TreeFiles files;
  EXPECT_EQ(Below(&files, 0, Range(0, 9)), -1);
  files.Add(File(6, Range(500, 600), true), kJob);
  files.Add(File(5, Range(0, 100)), kJob);
  files.Add(File(4, Range(50, 60)), kJob);
  EXPECT_EQ(Below(&files, 3, Range(55, 70)), 4);
  EXPECT_EQ(Below(&files, 3, Range(70, 80)), 5);
  EXPECT_EQ(Below(&files, 4, Range(55, 70)), 5);
  EXPECT_EQ(Below(&files, 5, Range(55, 70)), -1);
  EXPECT_EQ(Below(&files, 5, Range(550, 700)), TreeFiles::kBottom);
  EXPECT_EQ(Below(&files, 0, Range(200, 300)), -1);
}

TEST(TreeFilesTest, AFlushWaitsBesideAnotherInItsRange) {
  TreeFiles files;
  files.Add(File(0, Range(0, 100)), kJob);
  EXPECT_EQ(Below(&files, 0, Range(101, 110)), -1);
  EXPECT_FALSE(files.PlaceOf(0, Range(101, 110), kBase).waits);
  TreeFiles::NewFile second = File(0, Range(100, 110));
  const TreeFiles::Place place = files.PlaceOf(0, second.range, kBase);
  EXPECT_EQ(place.below, kBase);
  EXPECT_TRUE(place.waits);
  EXPECT_EQ(Below(&files, 0, Range(100, 110), -1), -1);  // no level to merge into is known
  // The first file waits too.
  second.waits = true;
  files.AddMemory(files.Add(second, kJob), {5, 4});
  files.AddMemory(1, {3, 2});
  EXPECT_EQ(files.Memory().resting.bytes, 0);
  EXPECT_EQ(files.Memory().waiting.bytes, 8);
  EXPECT_EQ(files.Memory().waiting.uniform_bytes, 6);
  // An output on the base level ends all files of level 0 that it overlaps.
  files.Add(File(kBase, Range(0, 50)), kJob);
  files.Add(File(kBase, Range(51, 110)), kJob);
  EXPECT_EQ(files.files(), 2u);
}

TEST(TreeFilesTest, FlushesThatNothingMeetsAreMovedDown) {
  TreeFiles files;
  for (int i = 0; i < 20; ++i) files.Add(File(0, Range(100 * i, 100 * i + 99), true), kJob);
  EXPECT_EQ(Below(&files, 1, Range(0, 50)), TreeFiles::kBottom);
  EXPECT_EQ(Below(&files, 0, Range(0, 50)), TreeFiles::kBottom);
  EXPECT_EQ(Below(&files, 0, Range(1950, 1960)), kBase);
  EXPECT_EQ(Below(&files, 1, Range(1950, 1960)), -1);
}

TEST(TreeFilesTest, OutputsEndWhatTheyReplace) {
  TreeFiles files;
  const Id untouched = files.Add(File(6, Range(300, 400), true), kJob);
  const Id bottom = files.Add(File(6, Range(0, 100), true), kJob);
  const Id upper = files.Add(File(5, Range(0, 150)), kJob);
  const Id neighbour = files.Add(File(5, Range(160, 900)), kJob);
  const Id wide = files.Add(File(4, Range(0, 200)), kJob);
  const Id moved = files.Add(File(4, Range(201, 210)), kJob);
  // A merge of `bottom` and `upper`, which overlaps the neighbor and covers the file two levels up.
  const Id first = files.Add(File(6, Range(0, 90), true), kJob);
  const Id second = files.Add(File(6, Range(91, 220), true), kJob);
  EXPECT_FALSE(files.Knows(bottom));
  EXPECT_FALSE(files.Knows(upper));
  EXPECT_FALSE(files.Knows(moved));
  for (const Id id : {untouched, neighbour, wide, first, second})
    EXPECT_TRUE(files.Knows(id)) << id;
}

// Universal compaction, or a compaction within a level 0 of many files.
TEST(TreeFilesTest, ACompactionToLevel0EndsTheNewestFilesThere) {
  TreeFiles files;
  std::vector<Id> flushes;
  for (int i = 0; i < 6; ++i) flushes.push_back(files.Add(File(0, Range(i, 900 + i))));
  const Id late = files.Add(File(0, Range(0, 900)));  // flushed during the compaction
  TreeFiles::NewFile merged = File(0, Range(2, 905));
  merged.keys = 390;  // fewer than 400, as some keys were overwritten
  WritingJob merge{flushes.back()};
  EXPECT_EQ(files.ReplacedBy(merged, merge).keys, 400);
  const Id output = files.Add(merged, &merge);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(files.Knows(flushes[i]), i < 2) << i;
  EXPECT_TRUE(files.Knows(late));

  // Each partition adds to the number of keys. Files from before the database was opened are
  // unknown.
  merge = {output};
  merged.keys = 380;
  const Id second = files.Add(merged, &merge);
  EXPECT_FALSE(files.Knows(output));
  files.Extend(second, Range(500, 905), 10, &merge);
  EXPECT_TRUE(files.Knows(late));
  files.Extend(second, Range(500, 905), 1, &merge);
  EXPECT_FALSE(files.Knows(late));
  EXPECT_TRUE(files.Knows(flushes[1]));
  files.Extend(second, Range(500, 905), 10'000, &merge);
  EXPECT_EQ(files.files(), 1u);

  // A flush ends no file, and neither does a compaction of other key ranges.
  merge = {files.Add(File(0, Range(0, 900)))};
  files.Add(File(0, Range(2000, 3000)), &merge);
  EXPECT_EQ(files.files(), 3u);
}

// RocksDB omits the newest file if it is far smaller than the others.
TEST(TreeFilesTest, ACompactionToLevel0EndsThoseWhoseKeysFitBest) {
  TreeFiles files;
  std::vector<Id> flushes;
  for (const uint64_t keys : {800, 400, 410, 390, 100}) {
    TreeFiles::NewFile flush = File(0, Range(0, 900));
    flush.keys = keys;
    flushes.push_back(files.Add(flush));
  }
  TreeFiles::NewFile merged = File(0, Range(0, 900));
  merged.keys = 1190;
  WritingJob merge{flushes.back()};
  files.Add(merged, &merge);
  for (size_t i = 0; i < flushes.size(); ++i) EXPECT_EQ(files.Knows(flushes[i]), i == 0 || i == 4);
}

TEST(TreeFilesTest, UniversalCompactionEndsRunsOfAllLevelsAbove) {
  for (const bool is_universal : {false, true}) {
    TreeFiles files;
    const Id nearest = files.Add(File(5, Range(0, 150)));
    const Id above = files.Add(File(3, Range(0, 150)));
    WritingJob merge{above, !is_universal};
    files.Add(File(6, Range(0, 100), true), &merge);
    EXPECT_FALSE(files.Knows(nearest));
    EXPECT_EQ(files.Knows(above), !is_universal);
  }
}

TEST(TreeFilesTest, FilesThatCameAfterACompactionBeganStay) {
  TreeFiles files;
  WritingJob merge{files.Add(File(0, Range(0, 100)), kJob)};
  const Id after = files.Add(File(0, Range(0, 100)), kJob);
  files.Add(File(kBase, Range(0, 100)), &merge);
  EXPECT_FALSE(files.Knows(merge.last));
  EXPECT_TRUE(files.Knows(after));
}

// Flushes between two outputs of a compaction stay.
TEST(TreeFilesTest, OutputsOfOneCompactionBeganWithItsFirst) {
  TreeFiles files;
  const Id before = files.Add(File(0, Range(0, 1000)), kJob);
  const auto begins_with = [&files](const TreeFiles::NewFile& file, Id last) {
    WritingJob job{last};
    files.Continue(file, &job);
    return job.last;
  };
  EXPECT_EQ(begins_with(File(kBase, Range(0, 100)), before), before);
  const Id after = files.Add(File(0, Range(0, 1000)), kJob);
  EXPECT_EQ(begins_with(File(kBase, Range(101, 200)), after), before);
  EXPECT_EQ(begins_with(File(kBase, Range(201, 300)), after), before);
  // Another compaction in this thread, one in another thread, and one to another level.
  EXPECT_EQ(begins_with(File(kBase, Range(0, 50)), after), after);
  std::thread([&] { EXPECT_EQ(begins_with(File(kBase, Range(400, 500)), before), before); }).join();
  EXPECT_EQ(begins_with(File(kBase, Range(51, 100)), before), after);
  EXPECT_EQ(begins_with(File(6, Range(400, 500), true), before), before);
}

// Further partitions end the files that the first one would have ended.
TEST(TreeFilesTest, PartitionsBelowTheBaseLevelEndNoFlush) {
  TreeFiles files;
  const Id flush = files.Add(File(0, Range(0, 1000)), kJob);
  WritingJob merge = {flush, true, 0, kBase};
  const Id output = files.Add(File(kBase + 1, Range(0, 100)), &merge);
  files.Extend(output, Range(101, 200), 100, &merge);
  EXPECT_TRUE(files.Knows(flush));
  files.Add(File(kBase, Range(0, 100)), &merge);
  EXPECT_FALSE(files.Knows(flush));
}

TEST(TreeFilesTest, TheMemoryIsOfWhatIsAlive) {
  TreeFiles files;
  const Id one = files.Add(File(6, Range(0, 100), true), kJob);
  files.AddMemory(one, {70, 60});
  files.AddMemory(one, {7, 6});
  const Id two = files.Add(File(5, Range(0, 100)), kJob);
  files.AddMemory(two, {30, 20});
  EXPECT_EQ(files.Memory().resting.bytes, 107);
  EXPECT_EQ(files.Memory().resting.uniform_bytes, 86);
  files.Add(File(6, Range(0, 100), true), kJob);
  EXPECT_EQ(files.Memory().resting.bytes, 0);
  files.AddMemory(one, {70, 60});  // has no effect, as the file has ended
  EXPECT_EQ(files.Memory().resting.bytes, 0);
}

TEST(TreeFilesTest, AFileWithoutReadersHasEnded) {
  TreeFiles files;
  const Id id = files.Add(File(6, Range(0, 100), true), kJob);
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), TreeFiles::kBottom);  // has not been read yet
  files.Opened(id);
  files.Opened(id);
  files.Closed(id);
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), TreeFiles::kBottom);
  files.Closed(id);
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), -1);
  EXPECT_EQ(files.files(), 0u);
  EXPECT_FALSE(files.IsReopened());
  files.Opened(id);
  EXPECT_TRUE(files.IsReopened());
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), TreeFiles::kBottom);
  files.Add(File(5, Range(0, 100)), kJob);
  EXPECT_FALSE(files.IsReopened());
}

TEST(TreeFilesTest, ReadersThatComeAndGoSayNothing) {
  TreeFiles files;
  files.Add(File(6, Range(500, 600), true), kJob);
  const Id id = files.Add(File(6, Range(0, 100), true), kJob);
  for (size_t i = 0; i <= TreeFiles::kMaxRevivals + 1; ++i) {
    files.Opened(id);
    files.Closed(id);
  }
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), TreeFiles::kBottom);
}

// Keys are distinguished by the bytes after their common prefix.
TEST(TreeFilesTest, ALongCommonPrefixHidesNothing) {
  TreeFiles files;
  const auto with_prefix = [](int first, int last, size_t bytes) {
    KeyRange range = Range(first, last);
    for (std::string* key : {&range.first, &range.last}) key->insert(0, bytes, 'p');
    return range;
  };
  for (const size_t bytes : {5000u, 200u, 60u, 0u}) {
    files.Add(File(6, with_prefix(0, 100, bytes), true), kJob);
    EXPECT_EQ(Below(&files, 5, with_prefix(50, 60, bytes)), TreeFiles::kBottom) << bytes;
    EXPECT_EQ(Below(&files, 5, with_prefix(200, 300, bytes)), -1) << bytes;
  }
}

TEST(TreeFilesTest, IsBoundedAndKeepsItsSums) {
  TreeFiles files;
  constexpr int kFiles = 20'000;
  for (int i = 0; i < kFiles; ++i) {
    files.AddMemory(files.Add(File(6, Range(10 * i, 10 * i + 9), true), kJob), {3, 2});
    ASSERT_LE(files.files(), TreeFiles::kMaxFiles);
  }
  EXPECT_EQ(files.Memory().resting.bytes, 3.0 * kFiles);
  EXPECT_EQ(files.Memory().resting.uniform_bytes, 2.0 * kFiles);
  EXPECT_EQ(Below(&files, 5, Range(555, 556)), TreeFiles::kBottom);
  EXPECT_EQ(Below(&files, 5, Range(10 * kFiles, 11 * kFiles)), -1);
}

ListedFile Found(int level, KeyRange range) {
  ListedFile found;
  found.level = level;
  found.range = std::move(range);
  found.keys = 100;
  found.memory = {125, 120};
  found.filter_bytes = 135;
  return found;
}

TEST(TreeFilesTest, FilesThatAreFoundCountInAnyOrder) {
  // Two overlapping files on level 0, then levels 4, 5 and 6 below each other.
  const std::vector<ListedFile> all = {Found(0, Range(0, 900)), Found(0, Range(100, 990)),
                                       Found(4, Range(0, 300)), Found(5, Range(0, 500)),
                                       Found(6, Range(0, 100)), Found(6, Range(600, 700))};
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5};
  do {
    TreeFiles files;
    for (const size_t i : order) EXPECT_NE(files.AddFound(all[i], true, true), 0u);
    const TreeFiles::Sums sums = files.sums();
    EXPECT_EQ(sums.files, 6u);
    EXPECT_EQ(sums.filter_bytes, 6 * 135);
    EXPECT_EQ(sums.levels[0].keys, 200);
    EXPECT_EQ(sums.levels[4].keys, 100);
    EXPECT_EQ(sums.levels[5].keys, 100);
    EXPECT_EQ(sums.levels.back().keys, 200);
    EXPECT_EQ(files.Memory().waiting.bytes, 250);
    EXPECT_EQ(Below(&files, 0, Range(650, 651)), kBase);  // there are other files on level 0
    EXPECT_EQ(Below(&files, 4, Range(650, 651)), TreeFiles::kBottom);
    EXPECT_EQ(Below(&files, 4, Range(50, 60)), 5);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(TreeFilesTest, FilesThatAreFoundEndAsOthersDo) {
  TreeFiles files;
  files.AddFound(Found(5, Range(0, 500)), true, true);
  const Id id = files.AddFound(Found(6, Range(600, 700)), true, true);
  files.Add(File(5, Range(0, 500)), kJob);
  EXPECT_EQ(files.files(), 2u);
  files.Opened(id);
  files.Closed(id);
  EXPECT_EQ(files.files(), 1u);
}

TEST(TreeFilesTest, FilesOfALastLevelWithoutFiltersAreNotMissed) {
  TreeFiles files;
  files.AddFound(Found(5, Range(0, 500)), true, false);
  EXPECT_EQ(files.sums().levels[5].keys, 100);
}

// A sequential load leaves such files, which RocksDB moved down.
TEST(TreeFilesTest, ManyFlushesThatAreFoundAreNotOnLevel0) {
  TreeFiles files;
  for (int i = 0; i < 100; ++i) files.AddFound(Found(0, Range(10 * i, 10 * i + 9)), true, true);
  EXPECT_EQ(files.sums().levels[0].keys + files.sums().levels.back().keys, 10'000);
  files.Add(File(4, Range(0, 10'000)), {files.last_id(), true, 0, kBase});
  EXPECT_GT(files.files(), 80u);
}

TEST(TreeFilesTest, AFileThatIsFoundBesideItsSuccessorIsGone) {
  TreeFiles files;
  files.Add(File(5, Range(0, 500)), kJob);
  EXPECT_EQ(files.AddFound(Found(5, Range(100, 200)), true, true), 0u);
  EXPECT_NE(files.AddFound(Found(5, Range(600, 700)), true, true), 0u);
  EXPECT_NE(files.AddFound(Found(4, Range(100, 200)), true, true), 0u);
}

TEST(TreeFilesTest, AListOutweighsWhatWasFound) {
  TreeFiles files;
  files.AddFound(Found(5, Range(0, 500)), true, true);
  files.BeginList();
  ListedFile listed = Found(5, Range(0, 500));
  listed.name = FileName::Of("/a/database", 7);
  files.TakeList(listed.name.Database(), true, {listed});
  EXPECT_EQ(files.files(), 1u);
  EXPECT_EQ(files.AddFound(Found(5, Range(600, 700)), true, true), 0u);
  files.StopBeingTold();
  EXPECT_EQ(files.AddFound(Found(5, Range(600, 700)), true, true), 0u);
  EXPECT_EQ(files.files(), 1u);
}

// Files of level 5 are rewritten repeatedly. On the last level one half is, and the other never.
TEST(TreeFilesTest, FilesStayWhereOthersDid) {
  TreeFiles files;
  const int last = TreeFiles::LevelIndex(6, true);
  for (int i = 0; i < 20; ++i) files.Add(File(6, Range(100 * i, 100 * i + 99), true), kJob);
  for (int i = 0; i < 300; ++i) {
    const int at = 100 * (i % 10);
    files.Add(File(5, Range(at, at + 99)), kJob);
    files.Add(File(6, Range(at, at + 99), true), kJob);
    files.Add(File(5, Range(at, at + 98)), kJob);
  }
  const TreeFiles::TreeShape tree = files.ShapeOfTree();
  EXPECT_LT(tree.stays[5], 0.02);
  EXPECT_LT(tree.stays[static_cast<size_t>(last)], 0.6);
  EXPECT_GT(tree.stays[static_cast<size_t>(last)], tree.stays[5]);
  double touched = 0;
  double untouched = 0;
  for (const RatedFile& file : tree.files) {
    if (file.level != last) continue;
    (file.stays < 0.8 ? touched : untouched) += 1;
  }
  EXPECT_EQ(touched, 10);
  EXPECT_EQ(untouched, 10);
}

TEST(TreeFilesTest, AGridIsMadeAgainWhenMuchWasWritten) {
  TreeFiles files;
  EXPECT_FALSE(files.MakeGrid()) << "there is no file";
  for (int i = 0; i < 100; ++i) files.Add(File(6, Range(100 * i, 100 * i + 99), true), kJob);
  EXPECT_EQ(files.ShapeOf(File(6, Range(5000, 5099))).to, 0);
  EXPECT_TRUE(files.MakeGrid());
  EXPECT_FALSE(files.MakeGrid());
  const RatedFile middle = files.ShapeOf(File(6, Range(5000, 5099)));
  EXPECT_NEAR(middle.from, 0.5, 0.01);
  EXPECT_NEAR(middle.to, 0.51, 0.01);
  EXPECT_FALSE(middle.reaches_beyond);
  EXPECT_TRUE(files.ShapeOf(File(6, Range(9950, 10'050))).reaches_beyond);
  for (int i = 100; i < 110; ++i) files.Add(File(6, Range(100 * i, 100 * i + 99), true), kJob);
  EXPECT_TRUE(files.MakeGrid());
  EXPECT_NEAR(files.ShapeOf(File(6, Range(5000, 5099))).from, 50 / 110.0, 0.01);
  for (const RatedFile& file : files.ShapeOfTree().files) {
    EXPECT_NEAR(file.to - file.from, 1 / 110.0, 0.002);
  }
}

TEST(TreeFilesTest, WhatIsNeverTouchedIsForgottenAfterLong) {
  TreeFiles files;
  files.Add(File(6, Range(0, 100), true), kJob);
  const Id other = files.Add(File(6, Range(500, 600), true), kJob);
  for (int i = 0; i < 500 && files.Knows(other); ++i) {
    files.Add(File(6, Range(1000, 1100), true), kJob);
  }
  EXPECT_FALSE(files.Knows(other));
  EXPECT_EQ(Below(&files, 5, Range(0, 9)), -1);
  EXPECT_EQ(Below(&files, 5, Range(1000, 1010)), TreeFiles::kBottom);
}

// Runs random steps, one in `one_in` of which fails an allocation; 0 for none.
void ExpectSumsHold(std::mt19937_64* random, unsigned one_in) {
  TreeFiles files;
  WritingJob job = kJob;
  std::vector<Id> added = {1};
  added.reserve(4000);
  for (int step = 0; step < 2000; ++step) {
    const int first = static_cast<int>((*random)() % 10'000);
    const int last = first + static_cast<int>((*random)() % 1'000);
    const int level = static_cast<int>((*random)() % 7);
    const std::string prefix((*random)() % 100 == 0 ? (*random)() % 80 : 80, 'p');
    const KeyRange range = {prefix + Key(first), prefix + Key(last)};
    TreeFiles::NewFile file = File(level, range, level == 6);
    file.waits = level == 0 && (*random)() % 2 == 0;
    const Id some = added[(*random)() % added.size()];
    const uint64_t kind = (*random)() % 13;
    const FileName name = FileName::Of("/a/database", 1 + (*random)() % 50);
    const bool is_short = one_in > 0 && (*random)() % one_in == 0;
    allocations_left = is_short ? static_cast<int64_t>((*random)() % 12) : -1;
    try {
      switch (kind) {
        case 0:
          files.Opened(some);
          break;
        case 1:
          files.Closed(some);
          break;
        case 2:
          files.Extend(some, range, 10, &job);
          break;
        case 3:
          files.PlaceOf(level, range, kBase);
          break;
        case 4:
          files.SetName(some, name);
          break;
        case 5:
          files.Installed(name, level);
          break;
        case 6:
          files.Ended(name);
          break;
        case 8:
          if (step % 4 == 0) {
            ListedFile found;
            found.level = level;
            found.range = range;
            found.keys = 100;
            found.memory = {2, 1};
            found.filter_bytes = 2;
            files.AddFound(found, true, true);
          }
          break;
        case 7:
          if (step % 10 == 0) {
            ListedFile listed;
            listed.name = name;
            listed.level = level;
            listed.range = range;
            listed.memory = {2, 1};
            listed.filter_bytes = 2;
            files.BeginList();
            files.TakeList(name.Database(), false, {listed});
          }
          break;
        default:
          added.push_back(files.Add(file, kJob));
          files.AddMemory(added.back(), {2, 1});
      }
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
  }
  const LiveMemory memory = files.Memory();
  const double uniform = memory.resting.uniform_bytes + memory.waiting.uniform_bytes;
  EXPECT_EQ(memory.resting.bytes + memory.waiting.bytes, 2 * uniform);
  EXPECT_LE(uniform, static_cast<double>(files.files()));
  if (one_in == 0) {
    EXPECT_EQ(uniform, static_cast<double>(files.files()));
  }
}

TEST(TreeFilesTest, SumsHoldUnderAnySteps) {
  std::mt19937_64 random(testing::TestSeed());
  for (int round = 0; round < 20; ++round) ExpectSumsHold(&random, 0);
}

TEST(TreeFilesTest, SumsHoldWhereMemoryIsShort) {
  std::mt19937_64 random(testing::TestSeed());
  for (int round = 0; round < 50; ++round) ExpectSumsHold(&random, 5);
}

// Returns the places of all files and samples in the current grid.
std::vector<double> PlacesOf(const TreeFiles& files, LookupSamples* samples) {
  std::vector<double> places;
  for (const RatedFile& file : files.ShapeOfTree().files) {
    places.push_back(file.from);
    places.push_back(file.to);
  }
  std::vector<LookupSamples::Record> records;
  samples->Snapshot(&records);
  for (const LookupSamples::Record& record : records) places.push_back(record.place);
  return places;
}

TEST(TreeFilesTest, AGridIsMadeWholeOrNotAtAll) {
  const std::string prefix(100, 'p');
  TreeFiles files;
  files.samples().Reserve();
  LookupsUnderWay lookups{};
  for (int i = 0; i < 20; ++i) {
    files.Add(File(6, {prefix + Key(i * 10), prefix + Key(i * 10 + 9)}, true), kJob);
  }
  ASSERT_TRUE(files.MakeGrid());
  for (int i = 0; i < 200; ++i) {
    files.samples().Note(&lookups, prefix + Key(i), static_cast<uint64_t>(i), {1, 6, 0.01}, false);
  }
  // Shorter than the grid's prefix.
  files.Add(File(6, {prefix.substr(0, 60) + 'x', prefix.substr(0, 60) + 'y'}, true), kJob);
  files.Add(File(6, {prefix + Key(200), prefix + Key(300)}, true), kJob);
  const std::vector<double> before = PlacesOf(files, &files.samples());
  const std::shared_ptr<const KeyPositions> grid = files.grid();
  for (int64_t allocations = 0;; ++allocations) {
    allocations_left = allocations;
    try {
      ASSERT_TRUE(files.MakeGrid());
      allocations_left = -1;
      break;
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
    ASSERT_EQ(files.grid(), grid) << allocations << " allocations";
    ASSERT_EQ(PlacesOf(files, &files.samples()), before) << allocations << " allocations";
  }
  EXPECT_NE(PlacesOf(files, &files.samples()), before);
  for (const RatedFile& file : files.ShapeOfTree().files) EXPECT_LE(file.from, file.to);
}

TEST(TreeFilesTest, MayBeAskedByManyThreads) {
  TreeFiles files;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&files, t] {
      for (int i = 0; i < 2000; ++i) {
        const Id id = files.Add(File(i % 7, Range(i * 10 + t, i * 10 + t + 3), i % 7 == 6), kJob);
        files.Opened(id);
        files.PlaceOf(i % 3, Range(i, i + 5), kBase);
        files.AddMemory(id, {1, 1});
        if (i % 3 == 0) files.Closed(id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(files.files(), 0u);
}

}  // namespace tree_files_test
}  // namespace winnow::plugin
