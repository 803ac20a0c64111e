#include "src/rocksdb/trees/known_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/core/sizing.h"
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

// Adds `n` files with one key each, padded to `key_bytes`.
void AddClosedFiles(TreeFiles* files, size_t n, size_t key_bytes) {
  std::vector<TreeFiles::Id> ids;
  for (size_t i = 0; i < n; ++i) {
    std::string key = std::to_string(n + i);
    key.resize(std::max(key.size(), key_bytes), 'k');
    TreeFiles::NewFile file;
    file.level = 1;
    file.range = {key, key};
    file.keys = 1;
    ids.push_back(files->Add(file));
  }
  for (const TreeFiles::Id id : ids) files->Opened(id);
  for (const TreeFiles::Id id : ids) files->Closed(id);
  EXPECT_EQ(files->files(), 0u);
}

// Files of closed databases are remembered, up to a limit.
TEST(KnownTreesTest, FilesOfClosedDatabasesCount) {
  constexpr size_t kFilesOfATree = 4000;
  KnownTrees trees;
  for (size_t tree = 0; tree <= KnownTrees::kMaxFiles / kFilesOfATree; ++tree) {
    const std::string family = "family" + std::to_string(tree);
    trees.Learn(&kOne, family, kFlush);
    EXPECT_FALSE(trees.has_forgotten());
    AddClosedFiles(&trees.RecordOf(&kOne, family)->files, kFilesOfATree, 0);
  }
  trees.Learn(&kOne, "one more", kFlush);
  EXPECT_TRUE(trees.has_forgotten());
}

// A closed database may be opened again with its files, which count toward the memory limit.
TEST(KnownTreesTest, FilesOfClosedDatabasesWithLongKeysTake64MiB) {
  constexpr size_t kFilesOfATree = 4000;
  const size_t before = testing::bytes_in_use;
  KnownTrees trees;
  for (size_t tree = 0; tree < 15; ++tree) {
    const std::string family = "family" + std::to_string(tree);
    trees.Learn(&kOne, family, kFlush);
    AddClosedFiles(&trees.RecordOf(&kOne, family)->files, kFilesOfATree, TreeFiles::kMaxKeyBytes);
  }
  trees.Learn(&kOne, "one more", kFlush);
  const size_t bytes = testing::bytes_in_use - before;
  EXPECT_LE(bytes, size_t{64} << 20);
  EXPECT_GT(bytes, size_t{16} << 20) << "so few say nothing of it";
}

// Tree of one level with everything that is stored for it: the files' names from a listener, the
// FilterFileMap entries of its blocks, and the readers' levels.
class LookedUpTree {
 public:
  LookedUpTree(KnownTrees* trees, FilterFileMap* filter_files, std::string family)
      : trees_(trees), filter_files_(filter_files), family_(std::move(family)) {}

  void Grow(int num_files, int num_lookups) {
    for (int i = 0; i < num_files; ++i) Add(i);
    const std::shared_ptr<TreeRecord> record = Record();
    record->files.MakeGrid();
    LookupsUnderWay under_way{};
    for (int i = 0; i < num_lookups; ++i) {
      if (i % 1024 == 0) record->files.samples().Reserve();
      const auto hash = static_cast<uint64_t>(i) + 1;
      const std::string key = Key(i % num_files);
      for (int level = 0; level < 4; ++level) {
        const auto file = static_cast<uint64_t>(level) + 1;
        record->files.samples().Note(&under_way, key, hash, {file, level, 0.01}, false);
      }
    }
    for (int level = 0; level < 4; ++level) {
      const std::string key = Key(num_files / 2);
      TreeFiles::NewFile file;
      file.level = level;
      file.range = {key, key + "9"};
      file.keys = 1000;
      record->rates.RateOf(&record->files, file, {}, 0.01, {});
    }
  }

 private:
  static std::string Key(int number) {
    char text[17];
    std::snprintf(text, sizeof text, "user%012d", number);
    return text;
  }

  std::shared_ptr<TreeRecord> Record() {
    trees_->Learn(&kOne, family_, kFlush);
    return trees_->RecordOf(&kOne, family_);
  }

  void Add(int number) {
    const std::shared_ptr<TreeRecord> record = Record();
    const std::shared_ptr<TreeFiles> files(record, &record->files);
    TreeFiles::NewFile file;
    file.level = 4;
    file.is_bottom = true;
    file.range = {Key(number), Key(number) + "~"};
    file.keys = 1000;
    const TreeFiles::Id id = files->Add(file);
    files->SetName(id, FileName::Of(family_, id));
    files->AddMemory(id, {1000, 1000});
    EXPECT_NE(files->LevelOfReaders(id), nullptr);
    filter_files_->Add(family_ + std::to_string(number), files, {id, 4, true});
  }

