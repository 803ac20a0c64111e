#include "src/rocksdb/remote/family_text.h"

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/remote/shared_runs.h"
#include "tests/support/random_hashes.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace family_text_test {

using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

constexpr char kFamily[] = "family";
constexpr double kUniform = 7;
const int kOne = 1;
const int kOther = 2;

BuildFacts Merge(int level, bool is_bottommost) {
  return {kCompactionStyleLevel, level, TableFileCreationReason::kCompaction, 7, is_bottommost};
}

std::string KeyOf(int i) {
  char key[40];
  std::snprintf(key, sizeof key, "people/%06d/name", i);
  return key;
}

ListedFile FileOf(int level, const std::string& first, const std::string& last, double keys) {
  static uint64_t number = 0;
  ListedFile file;
  file.name = FileName::Of("/db", ++number);
  file.level = level;
  file.range = {first, last, {}};
  file.keys = keys;
  file.bits = 7;
  file.bytes = std::floor(0.9 * keys);
  file.is_measured = true;
  return file;
}

family::NewFile NewFile(int level, const std::string& first, const std::string& last, double keys) {
  family::NewFile file;
  file.level = level;
  file.range = {first, last, {}};
  file.keys = keys;
  return file;
}

// Returns the key as the worker's record has it; empty if the record does not tell it apart.
std::string Shortened(const TreeRecord& tree, const std::string& key) {
  char shortened[SharedRuns::kMaxKeyBytes];
  const size_t size =
      tree.runs == nullptr ? SharedRuns::kUnknown : tree.runs->Shorten(key, shortened);
  return size == SharedRuns::kUnknown ? std::string() : std::string(shortened, size);
}
family::NewFile Shortened(const TreeRecord& tree, family::NewFile file) {
  file.range.first = Shortened(tree, file.range.first);
  file.range.last = Shortened(tree, file.range.last);
  return file;
}

double ReachOf(TreeRecord* tree, const family::NewFile& file) {
  std::vector<family::Weighed> all;
  return tree->family.AppendWith(file, &all);
}

// Makes a tree of these files.
std::shared_ptr<TreeRecord> Fill(KnownTrees* trees, const std::vector<ListedFile>& files,
                                 const void* logger = &kOne, const std::string& family = kFamily) {
  trees->Learn(logger, family, Merge(4, false));
  trees->Learn(logger, family, Merge(5, true));
  const std::shared_ptr<TreeRecord> record = trees->RecordOf(logger, family);
  record->family.BeginList();
  record->family.TakeList(FileName::Of("/db", 0).database, files);
  return record;
}

// Makes a tree with `files` files on level 5 and a tenth as many on levels 4 and 0. Most checks
// that its filters deny are of keys before 2000.
std::shared_ptr<TreeRecord> Fill(KnownTrees* trees, int files) {
  std::vector<ListedFile> list;
  for (int i = 0; i < files; ++i) {
    list.push_back(FileOf(5, KeyOf(100 * i), KeyOf(100 * i + 90), 1000));
  }
  for (int i = 0; i < files / 10; ++i) {
    list.push_back(FileOf(4, KeyOf(1000 * i), KeyOf(1000 * i + 900), 800));
    list.push_back(FileOf(0, KeyOf(1000 * i + 50), KeyOf(1000 * i + 950), 100));
  }
  std::shared_ptr<TreeRecord> record = Fill(trees, list);
  for (const family::Shape::Placed& placed : record->family.Look()->files()) {
    const bool is_hot = placed.file->range.first < KeyOf(2000);
    for (std::atomic<uint32_t>& denied : placed.file->denied) denied = is_hot ? 10 : 1;
  }
  // The shape is made anew, with these answers.
  record->family.SetOrdered(false);
  record->family.SetOrdered(true);
  return record;
}

WorkersRule RuleFor(KnownTrees* trees, const std::string& family = kFamily,
                    size_t most_files = kMostCarriedFiles, FileName database = {}) {
  const KnownTrees::Chosen chosen = trees->Choose(database, family);
  WorkersRule rule = trees->Carry(chosen, family, most_files > 0);
  if (chosen.record == nullptr) return rule;
  rule.offset = chosen.record->family.OffsetFor(kUniform);
  if (most_files > 0) CarryFiles(*chosen.record->family.Look(), most_files, &rule);
  return rule;
}

