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

#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/loads/loaded_filter.h"
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

class KnownTreesTest : public ::testing::Test {
 protected:
  KnownTrees trees_;
};

TEST_F(KnownTreesTest, LearnsDepthAndBaseFromMerges) {
  EXPECT_EQ(trees_.Learn(&kOne, "default", kFlush).depth, -1);
  EXPECT_EQ(trees_.Learn(&kOne, "default", Merge(4, false)).depth, 5);
  EXPECT_EQ(trees_.Learn(&kOne, "default", Merge(5, false)).depth, 6);
  const KnownTree known = trees_.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(known.base, 4);
  EXPECT_EQ(trees_.Learn(&kOne, "default", Merge(6, false)).depth, 6);  // there is no level 7
}

// One column family counts for all, since RocksDB does not say which family's options it passes.
TEST_F(KnownTreesTest, AFamilyInAnotherOrderOfKeysCountsForAll) {
  EXPECT_TRUE(trees_.Learn(&kOne, "default", kFlush).is_bytewise);
  FamilyOptions family;
  trees_.NoteFamilyOptions(family);
  EXPECT_TRUE(trees_.Learn(&kOne, "default", kFlush).is_bytewise);
  family.is_bytewise = false;
  trees_.NoteFamilyOptions(family);
  family.is_bytewise = true;
  trees_.NoteFamilyOptions(family);
  EXPECT_FALSE(trees_.Learn(&kOne, "default", kFlush).is_bytewise);
}

TEST_F(KnownTreesTest, OtherStylesTeachNothing) {
  BuildFacts universal = Merge(5, false);
  universal.compaction_style = kCompactionStyleUniversal;
  EXPECT_EQ(trees_.Learn(&kOne, "default", universal).depth, -1);
}

TEST_F(KnownTreesTest, KeepsFamiliesAndDatabasesApart) {
  trees_.Learn(&kOne, "default", Merge(3, true));
  EXPECT_EQ(trees_.Learn(&kOne, "other", kFlush).depth, -1);
  EXPECT_EQ(trees_.Learn(&kOther, "default", kFlush).depth, -1);
  EXPECT_EQ(trees_.Learn(nullptr, "default", Merge(3, true)).depth, -1);
  EXPECT_EQ(trees_.Learn(nullptr, "default", kFlush).depth, -1);
  EXPECT_EQ(trees_.RecordOf(nullptr, "default"), nullptr);
  EXPECT_NE(trees_.RecordOf(&kOne, "default"), trees_.RecordOf(&kOne, "other"));
  EXPECT_EQ(trees_.Learn(&kOne, "default", kFlush).depth, 3);
}

TEST_F(KnownTreesTest, ForgetsTheOnesNotAskedForWhenThereAreTooMany) {
  trees_.Learn(&kOne, "kept", Merge(3, true));
  trees_.Learn(&kOne, "lost", Merge(3, true));
  for (size_t i = 0; i < KnownTrees::kMaxTrees - 2; ++i) {
    trees_.Learn(&kOne, "family" + std::to_string(i), kFlush);
    EXPECT_EQ(trees_.Learn(&kOne, "kept", kFlush).depth, 3);
  }
  EXPECT_NE(trees_.RecordOf(&kOne, "family0"), nullptr);
  trees_.Learn(&kOne, "one more", kFlush);
  EXPECT_EQ(trees_.RecordOf(&kOne, "lost"), nullptr);
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

TEST_F(KnownTreesTest, AllFilesAreKnownAgainWhereTooManyFamiliesHaveBecomeFew) {
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees, &trees_);
  EXPECT_TRUE(trees_.Totals().knows_all_files);
  for (int i = 0; i < 2; ++i) {
    TellOf(&kOne, "/one", KnownTrees::kMaxTrees + 1, &trees_);
    EXPECT_FALSE(trees_.Totals().knows_all_files);
  }
  // Column families without files evict no trees.
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees - 100, &trees_);
  TellOf(&kOther, "/other", 100, &trees_);
  const KnownTotals totals = trees_.Totals();
  EXPECT_TRUE(totals.knows_all_files);
  EXPECT_EQ(totals.files.keys, 100.0 * KnownTrees::kMaxTrees);
}

