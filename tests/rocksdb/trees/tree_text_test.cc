#include "src/rocksdb/trees/tree_text.h"

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_hashes.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace tree_text_test {

using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

constexpr char kFamily[] = "family";
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

// Returns the rate of a file, in a tree whose last level is 5.
std::optional<TreeRates::Rated> RateOf(TreeRecord* tree, int level, const KeyRange& range,
                                       uint64_t keys) {
  TreeFiles::NewFile file;
  file.level = level;
  file.is_bottom = level == 5;
  file.range = range;
  file.keys = keys;
  return tree->rates.RateOf(&tree->files, file, {}, 0.01, {});
}

// Adds `files` files to level 5 and a tenth as many to levels 4 and 0, with samples of lookups.
void Fill(KnownTrees* trees, int files) {
  FamilyOptions options;
  options.size_ratio = 6.5;
  options.has_dynamic_levels = true;
  trees->NoteFamilyOptions(options);
  trees->Learn(&kOne, kFamily, Merge(4, false));
  trees->Learn(&kOne, kFamily, Merge(5, true));
  const std::shared_ptr<TreeRecord> record = trees->RecordOf(&kOne, kFamily);
  const auto add = [&](int level, int first, int last, uint64_t keys) {
    TreeFiles::NewFile file;
    file.level = level;
    file.is_bottom = level == 5;
    file.range = {KeyOf(first), KeyOf(last)};
    file.keys = keys;
    file.relative_miss_heat = first < 2000 ? 8 : 0.2;
    const TreeFiles::Id id = record->files.Add(file);
    record->files.AddMemory(id,
                            {1.26 * static_cast<double>(keys), 1.25 * static_cast<double>(keys)});
  };
  for (int i = 0; i < files; ++i) add(5, 100 * i, 100 * i + 90, 1000);
  for (int i = 0; i < files / 10; ++i) add(4, 1000 * i, 1000 * i + 900, 800);
  for (int i = 0; i < files / 10; ++i) add(0, 1000 * i + 50, 1000 * i + 950, 100);
  ASSERT_TRUE(record->files.MakeGrid());
  std::mt19937 random(1);
  std::vector<LookupSamples::Record> samples(LookupSamples::kMaxRecords);
  for (LookupSamples::Record& sample : samples) {
    sample.place =
        static_cast<float>(random() % 10 < 8 ? random() % 1000 : random() % 10000) / 10000;
    sample.deepest = static_cast<int8_t>(random() % 2 == 0 ? 4 : LookupSamples::kLevels - 1);
    sample.ended_with_no = random() % 3 > 0;
    if (sample.ended_with_no) sample.said_no = static_cast<uint16_t>(1u << sample.deepest);
    sample.weight = sample.ended_with_no ? 1.01f : 1.0f;
  }
  record->files.samples().Add(samples);
  record->rates.Built(0.01, 0.02, {700, 600});
}

WorkersRule RuleFor(KnownTrees* trees, const std::string& family,
                    size_t most_files = TreeFiles::kMaxFiles, FileName database = {}) {
  const KnownTrees::Chosen chosen = trees->Choose(database, family);
  TreeRates::Told told;
  if (chosen.record != nullptr) told = chosen.record->rates.Tell(&chosen.record->files, 0.01, {});
  WorkersRule rule = trees->Carry(chosen, family, most_files);
  rule.rates = std::move(told);
  return rule;
}

void ExpectSameSums(const TreeFiles::Sums& found, const TreeFiles::Sums& expected) {
  EXPECT_EQ(found.files, expected.files);
  EXPECT_EQ(found.keys, expected.keys);
  EXPECT_EQ(found.filter_bytes, expected.filter_bytes);
}

TEST(TreeTextTest, WhatIsKnownOfATreeIsKnownInAnotherProcess) {
  KnownTrees here;
  Fill(&here, 200);
  here.Learn(&kOther, "other", Merge(1, true));
  TreeFiles::NewFile other_file;
  other_file.level = 1;
  other_file.range = {"a", "b"};
  other_file.keys = 5000;
  TreeFiles& of_other = here.RecordOf(&kOther, "other")->files;
  of_other.AddMemory(of_other.Add(other_file), {6000, 6000});
  here.RecordOf(&kOne, kFamily)->files.asked_ranges().SetDecided(core::RangeKinds::kTrees);

  WorkersRule read;
  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here, kFamily)), &read), "");
  KnownTrees there;
  there.Restore(std::move(read));
  ExpectSameSums(there.Totals().files, here.Totals().files);
  EXPECT_EQ(there.Totals().families, 2u);

  // The first column family's tree is restored, and no other.
  EXPECT_EQ(there.RecordOf(nullptr, kFamily), nullptr);
  const KnownTree known = there.Learn(&kOther, kFamily, Merge(4, false));
  EXPECT_EQ(known.id, here.Choose({}, kFamily).tree.id);
  EXPECT_NE(known.id, 0u);
  EXPECT_EQ(known.depth, 5);
  EXPECT_EQ(known.base, 4);
  EXPECT_EQ(known.size_ratio, 6.5);
  EXPECT_EQ(known.has_dynamic_levels, true);
  EXPECT_EQ(there.Learn(&kOne, kFamily, Merge(1, true)).depth, 1);

  TreeRecord& ours = *here.RecordOf(&kOne, kFamily);
  TreeRecord& theirs = *there.RecordOf(&kOther, kFamily);
  EXPECT_EQ(theirs.files.asked_ranges().decided(), core::RangeKinds::kTrees);
  EXPECT_EQ(theirs.files.files(), ours.files.files());
  const TreeFiles::Sums expected_sums = ours.files.sums();
  const TreeFiles::Sums found_sums = theirs.files.sums();
  for (size_t level = 0; level < expected_sums.levels.size(); ++level) {
    EXPECT_EQ(found_sums.levels[level].keys, expected_sums.levels[level].keys) << level;
    EXPECT_EQ(found_sums.levels[level].filter_bytes, expected_sums.levels[level].filter_bytes)
        << level;
  }
  EXPECT_EQ(theirs.files.Memory().resting.bytes, ours.files.Memory().resting.bytes);
  EXPECT_EQ(theirs.files.Memory().waiting.uniform_bytes, ours.files.Memory().waiting.uniform_bytes);
  for (const auto& [first, last] : {std::pair{0, 50}, {950, 970}, {5000, 7000}, {40000, 50000}}) {
    const KeyRange range = {KeyOf(first), KeyOf(last)};
    for (const int level : {0, 3, 4, 5}) {
      const TreeFiles::Place expected = ours.files.PlaceOf(level, range, 4);
      const TreeFiles::Place found = theirs.files.PlaceOf(level, range, 4);
      EXPECT_EQ(found.below, expected.below) << first << " on level " << level;
      EXPECT_EQ(found.waits, expected.waits) << first << " on level " << level;
    }
  }
}