  KnownTrees* const trees_;
  FilterFileMap* const filter_files_;
  const std::string family_;
};

// Reports a database of `families` column families, each with one file of 100 keys.
void TellOf(const void* logger, const std::string& path, size_t families, KnownTrees* trees) {
  KnownTrees::ToldDatabase told;
  told.name = FileName::Of(path, 0);
  told.is_complete = true;
  for (size_t i = 0; i < families; ++i) {
    ListedFile file;
    file.name = FileName::Of(path, i + 1);
    file.level = 6;
    file.range = {"a", "b"};
    file.keys = 100;
    file.filter_bytes = 125;
    file.is_ours = true;
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

TEST(KnownTreesTest, AFamilyOf3000FilesTakesTwoMiB) {
  const size_t before = testing::bytes_in_use;
  KnownTrees trees;
  FilterFileMap filter_files;
  LookedUpTree(&trees, &filter_files, "family").Grow(3000, 2 * LookupSamples::kMaxRecords);
  EXPECT_EQ(trees.RecordOf(&kOne, "family")->files.files(), 3000u);
  EXPECT_GT(trees.RecordOf(&kOne, "family")->rates.bytes_of_heat(), 0u);
  EXPECT_LE(testing::bytes_in_use - before, size_t{2} << 20);
}

TEST(KnownTreesTest, ManyTreesTake64MiB) {
  struct Case {
    int trees;
    int files;
    bool forgets;  // false: heat is dropped instead
  };
  for (const Case& tried : {Case{999, 60, false}, Case{999, 80, true}, Case{27, 3000, true}}) {
    const size_t before = testing::bytes_in_use;
    KnownTrees trees;
    FilterFileMap filter_files;
    for (int i = 0; i < tried.trees; ++i) {
      LookedUpTree(&trees, &filter_files, "family" + std::to_string(i)).Grow(tried.files, 1500);
    }
    trees.Learn(&kOne, "one more", kFlush);
    const size_t bytes = testing::bytes_in_use - before;
    EXPECT_LE(bytes, size_t{64} << 20) << tried.files;
    EXPECT_GT(bytes, size_t{24} << 20) << "so few say nothing of it";
    EXPECT_EQ(trees.has_forgotten(), tried.forgets) << tried.files;
  }
}

TEST(KnownTreesTest, MeetingOptionsForgetsNothing) {
  KnownTrees trees;
  trees.Learn(&kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees.RecordOf(&kOne, "default");
  trees.NoteFamilyOptions({});
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).depth, 6);
  EXPECT_EQ(trees.RecordOf(&kOne, "default"), record);
}

TEST(KnownTreesTest, ATreeIsKnownAgainByItsFiles) {
  KnownTrees trees;
  trees.Learn(&kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees.RecordOf(&kOne, "default");
  TreeFiles::NewFile file;
  file.level = 6;
  file.is_bottom = true;
  file.range = {"a", "b"};
  file.keys = 9;
  const TreeFiles::Id id = record->files.Add(file);
  record->files.Opened(id);
  // A different database is opened while the first one is still open.
  trees.Learn(&kOther, "default", kFlush);
  EXPECT_NE(trees.RecordOf(&kOther, "default"), record);
  record->files.Closed(id);
  record->files.Opened(id);
  const int kAgain = 3;
  EXPECT_EQ(trees.Learn(&kAgain, "other", kFlush).depth, -1);
  EXPECT_EQ(trees.Learn(&kAgain, "default", kFlush).depth, 6);
  EXPECT_EQ(trees.RecordOf(&kAgain, "default"), record);
}

KnownTrees::Recorded Find(KnownTrees* trees, uint64_t tree, int level = 5) {
  ListedFile file;
  file.level = level;
  file.range = {"a", "b"};
  file.keys = 1000;
  file.filter_bytes = file.memory.bytes = 1250;
  return trees->AddFound(tree, file);
}

// RocksDB validates options before it opens a database.
void BeginToOpen(KnownTrees* trees) { trees->NoteFamilyOptions({}); }

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
  EXPECT_NE(recorded.id, 0u);
  Find(&trees, id, 6);
  EXPECT_EQ(trees.Totals().families, 0u);  // has no logger yet
  EXPECT_NE(trees.Learn(&kOne, "another", kFlush).id, id);
  const KnownTree known = trees.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.id, id);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(trees.RecordOf(&kOne, "default"), recorded.record);
  EXPECT_EQ(trees.Totals().files.keys, 2000);
  // Files that are read later also belong to the tree.
  EXPECT_EQ(Find(&trees, id).record, recorded.record);
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, id);
}