// Returns the tree of a worker that gets the text of this rule.
std::shared_ptr<TreeRecord> TreeOfWorker(const WorkersRule& rule, KnownTrees* there) {
  WorkersRule read;
  EXPECT_EQ(RuleOfText(TextOfRule(rule), &read), "");
  there->Restore(std::move(read));
  there->Learn(&kOther, kFamily, Merge(4, false));
  return there->RecordOf(&kOther, kFamily);
}

void ExpectSame(const family::Family::Totals& found, const family::Family::Totals& expected) {
  EXPECT_EQ(found.files, expected.files);
  EXPECT_EQ(found.keys, expected.keys);
  EXPECT_EQ(found.bytes, expected.bytes);
}

class FamilyTextTest : public ::testing::Test {
 protected:
  KnownTrees here_;
  KnownTrees there_;
  WorkersRule read_;
};

TEST_F(FamilyTextTest, WhatIsKnownOfATreeIsKnownInAnotherProcess) {
  const std::shared_ptr<TreeRecord> ours = Fill(&here_, 200);
  Fill(&here_, {FileOf(1, "a", "b", 5000)}, &kOther, "other");
  ours->asked_ranges.SetDecided(core::RangeKinds::kTrees);

  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here_)), &read_), "");
  there_.Restore(std::move(read_));
  ExpectSame(there_.Totals().files, here_.Totals().files);
  EXPECT_EQ(there_.Totals().families, 2u);

  // The first column family's tree is restored, and no other.
  EXPECT_EQ(there_.RecordOf(nullptr, kFamily), nullptr);
  const KnownTree known = there_.Learn(&kOther, kFamily, Merge(4, false));
  EXPECT_EQ(known.id, here_.Choose({}, kFamily).tree.id);
  EXPECT_NE(known.id, 0u);
  EXPECT_EQ(known.depth, 5);
  EXPECT_EQ(known.base, 4);
  EXPECT_EQ(there_.Learn(&kOne, kFamily, Merge(1, true)).depth, 1);

  const std::shared_ptr<TreeRecord> theirs = there_.RecordOf(&kOther, kFamily);
  EXPECT_EQ(theirs->asked_ranges.decided(), core::RangeKinds::kTrees);
  ExpectSame(theirs->family.totals(), ours->family.totals());
  EXPECT_EQ(theirs->family.totals().keys_on_level_0, ours->family.totals().keys_on_level_0);
}

TEST_F(FamilyTextTest, BitsAreThereAsHere) {
  const std::shared_ptr<TreeRecord> ours = Fill(&here_, 200);
  // The mean of recent files goes to the worker, too.
  ours->family.BitsOf(NewFile(5, KeyOf(0), KeyOf(600), 6000), kUniform);
  const std::shared_ptr<TreeRecord> theirs = TreeOfWorker(RuleFor(&here_), &there_);
  double least = 99;
  double most = 0;
  for (const int level : {4, 5}) {
    for (int first = 0; first < 19'000; first += 700) {
      const family::NewFile file = NewFile(level, KeyOf(first), KeyOf(first + 600), 6000);
      const double expected = ReachOf(ours.get(), file);
      const family::NewFile there_too = Shortened(*theirs, file);
      EXPECT_NEAR(ReachOf(theirs.get(), there_too), expected, 0.1) << first << ", level " << level;
      EXPECT_NEAR(theirs->family.BitsOf(there_too, kUniform)->bits,
                  ours->family.BitsOf(file, kUniform)->bits, 0.1)
          << first << " on level " << level;
      least = std::min(least, expected);
      most = std::max(most, expected);
    }
  }
  EXPECT_GT(most, least + 2);
}

// Keys of any length and with any common prefix.
TEST_F(FamilyTextTest, NoMoreBytesOfAKeyLeaveTheProcessThanThePageSays) {
  // Four more, since the byte after a key may happen to match its next byte.
  constexpr size_t kMaxBytes = 48 + 4;
  std::mt19937_64 random(testing::TestSeed());
  const auto text_of = [&](size_t size) {
    std::string text(size, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    return text;
  };
  for (const size_t bytes : {99, 400, 2037}) {
    for (const size_t shared : {size_t{0}, size_t{62}, bytes - 1, bytes}) {
      for (const int files : {1, 2, 40}) {
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(shared) +
                     " of them shared, " + std::to_string(files) + " files");
        std::vector<std::string> keys;
        const std::string of_all = text_of(shared);
        for (int i = 0; i < 2 * files; ++i) keys.push_back(of_all + text_of(bytes - shared));
        std::sort(keys.begin(), keys.end());
        std::vector<ListedFile> list;
        for (size_t i = 0; i < keys.size(); i += 2) {
          list.push_back(FileOf(5, keys[i], keys[i + 1], 1000));
        }
        KnownTrees trees;
        Fill(&trees, list);
        const std::string text = TextOfRule(RuleFor(&trees));
        std::string told;
        ASSERT_TRUE(Slice(text.substr(text.rfind(':') + 1)).DecodeHex(&told));
        for (const std::string& key : keys) {
          for (size_t at = 0; at + kMaxBytes < key.size(); ++at) {
            ASSERT_EQ(told.find(key.substr(at, kMaxBytes + 1)), std::string::npos) << at;
          }
        }
      }
    }
  }
}