TEST(TreeTextTest, RatesAreLearnedThereAsHere) {
  KnownTrees here;
  Fill(&here, 200);
  WorkersRule read;
  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here, kFamily)), &read), "");
  KnownTrees there;
  there.Restore(std::move(read));
  there.Learn(&kOther, kFamily, Merge(4, false));
  TreeRecord& ours = *here.RecordOf(&kOne, kFamily);
  TreeRecord& theirs = *there.RecordOf(&kOther, kFamily);
  double least = 1;
  double most = 0;
  for (int first = 0; first < 19'000; first += 700) {
    const KeyRange range = {KeyOf(first), KeyOf(first + 600)};
    const auto expected = RateOf(&ours, 5, range, 6000);
    const auto found = RateOf(&theirs, 5, range, 6000);
    ASSERT_TRUE(expected && found) << first;
    EXPECT_NEAR(found->rate() / expected->rate(), 1, 0.05) << first;
    least = std::min(least, expected->rate());
    most = std::max(most, expected->rate());
  }
  EXPECT_GT(most, 4 * least);
}

// A part of the last level has a small fraction of a sample if nearly all lookups find their key.
TEST(TreeTextTest, ColdPlacesStayAsColdAsTheyAre) {
  KnownTrees here;
  Fill(&here, 300);
  WorkersRule rule = RuleFor(&here, kFamily);
  HeatMap::Parts parts;
  parts[LookupSamples::kLevels - 1].assign(HeatMap::kMaxParts, 1.0 / 256);
  parts[LookupSamples::kLevels - 1][7] = 1;
  rule.rates.heat = HeatMap(parts, 16'384);
  WorkersRule read;
  ASSERT_EQ(RuleOfText(TextOfRule(rule), &read), "");
  const HeatMap& heat = read.rates.heat;
  for (const auto& [from, to] : {std::pair{0.0, 1.0}, {0.5, 0.75}, {0.0, 0.01}}) {
    const int last = LookupSamples::kLevels - 1;
    EXPECT_NEAR(heat.Reaching(last, from, to) / rule.rates.heat.Reaching(last, from, to), 1, 0.02);
  }
  EXPECT_EQ(heat.ReachingAll(3), 0);
}

// Lambda is valid for samples if it was learned, else for keys.
TEST(TreeTextTest, ALambdaHoldsForItsOwnRuleAlone) {
  KnownTrees here;
  Fill(&here, 200);
  TreeRecord& ours = *here.RecordOf(&kOne, kFamily);
  TreeRates::Rule even;
  even.learns = false;
  TreeFiles::NewFile file;
  file.level = 4;
  file.range = {KeyOf(100), KeyOf(900)};
  file.keys = 500;
  for (const bool learns : {true, false}) {
    WorkersRule rule = RuleFor(&here, kFamily);
    TreeRates::Rule told;
    told.learns = learns;
    rule.rates = ours.rates.Tell(&ours.files, 0.01, told);
    KnownTrees there;
    there.Restore(std::move(rule));
    there.Learn(&kOther, kFamily, Merge(4, false));
    TreeRecord& theirs = *there.RecordOf(&kOther, kFamily);
    EXPECT_EQ(theirs.rates.RateOf(&theirs.files, file, {}, 0.01, {}).has_value(), learns);
    EXPECT_EQ(theirs.rates.RateOf(&theirs.files, file, {}, 0.01, even).has_value(), !learns);
  }
}

// Keys of any length and with any common prefix.
TEST(TreeTextTest, NoMoreBytesOfAKeyLeaveTheProcessThanThePageSays) {
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
        KnownTrees trees;
        trees.Learn(&kOne, kFamily, Merge(5, true));
        TreeFiles& record = trees.RecordOf(&kOne, kFamily)->files;
        std::vector<std::string> keys;
        const std::string of_all = text_of(shared);
        for (int i = 0; i < 2 * files; ++i) keys.push_back(of_all + text_of(bytes - shared));
        std::sort(keys.begin(), keys.end());
        for (size_t i = 0; i < keys.size(); i += 2) {
          TreeFiles::NewFile file;
          file.level = 5;
          file.is_bottom = true;
          file.range = {keys[i], keys[i + 1]};
          file.keys = 1000;
          record.Add(file);
        }
        ASSERT_TRUE(record.MakeGrid());
        record.samples().Add({LookupSamples::Record()});
        const std::string text = TextOfRule(RuleFor(&trees, kFamily));
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
TEST(TreeTextTest, PlacesOfTenantsKeysAreKnownInAnotherProcess) {
  KnownTrees here;
  here.Learn(&kOne, kFamily, Merge(5, true));
  TreeRecord& ours = *here.RecordOf(&kOne, kFamily);
  const auto key_of = [](int tenant, int i) {
    return "tenant no. " + std::to_string(tenant) +
           std::string(120, static_cast<char>('a' + tenant)) + KeyOf(i);
  };
  const auto file_of = [&](int level, int tenant, int first, int last) {
    TreeFiles::NewFile file;
    file.level = level;
    file.is_bottom = level == 5;
    file.range = {key_of(tenant, first), key_of(tenant, last)};
    file.keys = 1000;
    return file;
  };
  for (int tenant = 0; tenant < 8; ++tenant) {
    for (int i = 0; i < 20; ++i) ours.files.Add(file_of(5, tenant, 100 * i, 100 * i + 99));
  }
  ours.files.Add(file_of(4, 3, 500, 700));
  ASSERT_TRUE(ours.files.MakeGrid());
  std::vector<LookupSamples::Record> samples(LookupSamples::kMaxRecords);
  std::mt19937 random(1);
  for (LookupSamples::Record& sample : samples) {
    const int tenant = static_cast<int>(random() % 8);
    const int i = static_cast<int>(random() % 10 == 0 ? random() % 2000 : random() % 100);
    sample.place = static_cast<float>(ours.files.grid()->PlaceOf(key_of(tenant, i)));
    sample.deepest = LookupSamples::kLevels - 1;
    sample.ended_with_no = true;
    sample.said_no = static_cast<uint16_t>(1u << sample.deepest);
  }
  ours.files.samples().Add(samples);

  WorkersRule read;
  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here, kFamily)), &read), "");
  KnownTrees there;
  there.Restore(std::move(read));
  there.Learn(&kOther, kFamily, Merge(5, true));
  TreeRecord& theirs = *there.RecordOf(&kOther, kFamily);
  // Nearly all filters stay, so the bits of others depend strongly on places.
  constexpr double kMaxBits = 0.35;
  for (int tenant = 0; tenant < 8; ++tenant) {
    for (const int first : {0, 100, 600, 1000}) {
      const TreeFiles::NewFile file = file_of(3, tenant, first, first + 99);
      const int below = ours.files.PlaceOf(3, file.range, 4).below;
      EXPECT_EQ(theirs.files.PlaceOf(3, file.range, 4).below, below) << tenant << " " << first;
      const auto expected = RateOf(&ours, 5, file.range, 1000);
      const auto found = RateOf(&theirs, 5, file.range, 1000);
      ASSERT_TRUE(expected && found) << tenant << " " << first;
      EXPECT_NEAR(std::log2(found->rate() / expected->rate()), 0, kMaxBits)
          << tenant << " " << first;
    }
  }
  // Unknown tenants and other keys have no place and no rate.
  for (const std::string& first :
       {std::string("tenant no. 4") + std::string(200, 'z'), std::string()}) {
    const KeyRange range = {first, first + "9"};
    EXPECT_EQ(theirs.files.PlaceOf(3, range, 4).below, -1);
    EXPECT_FALSE(RateOf(&theirs, 5, range, 1000));
    TreeFiles::NewFile file = file_of(5, 1, 0, 1);
    file.range = range;
    const size_t files = theirs.files.files();
    theirs.files.AddMemory(theirs.files.Add(file), {1000, 1000});
    EXPECT_EQ(theirs.files.files(), files);
  }
}

