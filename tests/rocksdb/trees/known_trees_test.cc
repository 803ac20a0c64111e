#include "src/rocksdb/trees/known_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/trees/filter_file_map.h"
#include "tests/support/counted_memory.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace known_trees_test {

using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

BuildFacts Merge(int level, bool is_bottommost) {
  return {kCompactionStyleLevel, level, TableFileCreationReason::kCompaction, 7, is_bottommost};
}

const BuildFacts kFlush = {kCompactionStyleLevel, 0, TableFileCreationReason::kFlush, 7, false};

const int kOne = 1;
const int kOther = 2;

TEST(KnownTreesTest, LearnsDepthAndBaseFromMerges) {
  KnownTrees trees;
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).depth, -1);
  EXPECT_EQ(trees.Learn(&kOne, "default", Merge(4, false)).depth, 5);
  EXPECT_EQ(trees.Learn(&kOne, "default", Merge(5, false)).depth, 6);
  const KnownTree known = trees.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(known.base, 4);
  EXPECT_EQ(trees.Learn(&kOne, "default", Merge(6, false)).depth, 6);  // there is no level 7
}

// One column family counts for all, since RocksDB does not say which family's options it passes.
TEST(KnownTreesTest, AFamilyInAnotherOrderOfKeysCountsForAll) {
  KnownTrees trees;
  EXPECT_TRUE(trees.Learn(&kOne, "default", kFlush).is_bytewise);
  FamilyOptions family;
  trees.NoteFamilyOptions(family);
  EXPECT_TRUE(trees.Learn(&kOne, "default", kFlush).is_bytewise);
  family.is_bytewise = false;
  trees.NoteFamilyOptions(family);
  family.is_bytewise = true;
  trees.NoteFamilyOptions(family);
  EXPECT_FALSE(trees.Learn(&kOne, "default", kFlush).is_bytewise);
}

TEST(KnownTreesTest, OtherStylesTeachNothing) {
  KnownTrees trees;
  BuildFacts universal = Merge(5, false);
  universal.compaction_style = kCompactionStyleUniversal;
  EXPECT_EQ(trees.Learn(&kOne, "default", universal).depth, -1);
}

TEST(KnownTreesTest, KeepsFamiliesAndDatabasesApart) {
  KnownTrees trees;
  trees.Learn(&kOne, "default", Merge(3, true));
  EXPECT_EQ(trees.Learn(&kOne, "other", kFlush).depth, -1);
  EXPECT_EQ(trees.Learn(&kOther, "default", kFlush).depth, -1);
  EXPECT_EQ(trees.Learn(nullptr, "default", Merge(3, true)).depth, -1);
  EXPECT_EQ(trees.Learn(nullptr, "default", kFlush).depth, -1);
  EXPECT_EQ(trees.RecordOf(nullptr, "default"), nullptr);
  EXPECT_NE(trees.RecordOf(&kOne, "default"), trees.RecordOf(&kOne, "other"));
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).depth, 3);
}

TEST(KnownTreesTest, ForgetsTheOnesNotAskedForWhenThereAreTooMany) {
  KnownTrees trees;
  trees.Learn(&kOne, "kept", Merge(3, true));
  trees.Learn(&kOne, "lost", Merge(3, true));
  for (size_t i = 0; i < KnownTrees::kMaxTrees - 2; ++i) {
    trees.Learn(&kOne, "family" + std::to_string(i), kFlush);
    EXPECT_EQ(trees.Learn(&kOne, "kept", kFlush).depth, 3);
  }
  EXPECT_FALSE(trees.has_forgotten());
  trees.Learn(&kOne, "one more", kFlush);
  EXPECT_TRUE(trees.has_forgotten());
  EXPECT_EQ(trees.RecordOf(&kOne, "lost"), nullptr);
}