TEST(KnownTreesTest, ATreeIsAdoptedOnce) {
  KnownTrees trees;
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, id);
  BeginToOpen(&trees);
  const KnownTree second = trees.Learn(&kOther, "default", kFlush);
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
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, std::min(id, other));
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, OfTwoDatabasesThatAreOpenedNobodyKnowsWhoseFilesTheyAre) {
  KnownTrees trees;
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  trees.Learn(&kOne, "default", kFlush);
  trees.Learn(&kOther, "default", kFlush);
  EXPECT_EQ(trees.Totals().files.files, 0u);
}

TEST(KnownTreesTest, FiltersThatAreReadLaterAreOfTheDatabaseThatIsOpen) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t own = trees.Learn(&kOne, "default", kFlush).id;
  const uint64_t id = DrawTreeId("default");
  Find(&trees, id);
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, own);
  EXPECT_EQ(trees.Totals().files.keys, 1000);
  // While another database is being opened, unknown files belong to that database.
  BeginToOpen(&trees);
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 1000);
  trees.Learn(&kOther, "default", kFlush);
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, AnotherDatabaseThatIsOpenKeepsItsFiles) {
  KnownTrees trees;
  BeginToOpen(&trees);
  BeginToOpen(&trees);
  trees.Learn(&kOne, "default", kFlush);
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 0);
}

TEST(KnownTreesTest, OptionsThatAreSetOpenNoDatabase) {
  KnownTrees trees;
  BeginToOpen(&trees);
  trees.Learn(&kOne, "default", kFlush);
  trees.NoteFamilyOptions({}, &kOne);
  Find(&trees, DrawTreeId("default"));
  EXPECT_EQ(trees.Totals().files.keys, 1000);
}

TEST(KnownTreesTest, FilesOfWorkersAreOfTheirFamily) {
  KnownTrees trees;
  BeginToOpen(&trees);
  const uint64_t id = DrawTreeId("default");
  Find(&trees, UnknownTreeId("default"));
  Find(&trees, id);
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, id);
  EXPECT_EQ(trees.Totals().files.keys, 2000);
}

TEST(KnownTreesTest, AListTakesThePlaceOfWhatWasFound) {
  KnownTrees trees;
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
  listed.range = {"a", "b"};
  listed.keys = 10;
  listed.is_measured = true;
  listed.filter_bytes = 12;
  family.files.push_back(listed);
  KnownTrees::ToldDatabase told;
  told.name = database;
  told.is_first = true;
  told.is_complete = true;
  told.families.push_back(family);
  trees.TakeLists(&kOne, std::move(told));
  EXPECT_EQ(trees.Totals().files.keys, 10);
  EXPECT_TRUE(trees.Totals().knows_all_files);
  const KnownTree known = trees.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 5);
  EXPECT_EQ(Find(&trees, id).id, 0u);
  EXPECT_EQ(trees.Learn(&kOne, "default", kFlush).id, id);
}

// The notes may be forged.
TEST(KnownTreesTest, TreesThatNobodyAdoptsAreBounded) {
  KnownTrees trees;
  trees.Learn(&kOne, "default", kFlush);
  TreeFiles::NewFile file;
  file.level = 6;
  file.range = {"a", "b"};
  file.keys = 77;
  trees.RecordOf(&kOne, "default")->files.Add(file);
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
  int logger = 0;
  for (const char* const family : {"a", "b"}) {
    trees.Learn(&logger, family, BuildFacts());
    TreeFiles& files = trees.RecordOf(&logger, family)->files;
    TreeFiles::NewFile file;
    file.level = 6;
    file.range = {"a", "b"};
    file.keys = 100;
    files.AddMemory(files.Add(file), {125, 120});
  }
  const KnownTotals totals = trees.Totals(true);
  EXPECT_EQ(totals.families, 2u);
  EXPECT_EQ(totals.files.files, 2u);
  EXPECT_EQ(totals.files.keys, 200);
  EXPECT_EQ(totals.files.filter_bytes, 250);
  // A part of both counts, since no file has ended yet.
  EXPECT_GT(totals.files.keys_that_stay, 0);
  EXPECT_LT(totals.files.keys_that_stay, 200);
  EXPECT_DOUBLE_EQ(totals.files.bytes_that_stay, 1.25 * totals.files.keys_that_stay);
  EXPECT_FALSE(totals.knows_all_files);  // no listener reported files
}

}  // namespace known_trees_test
}  // namespace winnow::plugin