constexpr char kTextOf10[] =
    "winnow-learned:1:0666616D696C79060600000202010A70656F706C652F30303002090500083030302F6E6"
    "16D65010739302F6E616D65E807EC09E2090000E80700090500083130302F6E616D65010739302F6E616D65E"
    "807EC09E20900000000020000000000000000000000000000000000000000000000000000000000000000D00"
    "FC307BD090000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000001010101010101010101010101010100089E23461083FE20";

// Text written by version 1.0, with two files: keys "people/000000/name" to "people/000090/name",
// and "people/000100/name" to "people/000190/name".
TEST(TreeTextTest, ATextOfFormat1IsRead) {
  WorkersRule read;
  ASSERT_EQ(RuleOfText(kTextOf10, &read), "");
  EXPECT_EQ(read.files.prefix, "people/000");
  ASSERT_EQ(read.files.files.size(), 2u);
  EXPECT_EQ(read.files.files[1].facts.range.last, "190/name");
  KnownTrees there;
  there.Restore(std::move(read));
  there.Learn(&kOther, kFamily, Merge(5, true));
  TreeFiles& theirs = there.RecordOf(&kOther, kFamily)->files;
  EXPECT_EQ(theirs.PlaceOf(3, {KeyOf(120), KeyOf(130)}, 4).below, TreeFiles::kBottom);
  EXPECT_EQ(theirs.PlaceOf(3, {KeyOf(92), KeyOf(98)}, 4).below, -1);
}