// Reports a database of `families` column families, each with one file of 100 keys.
void TellOf(const void* logger, const std::string& path, size_t families, KnownTrees* trees) {
  KnownTrees::ToldDatabase told;
  told.name = FileName::Of(path, 0);
  told.is_complete = true;
  for (size_t i = 0; i < families; ++i) {
    ListedFile file;
    file.name = FileName::Of(path, i + 1);
    file.level = 6;
    file.range = {"a", "b", {}};
    file.keys = 100;
    file.bytes = 125;
    file.is_measured = true;
    told.families.push_back({"family" + std::to_string(i), true, {file}});
  }
  trees->BeginList(logger, told.name);
  trees->TakeLists(logger, std::move(told));
}

TEST(KnownTreesTest, AllFilesAreKnownAgainWhereTooManyFamiliesHaveBecomeFew) {
  KnownTrees trees;
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees, &trees);
  EXPECT_TRUE(trees.Totals().knows_all_files);
  for (int i = 0; i < 2; ++i) {
    TellOf(&kOne, "/one", KnownTrees::kMaxTrees + 1, &trees);
    EXPECT_TRUE(trees.has_forgotten());
    EXPECT_FALSE(trees.Totals().knows_all_files);
  }
  // Column families without files evict no trees.
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees - 100, &trees);
  TellOf(&kOther, "/other", 100, &trees);
  EXPECT_FALSE(trees.has_forgotten());
  const KnownTotals totals = trees.Totals();
  EXPECT_TRUE(totals.knows_all_files);
  EXPECT_EQ(totals.files.keys, 100.0 * KnownTrees::kMaxTrees);
}

TEST(KnownTreesTest, AllFilesAreKnownAgainWhereADatabaseOfTooManyFamiliesIsClosed) {
  for (const char* const closed : {"/one", "/other"}) {
    KnownTrees trees;
    TellOf(&kOne, "/one", 700, &trees);
    TellOf(&kOther, "/other", 700, &trees);
    EXPECT_TRUE(trees.has_forgotten());
    trees.Closed(FileName::Of(closed, 0));
    const bool is_one = closed == std::string("/one");
    TellOf(is_one ? &kOther : &kOne, is_one ? "/other" : "/one", 700, &trees);
    EXPECT_FALSE(trees.has_forgotten()) << closed;
    EXPECT_TRUE(trees.Totals().knows_all_files) << closed;
    EXPECT_EQ(trees.Totals().files.keys, 70'000) << closed;
  }
}

// Without a listener, no event reports that a database is closed or has fewer column families.
TEST(KnownTreesTest, TreesWithoutAListenerThatAreFewAgainAreForgottenForATimeOnly) {
  for (const bool is_closed : {false, true}) {
    KnownTrees trees;
    for (size_t i = 0; i <= KnownTrees::kMaxTrees; ++i) {
      trees.Learn(&kOther, "family" + std::to_string(i), kFlush);
    }
    EXPECT_TRUE(trees.has_forgotten());
    const void* const logger = is_closed ? &kOne : &kOther;
    size_t files = 0;
    for (; trees.has_forgotten() && files < 100 * KnownTrees::kMaxTrees; ++files) {
      trees.Learn(logger, "family" + std::to_string(files % 10), kFlush);
    }
    EXPECT_FALSE(trees.has_forgotten()) << is_closed;
    EXPECT_GT(files, KnownTrees::kMaxTrees) << is_closed;
  }
}

TEST(KnownTreesTest, TreesAreForgottenAsLongAsThereAreTooMany) {
  KnownTrees trees;
  for (size_t i = 0; i < 20 * KnownTrees::kMaxTrees; ++i) {
    const size_t family = i % (KnownTrees::kMaxTrees + 1);
    trees.Learn(&kOne, "family" + std::to_string(family), kFlush);
    ASSERT_EQ(trees.has_forgotten(), i >= KnownTrees::kMaxTrees) << i;
  }
}

// A listener reports when column families are few again, regardless of writes meanwhile.
TEST(KnownTreesTest, TreesWithAListenerAreForgottenUntilItTells) {
  KnownTrees trees;
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees + 1, &trees);
  for (size_t i = 0; i < 100 * KnownTrees::kMaxTrees; ++i) {
    trees.Learn(&kOne, "family" + std::to_string(KnownTrees::kMaxTrees), kFlush);
  }
  EXPECT_TRUE(trees.has_forgotten());
  TellOf(&kOne, "/one", 10, &trees);
  EXPECT_FALSE(trees.has_forgotten());
}