// Tenants have long names, so their keys are distinguished by the shared runs in the text.
TEST_F(FamilyTextTest, PlacesOfTenantsKeysAreKnownInAnotherProcess) {
  const auto key_of = [](int tenant, int i) {
    return "tenant no. " + std::to_string(tenant) +
           std::string(120, static_cast<char>('a' + tenant)) + KeyOf(i);
  };
  std::vector<ListedFile> list;
  for (int tenant = 0; tenant < 8; ++tenant) {
    for (int i = 0; i < 20; ++i) {
      list.push_back(FileOf(5, key_of(tenant, 100 * i), key_of(tenant, 100 * i + 99), 1000));
    }
  }
  list.push_back(FileOf(4, key_of(3, 500), key_of(3, 700), 1000));
  const std::shared_ptr<TreeRecord> ours = Fill(&here_, list);
  const std::shared_ptr<TreeRecord> theirs = TreeOfWorker(RuleFor(&here_), &there_);
  for (int tenant = 0; tenant < 8; ++tenant) {
    for (const int first : {0, 100, 600, 1000}) {
      const std::string from = key_of(tenant, first);
      const std::string to = key_of(tenant, first + 99);
      const family::NewFile file = NewFile(4, from, to, 300);
      EXPECT_NEAR(ReachOf(theirs.get(), Shortened(*theirs, file)), ReachOf(ours.get(), file), 0.2)
          << tenant << " " << first;
    }
  }
  // Unknown tenants and other keys have no place.
  EXPECT_EQ(Shortened(*theirs, "tenant no. 4" + std::string(200, 'z')), "");
  EXPECT_EQ(Shortened(*theirs, std::string()), "");
}

// Winnow 1.0 to 1.2 wrote the formats 1 and 2.
TEST_F(FamilyTextTest, TextsOfOtherVersionsAreRefused) {
  Fill(&here_, 20);
  std::string text = TextOfRule(RuleFor(&here_));
  std::vector<std::string> others = {"winnow-learned:4", "winnow-learned:44:"};
  for (const char format : {'1', '2', '3', '5'}) {
    text[text.find(':') + 1] = format;
    others.push_back(text);
  }
  for (const std::string& other : others) {
    WorkersRule read;
    EXPECT_EQ(RuleOfText(other, &read), "it is of another version of Winnow") << other;
    read.family = kFamily;
    EXPECT_NE(FindRule(other, &read).find("it is of another version of Winnow"), std::string::npos);
  }
}

TEST_F(FamilyTextTest, NeighboursGoAsOneWhereThereAreTooMany) {
  Fill(&here_, 2000);
  const std::string whole = TextOfRule(RuleFor(&here_));
  const std::string joined = TextOfRule(RuleFor(&here_, kFamily, 500));
  EXPECT_LT(joined.size(), whole.size());
  ASSERT_EQ(RuleOfText(joined, &read_), "");
  EXPECT_LE(read_.files.size(), 500u);
  there_.Restore(std::move(read_));
  EXPECT_EQ(there_.Totals().files.keys, here_.Totals().files.keys);
  EXPECT_EQ(there_.Totals().files.bytes, here_.Totals().files.bytes);

  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here_, kFamily, 0)), &(read_ = {})), "");
  EXPECT_TRUE(read_.files.empty());
  EXPECT_EQ(read_.others.files.keys, here_.Totals().files.keys);
}

TEST_F(FamilyTextTest, ATreeOfWhichNothingIsKnownIsAsNew) {
  Fill(&here_, 20);
  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here_, "another")), &read_), "");
  EXPECT_EQ(read_.family, "another");
  EXPECT_EQ(read_.depth, -1);
  EXPECT_TRUE(read_.files.empty());
  EXPECT_FALSE(read_.offset);
  EXPECT_EQ(read_.others.files.keys, here_.Totals().files.keys);
  // No listener reported a database.
  EXPECT_EQ(here_.Choose(FileName::Of("/db", 0), kFamily).tree.depth, 5);
}