// Text of format 2 with the same two files, and three samples of lookups in the first one.
constexpr char kTextOf2[] =
    "winnow-learned:2:0666616D696C79060600000202010100000AF0AF4BB787E992DB020905000830303"
    "02F6E616D65010739302F6E616D65E807EC09E2090000E80700090500083130302F6E616D65010739302"
    "F6E616D65E807EC09E209000000000200000000000000000000000000000000000000000000000000000"
    "00000000000D00FC307BD0900000000038080013F00003F00003F0003000000000000000000000000000"
    "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000AA33C3E5C36151CA";

TEST(TreeTextTest, ATextOfFormat2IsRead) {
  WorkersRule read;
  ASSERT_EQ(RuleOfText(kTextOf2, &read), "");
  EXPECT_FALSE(read.files.has_places);
  EXPECT_EQ(read.id, 0u);
  ASSERT_EQ(read.files.files.size(), 2u);
  EXPECT_EQ(read.files.samples.size(), 3u);
  KnownTrees there;
  there.Restore(std::move(read));
  EXPECT_NE(there.Learn(&kOther, kFamily, Merge(5, true)).id, 0u);
  TreeFiles& theirs = there.RecordOf(&kOther, kFamily)->files;
  EXPECT_EQ(theirs.sums().filter_bytes, 2520);
  EXPECT_EQ(theirs.PlaceOf(3, {KeyOf(120), KeyOf(130)}, 4).below, TreeFiles::kBottom);
  EXPECT_EQ(theirs.PlaceOf(3, {KeyOf(92), KeyOf(98)}, 4).below, -1);
  std::vector<LookupSamples::Record> samples;
  theirs.samples().Snapshot(&samples);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_NEAR(samples[0].place, 0.25, 1e-4);
  EXPECT_NEAR(theirs.grid()->PlaceOf(KeyOf(100)), 0.5, 0.01);
}