// Two of a few thousand paths had equal names when a name had only 20 bits of the hash.
TEST(KnownTreesTest, ThousandsOfDatabasesAreKeptApart) {
  constexpr int kPaths = 10'000;
  std::map<uint64_t, std::string> paths;  // keyed by the leading bits of the hash
  std::set<uint64_t> names;
  std::vector<std::pair<std::string, std::string>> alike;
  for (int i = 0; i < kPaths; ++i) {
    const std::string path = "/databases/" + std::to_string(i);
    names.insert(FileName::Of(path, 0).database);
    const auto [at, is_new] = paths.emplace(HashKey(path).value >> 44, path);
    if (!is_new) alike.emplace_back(at->second, path);
  }
  EXPECT_EQ(names.size(), size_t{kPaths});
  ASSERT_FALSE(alike.empty());
  for (const auto& [one, other] : alike) {
    KnownTrees trees;
    TellOf(&kOne, one, 3, &trees);
    TellOf(&kOther, other, 4, &trees);
    EXPECT_EQ(trees.Totals().files.keys, 700) << one << " and " << other;
    trees.Closed(FileName::Of(other, 0));
    EXPECT_EQ(trees.Totals().files.keys, 300) << one << " and " << other;
    EXPECT_TRUE(trees.Totals().knows_all_files);
  }
}

// Makes a tree of one level with everything that is stored for it: the files' names from a
// listener, the shape, and, unless null, the FilterFileMap entries of its blocks.
void Grow(int num_files, size_t key_bytes, const std::string& family, KnownTrees* trees,
          FilterFileMap* filter_files) {
  trees->Learn(&kOne, family, kFlush);
  const std::shared_ptr<TreeRecord> record = trees->RecordOf(&kOne, family);
  const FileName database = FileName::Of(family, 0);
  record->family.BeginList();
  record->family.TakeList(database.database, {});
  for (int i = 0; i < num_files; ++i) {
    const std::string begin = std::to_string(1'000'000 + i);
    const auto key = [&](char next) { return begin + std::string(key_bytes - begin.size(), next); };
    family::NewFile file;
    file.level = 4;
    file.range = {key('a'), key('e'), {key('b'), key('c'), key('d')}};
    file.keys = 1000;
    const family::FilePtr built = record->family.Built(file, 7, 900);
    const FileName name = database.File(static_cast<uint64_t>(i) + 1);
    record->family.SetName(built, name);
    record->family.Installed(name, 4);
    if (filter_files != nullptr) filter_files->Add(family + std::to_string(i), record, built);
  }
  record->family.Look();
}

TEST(KnownTreesTest, AHundredThousandFilesTakeAsMuchAsIsPromised) {
  struct Case {
    size_t key_bytes;
    size_t most;
  };
  for (const Case& tried : {Case{24, (64 << 20) / 100}, Case{100, (128 << 20) / 100}}) {
    constexpr int kFiles = 1000;  // a hundredth
    const size_t before = testing::bytes_in_use;
    KnownTrees trees;
    Grow(kFiles, tried.key_bytes, "family", &trees, nullptr);
    const size_t bytes = testing::bytes_in_use - before;
    EXPECT_EQ(trees.Totals().files.files, size_t{kFiles});
    EXPECT_LE(bytes, tried.most) << tried.key_bytes;
    EXPECT_NEAR(static_cast<double>(trees.RecordOf(&kOne, "family")->family.memory()),
                static_cast<double>(bytes), 0.1 * static_cast<double>(bytes));
  }
}