TEST_F(KnownTreesTest, AllFilesAreKnownAgainWhereADatabaseOfTooManyFamiliesIsClosed) {
  for (const char* const closed : {"/one", "/other"}) {
    KnownTrees trees;
    TellOf(&kOne, "/one", 700, &trees);
    TellOf(&kOther, "/other", 700, &trees);
    EXPECT_FALSE(trees.Totals().knows_all_files);
    trees.Closed(FileName::Of(closed, 0));
    const bool is_one = closed == std::string("/one");
    TellOf(is_one ? &kOther : &kOne, is_one ? "/other" : "/one", 700, &trees);
    EXPECT_TRUE(trees.Totals().knows_all_files) << closed;
    EXPECT_EQ(trees.Totals().files.keys, 70'000) << closed;
  }
}

// A listener reports when column families are few again, regardless of writes meanwhile.
TEST_F(KnownTreesTest, TreesWithAListenerAreForgottenUntilItTells) {
  TellOf(&kOne, "/one", KnownTrees::kMaxTrees + 1, &trees_);
  for (size_t i = 0; i < 100 * KnownTrees::kMaxTrees; ++i) {
    trees_.Learn(&kOne, "family" + std::to_string(KnownTrees::kMaxTrees), kFlush);
  }
  EXPECT_FALSE(trees_.Totals().knows_all_files);
  TellOf(&kOther, "/other", 10, &trees_);
  EXPECT_FALSE(trees_.Totals().knows_all_files) << "of the other database";
  TellOf(&kOne, "/one", 10, &trees_);
  EXPECT_TRUE(trees_.Totals().knows_all_files);
}

// Two of a few thousand paths had equal names when a name had only 20 bits of the hash.
TEST_F(KnownTreesTest, ThousandsOfDatabasesAreKeptApart) {
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
    if (filter_files != nullptr)
      filter_files->Add(HashOfTail(family + std::to_string(i)), record, built);
  }
  record->family.Look();
}

TEST_F(KnownTreesTest, AHundredThousandFilesTakeAsMuchAsIsPromised) {
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
TEST_F(KnownTreesTest, ManyTreesTake128MiB) {
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
      EXPECT_EQ(trees.RecordOf(&kOne, "family0") == nullptr, tried.is_too_much) << tried.files;
    }
  }
}

// Without a listener, where few files are open, filters are read again and again.
TEST_F(KnownTreesTest, FiltersThatAreReadAgainTakeNoMoreMemory) {
  trees_.NoteFamilyOptions({});
  const uint64_t id = DrawTreeId("default");
  ListedFile file;
  file.level = 5;
  file.range = {"a", "b", {}};
  size_t before = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (i == 1000) before = testing::bytes_in_use;
    const KnownTrees::Recorded recorded = trees_.AddFound(id, file);
    const OwnedReader reader(recorded.record, recorded.file);
  }
  EXPECT_LE(testing::bytes_in_use, before + (64 << 10));
}