TEST_F(FamilyTextTest, TheTreeIsThatOfTheDatabaseThatIsAskedFor) {
  KnownTrees trees;
  const FileName first = FileName::Of("/first", 0);
  const FileName second = FileName::Of("/second", 0);
  trees.Learn(&kOne, kFamily, Merge(2, true));
  trees.SetDatabase(trees.RecordOf(&kOne, kFamily).get(), first);
  trees.Learn(&kOther, kFamily, Merge(3, true));
  trees.SetDatabase(trees.RecordOf(&kOther, kFamily).get(), second);
  EXPECT_EQ(trees.Choose(first, kFamily).tree.depth, 2);
  EXPECT_EQ(trees.Choose(second, kFamily).tree.depth, 3);
  EXPECT_EQ(RuleFor(&trees).depth, 3);
  EXPECT_EQ(trees.Choose(FileName::Of("/third", 0), kFamily).tree.depth, -1);
}

TEST_F(FamilyTextTest, ATextThatIsCutOffOrChangedIsRefused) {
  Fill(&here_, 5);
  const std::string text = TextOfRule(RuleFor(&here_));
  for (size_t size = 0; size < text.size(); ++size) {
    WorkersRule read;
    ASSERT_NE(RuleOfText(text.substr(0, size), &read), "") << size;
  }
  for (size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = changed[at] == '7' ? '8' : '7';
    WorkersRule read;
    ASSERT_NE(RuleOfText(changed, &read), "") << at;
  }
}

// Two runs at one place would make a reader of a key read past its end.
TEST_F(FamilyTextTest, TwoSharedRunsAtOnePlaceAreRefused) {
  Fill(&here_, 5);
  WorkersRule told = RuleFor(&here_);
  told.runs = std::make_shared<const SharedRuns>(
      std::vector<SharedRuns::Run>{{"", 8, 1}, {std::string(1, '\0'), 8, 2}});
  EXPECT_EQ(RuleOfText(TextOfRule(told), &read_), "");
  told.runs =
      std::make_shared<const SharedRuns>(std::vector<SharedRuns::Run>{{"", 8, 1}, {"", 8, 2}});
  EXPECT_NE(RuleOfText(TextOfRule(told), &read_), "");
}

// Damaged texts with a valid checksum must not break a record either.
TEST_F(FamilyTextTest, NoTextMakesARecordThatBreaks) {
  Fill(&here_, 20);
  const std::string text = TextOfRule(RuleFor(&here_));
  const size_t begin = text.rfind(':') + 1;
  std::string bytes;
  ASSERT_TRUE(Slice(text.substr(begin)).DecodeHex(&bytes));
  bytes.resize(bytes.size() - 8);
  const uint64_t seed = testing::TestSeed();
  std::mt19937_64 random(seed);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = bytes;
    for (int change = 0; change <= i % 3; ++change) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const uint64_t hash = HashKey(changed).value;
    for (int byte = 0; byte < 8; ++byte) changed.push_back(static_cast<char>(hash >> (8 * byte)));
    WorkersRule read;
    if (!RuleOfText(text.substr(0, begin) + Slice(changed).ToString(true), &read).empty()) continue;
    ++accepted;
    const std::string family = read.family;
    KnownTrees there;
    there.Restore(std::move(read));
    there.Learn(&kOther, family, Merge(4, false));
    there.Totals();
    TreeRecord& record = *there.RecordOf(&kOther, family);
    const family::NewFile file = NewFile(4, KeyOf(10), KeyOf(900), 1000);
    const std::optional<family::Decided> decided = record.family.BitsOf(file, kUniform);
    EXPECT_TRUE(!decided || (decided->bits >= 1 && decided->bits <= family::kMostBits))
        << "seed " << seed;
    const KnownTrees::Shared share = there.ShareOf(&record, file, 1e6, 16);
    EXPECT_TRUE(std::isfinite(share.log2_reach) && std::isfinite(share.log2_lambda))
        << "seed " << seed;
    record.family.Built(file, 7, 900);
  }
  EXPECT_GT(accepted, 100) << "seed " << seed;
}

}  // namespace family_text_test
}  // namespace winnow::plugin