// An estimate, which may be off by a tenth, is kept within the limit.
TEST(KnownTreesTest, ManyTreesTake128MiB) {
  struct Case {
    int trees;
    int files;
    size_t key_bytes;
    bool is_too_much;
  };
  for (const Case& tried :
       {Case{999, 60, 24, false}, Case{999, 100, 256, true}, Case{27, 3000, 256, true}}) {
    for (const bool is_closed : {false, true}) {
      const size_t before = testing::bytes_in_use;
      KnownTrees trees;
      FilterFileMap filter_files;
      for (int i = 0; i < tried.trees; ++i) {
        const std::string family = "family" + std::to_string(i);
        Grow(tried.files, tried.key_bytes, family, &trees, &filter_files);
        if (!is_closed) continue;
        trees.SetDatabase(trees.RecordOf(&kOne, family).get(), FileName::Of(family, 0));
        trees.Closed(FileName::Of(family, 0));
      }
      trees.Learn(&kOne, "one more", kFlush);
      const size_t bytes = testing::bytes_in_use - before;
      EXPECT_LE(bytes, KnownTrees::kMaxMemory / 10 * 11) << tried.files;
      EXPECT_GT(bytes, KnownTrees::kMaxMemory / 4) << "so few say nothing of it";
      EXPECT_EQ(trees.has_forgotten(), tried.is_too_much && !is_closed) << tried.files;
    }
  }
}

// Without a listener, where few files are open, filters are read again and again.
TEST(KnownTreesTest, FiltersThatAreReadAgainTakeNoMoreMemory) {
  KnownTrees trees;
  trees.NoteFamilyOptions({});
  const uint64_t id = DrawTreeId("default");
  ListedFile file;
  file.level = 5;
  file.range = {"a", "b", {}};
  size_t before = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (i == 1000) before = testing::bytes_in_use;
    const KnownTrees::Recorded recorded = trees.AddFound(id, file);
    const OwnedReader reader(recorded.record, recorded.file);
  }
  EXPECT_LE(testing::bytes_in_use, before + (64 << 10));
}

TEST(KnownTreesTest, MeetingOptionsForgetsNothing) {
  KnownTrees trees;
  trees.Learn(&kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees.RecordOf(&kOne, "default");
  trees.NoteFamilyOptions({});
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).depth, 6);
  EXPECT_EQ(trees.RecordOf(&kOne, "default"), record);
}

// RocksDB validates options before it opens a database.
void BeginToOpen(KnownTrees* trees) {
  FamilyOptions options;
  options.readers_tell = true;
  trees->NoteFamilyOptions(options);
}

// Learns of a file of a family whose filters have one reader each.
KnownTree Learn(KnownTrees* trees, const void* logger, const std::string& family,
                const BuildFacts& facts = kFlush) {
  return trees->Learn(logger, family, facts, true);
}

family::FilePtr Flush(TreeRecord* record, int level, double keys) {
  family::NewFile file;
  file.range = {"a", "b", {}};
  file.keys = keys;
  file.level = level;
  file.is_flush = true;
  return record->family.Built(file, 7, keys);
}