TEST(TreeTextTest, NeighboursGoAsOneWhereThereAreTooMany) {
  KnownTrees here;
  Fill(&here, 2000);
  const std::string whole = TextOfRule(RuleFor(&here, kFamily));
  const std::string joined = TextOfRule(RuleFor(&here, kFamily, 500));
  EXPECT_LT(joined.size(), whole.size());
  WorkersRule read;
  ASSERT_EQ(RuleOfText(joined, &read), "");
  EXPECT_LE(read.files.files.size(), 500u);
  EXPECT_EQ(read.files.num_files, 2400u);
  KnownTrees there;
  there.Restore(std::move(read));
  EXPECT_EQ(there.Totals().files.keys, here.Totals().files.keys);
  EXPECT_EQ(there.Totals().files.filter_bytes, here.Totals().files.filter_bytes);

  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here, kFamily, 0)), &(read = {})), "");
  EXPECT_TRUE(read.files.files.empty());
  EXPECT_EQ(read.others.keys, here.Totals().files.keys);
}

TEST(TreeTextTest, ATreeOfWhichNothingIsKnownIsAsNew) {
  KnownTrees here;
  Fill(&here, 20);
  WorkersRule read;
  ASSERT_EQ(RuleOfText(TextOfRule(RuleFor(&here, "another")), &read), "");
  EXPECT_EQ(read.family, "another");
  EXPECT_EQ(read.depth, -1);
  EXPECT_TRUE(read.files.files.empty());
  EXPECT_EQ(read.others.keys, here.Totals().files.keys);
  // No listener reported a database.
  EXPECT_EQ(here.Choose(FileName::Of("/db", 0), kFamily).tree.depth, 5);
}