TEST_F(KnownTreesTest, MeetingOptionsForgetsNothing) {
  trees_.Learn(&kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees_.RecordOf(&kOne, "default");
  trees_.NoteFamilyOptions({});
  EXPECT_EQ(trees_.Learn(&kOne, "default", kFlush).depth, 6);
  EXPECT_EQ(trees_.RecordOf(&kOne, "default"), record);
}

// RocksDB validates options before it opens a database.
void BeginToOpen(KnownTrees* trees) {
  FamilyOptions options;
  options.readers_tell = true;
  trees->NoteFamilyOptions(options);
}

class OpenedTreesTest : public KnownTreesTest {
 protected:
  OpenedTreesTest() { BeginToOpen(&trees_); }
  const uint64_t id_ = DrawTreeId("default");
};

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

TEST_F(OpenedTreesTest, ATreeIsKnownAgainByItsFiles) {
  Learn(&trees_, &kOne, "default", Merge(6, true));
  const std::shared_ptr<TreeRecord> record = trees_.RecordOf(&kOne, "default");
  const family::FilePtr file = Flush(record.get(), 6, 9);
  record->family.Opened(file);
  // A different database is opened while the first one is still open.
  Learn(&trees_, &kOther, "default");
  EXPECT_NE(trees_.RecordOf(&kOther, "default"), record);
  record->family.Closed(file);
  record->family.Opened(file);
  const int kAgain = 3;
  EXPECT_EQ(Learn(&trees_, &kAgain, "other").depth, -1);
  EXPECT_EQ(Learn(&trees_, &kAgain, "default").depth, 6);
  EXPECT_EQ(trees_.RecordOf(&kAgain, "default"), record);
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

TEST_F(KnownTreesTest, AnIdHasAHashOfTheFamily) {
  const uint64_t id = DrawTreeId("default");
  EXPECT_NE(id, 0u);
  EXPECT_NE(id, DrawTreeId("default"));
  EXPECT_EQ(id & 0xffff, DrawTreeId("default") & 0xffff);
  EXPECT_NE(id & 0xffff, DrawTreeId("another") & 0xffff);
}

TEST_F(OpenedTreesTest, ALoggerAdoptsTheFilesOfItsFamily) {
  const KnownTrees::Recorded recorded = Find(&trees_, id_);
  ASSERT_NE(recorded.file, nullptr);
  Find(&trees_, id_, 6);
  EXPECT_EQ(trees_.Totals().families, 0u);  // has no logger yet
  EXPECT_NE(Learn(&trees_, &kOne, "another").id, id_);
  const KnownTree known = Learn(&trees_, &kOne, "default");
  EXPECT_EQ(known.id, id_);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(trees_.RecordOf(&kOne, "default"), recorded.record);
  EXPECT_EQ(trees_.Totals().files.keys, 2000);
  // Files that are read later also belong to the tree.
  EXPECT_EQ(Find(&trees_, id_).record, recorded.record);
  EXPECT_EQ(Learn(&trees_, &kOne, "default").id, id_);
}

// Filters in the block cache, for example.
TEST_F(KnownTreesTest, LevelsAreKnownByNotesWhereReadersDoNotTell) {
  trees_.NoteFamilyOptions({});
  const uint64_t id = DrawTreeId("default");
  Find(&trees_, id);
  Find(&trees_, id, 6);
  const KnownTree known = trees_.Learn(&kOne, "default", kFlush);
  EXPECT_EQ(known.id, id);
  EXPECT_EQ(known.base, 5);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(trees_.Totals().files.files, 0u);
}

TEST_F(OpenedTreesTest, ATreeIsAdoptedOnce) {
  Find(&trees_, id_);
  EXPECT_EQ(Learn(&trees_, &kOne, "default").id, id_);
  BeginToOpen(&trees_);
  const KnownTree second = Learn(&trees_, &kOther, "default");
  EXPECT_NE(second.id, id_);
  EXPECT_EQ(second.base, -1);
  EXPECT_EQ(Find(&trees_, second.id).record, trees_.RecordOf(&kOther, "default"));
}

TEST_F(OpenedTreesTest, FilesOfSeveralIdsAreOneTreeWhereOneDatabaseIsOpened) {
  const uint64_t other = DrawTreeId("default");
  Find(&trees_, id_);
  Find(&trees_, other);
  EXPECT_EQ(Learn(&trees_, &kOne, "default").id, std::min(id_, other));
  EXPECT_EQ(trees_.Totals().files.keys, 2000);
}

TEST_F(OpenedTreesTest, OfTwoDatabasesThatAreOpenedNobodyKnowsWhoseFilesTheyAre) {
  Find(&trees_, DrawTreeId("default"));
  BeginToOpen(&trees_);
  Find(&trees_, DrawTreeId("default"));
  Learn(&trees_, &kOne, "default");
  Learn(&trees_, &kOther, "default");
  EXPECT_EQ(trees_.Totals().files.files, 0u);
}

TEST_F(OpenedTreesTest, FiltersThatAreReadLaterAreOfTheDatabaseThatIsOpen) {
  const uint64_t own = Learn(&trees_, &kOne, "default").id;
  Find(&trees_, id_);
  EXPECT_EQ(Learn(&trees_, &kOne, "default").id, own);
  EXPECT_EQ(trees_.Totals().files.keys, 1000);
  // While another database is being opened, unknown files belong to that database.
  BeginToOpen(&trees_);
  Find(&trees_, DrawTreeId("default"));
  EXPECT_EQ(trees_.Totals().files.keys, 1000);
  Learn(&trees_, &kOther, "default");
  EXPECT_EQ(trees_.Totals().files.keys, 2000);
}

TEST_F(OpenedTreesTest, AnotherDatabaseThatIsOpenKeepsItsFiles) {
  BeginToOpen(&trees_);
  Learn(&trees_, &kOne, "default");
  Find(&trees_, DrawTreeId("default"));
  EXPECT_EQ(trees_.Totals().files.keys, 0);
}

TEST_F(OpenedTreesTest, OptionsThatAreSetOpenNoDatabase) {
  Learn(&trees_, &kOne, "default");
  FamilyOptions options;
  options.readers_tell = true;
  trees_.NoteFamilyOptions(options, &kOne);
  Find(&trees_, DrawTreeId("default"));
  EXPECT_EQ(trees_.Totals().files.keys, 1000);
}

TEST_F(OpenedTreesTest, FilesOfWorkersAreOfTheirFamily) {
  Find(&trees_, UnknownTreeId("default"));
  Find(&trees_, id_);
  EXPECT_EQ(Learn(&trees_, &kOne, "default").id, id_);
  EXPECT_EQ(trees_.Totals().files.keys, 2000);
}

TEST_F(OpenedTreesTest, AListTakesThePlaceOfWhatWasFound) {
  const uint64_t id = DrawTreeId("family0");
  Find(&trees_, id);
  Find(&trees_, id, 2);  // has moved since
  TellOf(&kOne, "/a/database", 1, &trees_);
  EXPECT_EQ(trees_.Totals().files.keys, 100);
  EXPECT_TRUE(trees_.Totals().knows_all_files);
  const KnownTree known = Learn(&trees_, &kOne, "family0");
  EXPECT_EQ(known.base, 6);
  EXPECT_EQ(known.depth, 6);
  EXPECT_EQ(Find(&trees_, id).file->keys, 100);
  EXPECT_EQ(Learn(&trees_, &kOne, "family0").id, id);
}

// The notes may be forged.
TEST_F(OpenedTreesTest, TreesThatNobodyAdoptsAreBounded) {
  Learn(&trees_, &kOne, "default");
  Flush(trees_.RecordOf(&kOne, "default").get(), 6, 77);
  BeginToOpen(&trees_);
  for (uint64_t i = 0; i < 200'000; ++i)
    Find(&trees_, i << 8 | (i & 0xff), static_cast<int>(i % 7));
  EXPECT_EQ(trees_.Totals().files.keys, 77);
}

TEST_F(KnownTreesTest, FamiliesOptionsCountWhereTheyAgree) {
  trees_.NoteFamilyOptions({8, true, true});
  KnownTree known = trees_.Learn(nullptr, "default", kFlush);
  EXPECT_EQ(known.size_ratio, 8);
  EXPECT_EQ(known.has_dynamic_levels, true);
  EXPECT_FALSE(known.last_level_has_filters);
  trees_.NoteFamilyOptions({8, true, true});
  EXPECT_EQ(trees_.Learn(nullptr, "default", kFlush).size_ratio, 8);
  trees_.NoteFamilyOptions({4, false, false});
  known = trees_.Learn(nullptr, "default", kFlush);
  EXPECT_EQ(known.size_ratio, 0);
  EXPECT_EQ(known.has_dynamic_levels, std::nullopt);
  EXPECT_TRUE(known.last_level_has_filters);
  trees_.NoteFamilyOptions({8, true, true});
  EXPECT_EQ(trees_.Learn(nullptr, "default", kFlush).size_ratio, 0);  // ratios differed before
}

TEST_F(KnownTreesTest, TotalsAreOfAllTrees) {
  EXPECT_FALSE(trees_.Totals().knows_all_files);
  BeginToOpen(&trees_);
  for (const char* const family : {"a", "b"}) {
    Learn(&trees_, &kOne, family);
    Flush(trees_.RecordOf(&kOne, family).get(), 0, 100);
    Flush(trees_.RecordOf(&kOne, family).get(), 6, 50);
  }
  const KnownTotals totals = trees_.Totals();
  EXPECT_EQ(totals.families, 2u);
  EXPECT_EQ(totals.files.files, 4u);
  EXPECT_EQ(totals.files.keys, 300);
  EXPECT_EQ(totals.files.keys_on_level_0, 200);
  EXPECT_EQ(totals.files.bytes, 300);
  EXPECT_FALSE(totals.knows_all_files);  // no listener reported files
}

// Lookups of a file read its range without a lock. Each further partition extends it.
TEST_F(KnownTreesTest, ReadersFindThePartitionsOfAFileWhoseRangeIsFinal) {
  const auto trees = std::make_shared<KnownTrees>();
  const auto blocks = std::make_shared<FilterFileMap>();
  trees->Learn(&kOne, "default", kFlush);
  FilePlan::Tree tree;
  tree.record = trees->RecordOf(&kOne, "default");
  tree.record->family.BeginList();
  tree.record->family.TakeList(FileName::Of("database", 0).database, {});
  tree.trees = trees;
  tree.filter_files = blocks;
  tree.is_partitioned = true;
  const std::string partitions[] = {std::string(100, '1'), std::string(100, '2')};
  auto plan = std::make_unique<FilePlan>(PolicyOptions(), kFlush, tree);
  uint64_t key = 0;
  for (const std::string& partition : partitions) {
    for (int i = 0; i < 1000; ++i) plan->See("a key " + std::to_string(100'000 + key++));
    plan->Settle(1000);
    plan->Built(partition);
    EXPECT_FALSE(blocks->NewReader(HashOfTail(partition)));
  }
  plan.reset();
  for (const std::string& partition : partitions) {
    EXPECT_TRUE(blocks->NewReader(HashOfTail(partition)));
  }
}

}  // namespace known_trees_test
}  // namespace winnow::plugin