TEST(KnownTreesTest, ATreeIsKnownAgainByItsFiles) {
  KnownTrees trees;
  BeginToOpen(&trees);
  Learn(&trees, &kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees.RecordOf(&kOne, "default");
  const family::FilePtr file = Flush(record.get(), 6, 9);
  record->family.Opened(file);
  // A different database is opened while the first one is still open.
  Learn(&trees, &kOther, "default");
  EXPECT_NE(trees.RecordOf(&kOther, "default"), record);
  record->family.Closed(file);
  record->family.Opened(file);
  const int kAgain = 3;
  EXPECT_EQ(Learn(&trees, &kAgain, "other").depth, -1);
  EXPECT_EQ(Learn(&trees, &kAgain, "default").depth, 6);
  EXPECT_EQ(trees.RecordOf(&kAgain, "default"), record);
}

KnownTrees::Recorded Find(KnownTrees* trees, uint64_t tree, int level = 5) {
  ListedFile file;
  file.level = level;
  file.range = {"a", "b", {}};
  file.keys = 1000;
  file.bytes = 1250;
  const KnownTrees::Recorded recorded = trees->AddFound(tree, file);
  if (recorded.file != nullptr) recorded.record->family.Opened(recorded.file);
  return recorded;
}

TEST(KnownTreesTest, AnIdHasAHashOfTheFamily) {
  const uint64_t id = DrawTreeId("default");
  EXPECT_NE(id, 0u);
  EXPECT_NE(id, DrawTreeId("default"));
  EXPECT_EQ(id & 0xffff, DrawTreeId("default") & 0xffff);
  EXPECT_NE(id & 0xffff, DrawTreeId("another") & 0xffff);
}

TEST(KnownTreesTest, ALoggerAdoptsTheFilesOfItsFamily) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  const KnownTrees::Recorded recorded = Find(&trees, id);
  ASSERT_NE(recorded.file, nullptr);
  Find(&trees, id, 6);
  EXPECT_EQ(trees.Totals().families, 0u);  // has no logger yet
  EXPECT_NE(Learn(&trees, &kOne, "another").id, id);
  const KnownTree known = Learn(&trees, &kOne, "default");
  EXPECT_EQ(known.id, id);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(trees.RecordOf(&kOne, "default"), recorded.record);
  EXPECT_EQ(trees.Totals().files.keys, 2000);
  // Files that are read later also belong to the tree.
  EXPECT_EQ(Find(&trees, id).record, recorded.record);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, id);
}

// Filters in the block cache, for example.
TEST(KnownTreesTest, LevelsAreKnownByNotesWhereReadersDoNotTell) {
  KnownTrees trees;
  trees.NoteFamilyOptions({});
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  Find(&trees, id, 6);
  const KnownTree known = trees.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.id, id);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(trees.Totals().files.files, 0u);
}

TEST(KnownTreesTest, ATreeIsAdoptedOnce) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, id);
  BeginToOpen(&trees);
  const KnownTree second = Learn(&trees, &kOther, "default");
  EXPECT_NE(second.id, id);
  EXPECT_EQ(second.base, -1);
  EXPECT_EQ(Find(&trees, second.id).record, trees.RecordOf(&kOther, "default"));
}

TEST(KnownTreesTest, FilesOfSeveralIdsAreOneTreeWhereOneDatabaseIsOpened) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  const uint64_t other = DrawTreeId("default");
  Find(&trees, id);
  Find(&trees, other);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, std::min(id, other));
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, OfTwoDatabasesThatAreOpenedNobodyKnowsWhoseFilesTheyAre) {
  KnownTrees trees;
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  Learn(&trees, &kOne, "default");
  Learn(&trees, &kOther, "default");
  EXPECT_EQ(trees.Totals().files.files, 0u);
}

TEST(KnownTreesTest, FiltersThatAreReadLaterAreOfTheDatabaseThatIsOpen) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t own = Learn(&trees, &kOne, "default").id;
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, own);
  EXPECT_EQ(trees.Totals().files.keys, 1000);
  // While another database is being opened, unknown files belong to that database.
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 1000);
  Learn(&trees, &kOther, "default");
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, AnotherDatabaseThatIsOpenKeepsItsFiles) {
  KnownTrees trees;
  BeginToOpen(&trees);
  BeginToOpen(&trees);
  Learn(&trees, &kOne, "default");
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 0);
}

TEST(KnownTreesTest, OptionsThatAreSetOpenNoDatabase) {
  KnownTrees trees;
  BeginToOpen(&trees);
  Learn(&trees, &kOne, "default");
  FamilyOptions options;
  options.readers_tell = true;
  trees.NoteFamilyOptions(options, &kOne);
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 1000);
}