TEST(TreeTextTest, TheTreeIsThatOfTheDatabaseThatIsAskedFor) {
  KnownTrees trees;
  const FileName first = FileName::Of("/first", 0);
  const FileName second = FileName::Of("/second", 0);
  trees.Learn(&kOne, kFamily, Merge(2, true));
  trees.SetDatabase(&trees.RecordOf(&kOne, kFamily)->files, first);
  trees.Learn(&kOther, kFamily, Merge(3, true));
  trees.SetDatabase(&trees.RecordOf(&kOther, kFamily)->files, second);
  EXPECT_EQ(trees.Choose(first, kFamily).tree.depth, 2);
  EXPECT_EQ(trees.Choose(second, kFamily).tree.depth, 3);
  EXPECT_EQ(RuleFor(&trees, kFamily).depth, 3);
  EXPECT_EQ(trees.Choose(FileName::Of("/third", 0), kFamily).tree.depth, -1);
}

TEST(TreeTextTest, ATextThatIsCutOffOrChangedIsRefused) {
  KnownTrees here;
  Fill(&here, 5);
  const std::string text = TextOfRule(RuleFor(&here, kFamily, 100));
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
TEST(TreeTextTest, TwoSharedRunsAtOnePlaceAreRefused) {
  KnownTrees here;
  Fill(&here, 5);
  WorkersRule told = RuleFor(&here, kFamily);
  told.files.runs = std::make_shared<const SharedRuns>(
      std::vector<SharedRuns::Run>{{"", 8, 1}, {std::string(1, '\0'), 8, 2}});
  WorkersRule read;
  EXPECT_EQ(RuleOfText(TextOfRule(told), &read), "");
  told.files.runs =
      std::make_shared<const SharedRuns>(std::vector<SharedRuns::Run>{{"", 8, 1}, {"", 8, 2}});
  EXPECT_NE(RuleOfText(TextOfRule(told), &read), "");
}

// Damaged texts with a valid checksum must not break a record either.
TEST(TreeTextTest, NoTextMakesARecordThatBreaks) {
  KnownTrees here;
  Fill(&here, 20);
  const std::string text = TextOfRule(RuleFor(&here, kFamily));
  const size_t begin = text.rfind(':') + 1;
  std::string bytes;
  ASSERT_TRUE(Slice(text.substr(begin)).DecodeHex(&bytes));
  bytes.resize(bytes.size() - 8);
  constexpr unsigned kSeed = 20261123;
  std::mt19937 random(kSeed);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = bytes;
    // Most changes are in the files, which come first.
    const size_t most = i % 4 == 0 ? changed.size() : 1000;
    for (unsigned change = 0; change <= i % 3u; ++change) {
      changed[random() % most] = static_cast<char>(random());
    }
    const uint64_t hash = HashKey(changed).value;
    for (int byte = 0; byte < 8; ++byte) changed.push_back(static_cast<char>(hash >> (8 * byte)));
    WorkersRule read;
    if (!RuleOfText(text.substr(0, begin) + Slice(changed).ToString(true), &read).empty()) continue;
    ++accepted;
    KnownTrees there;
    there.Restore(std::move(read));
    there.Learn(&kOther, read.family, Merge(4, false));
    there.Totals();
    TreeRecord& record = *there.RecordOf(&kOther, read.family);
    TreeFiles::NewFile file;
    file.level = 4;
    file.range = {KeyOf(10), KeyOf(900)};
    file.keys = 1000;
    record.files.PlaceOf(4, file.range, 4);
    record.files.ReplacedBy(file);
    const auto learned = RateOf(&record, 4, file.range, file.keys);
    EXPECT_TRUE(!learned || (learned->rate() > 0 && learned->rate() <= 1)) << "seed " << kSeed;
    record.files.AddMemory(record.files.Add(file), {1000, 1000});
  }
  EXPECT_GT(accepted, 100) << "seed " << kSeed;
}

}  // namespace tree_text_test
}  // namespace winnow::plugin