TEST(KnownTreesTest, FilesOfWorkersAreOfTheirFamily) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  Find(&trees, UnknownTreeId("default"));
  Find(&trees, id);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, id);
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, AListTakesThePlaceOfWhatWasFound) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  Find(&trees, id, 2);  // has moved since
  const FileName database = FileName::Of("/a/database", 0);
  trees.BeginList(&kOne, database);
  KnownTrees::ToldFamily family;
  family.family = "default";
  family.is_ours = true;
  ListedFile listed;
  listed.name = database.File(7);
  listed.level = 5;
  listed.range = {"a", "b", {}};
  listed.keys = 10;
  listed.is_measured = true;
  listed.bytes = 12;
  family.files.push_back(listed);
  KnownTrees::ToldDatabase told;
  told.name = database;
  told.is_first = true;
  told.is_complete = true;
  told.families.push_back(family);
  trees.TakeLists(&kOne, std::move(told));
  EXPECT_EQ(trees.Totals().files.keys, 10);
  EXPECT_TRUE(trees.Totals().knows_all_files);
  const KnownTree known = Learn(&trees, &kOne, "default");
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 5);
  EXPECT_EQ(Find(&trees, id).file->keys, 10);
  EXPECT_EQ(Learn(&trees, &kOne, "default").id, id);
}

// The notes may be forged.
TEST(KnownTreesTest, TreesThatNobodyAdoptsAreBounded) {
  KnownTrees trees;
  BeginToOpen(&trees);
  Learn(&trees, &kOne, "default");
  Flush(trees.RecordOf(&kOne, "default").get(), 6, 77);
  BeginToOpen(&trees);
  for (uint64_t i = 0; i < 200'000; ++i) Find(&trees, i << 8 | (i & 0xff), static_cast<int>(i % 7));
  EXPECT_EQ(trees.Totals().files.keys, 77);
  EXPECT_FALSE(trees.has_forgotten());
}

TEST(KnownTreesTest, FamiliesOptionsCountWhereTheyAgree) {
  KnownTrees trees;
  trees.NoteFamilyOptions({8, true, true});
  KnownTree known = trees.Learn(nullptr, "default", kFlush);
  EXPECT_EQ(known.size_ratio, 8);
  EXPECT_EQ(known.has_dynamic_levels, true);
  EXPECT_FALSE(known.last_level_has_filters);
  trees.NoteFamilyOptions({8, true, true});
  EXPECT_EQ(trees.Learn(nullptr, "default", kFlush).size_ratio, 8);
  trees.NoteFamilyOptions({4, false, false});
  known = trees.Learn(nullptr, "default", kFlush);
  EXPECT_EQ(known.size_ratio, 0);
  EXPECT_EQ(known.has_dynamic_levels, std::nullopt);
  EXPECT_TRUE(known.last_level_has_filters);
  trees.NoteFamilyOptions({8, true, true});
  EXPECT_EQ(trees.Learn(nullptr, "default", kFlush).size_ratio, 0);  // ratios differed before
}

TEST(KnownTreesTest, TotalsAreOfAllTrees) {
  KnownTrees trees;
  EXPECT_FALSE(trees.Totals().knows_all_files);
  BeginToOpen(&trees);
  for (const char* const family : {"a", "b"}) {
    Learn(&trees, &kOne, family);
    Flush(trees.RecordOf(&kOne, family).get(), 0, 100);
    Flush(trees.RecordOf(&kOne, family).get(), 6, 50);
  }
  const KnownTotals totals = trees.Totals();
  EXPECT_EQ(totals.families, 2u);
  EXPECT_EQ(totals.files.files, 4u);
  EXPECT_EQ(totals.files.keys, 300);
  EXPECT_EQ(totals.files.keys_on_level_0, 200);
  EXPECT_EQ(totals.files.bytes, 300);
  EXPECT_FALSE(totals.knows_all_files);  // no listener reported files
}

}  // namespace known_trees_test
}  // namespace winnow::plugin
