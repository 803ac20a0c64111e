// Tests that damaged and forged range filters do no harm, and deny no key if the damage is
// detected.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/core/format.h"
#include "src/core/ranges/range_format.h"
#include "src/formulas/bytes.h"
#include "tests/core/golden_blocks.h"
#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace range_filter_damage_test {

using testing::BuildRangeFilter;
using testing::Keys;
using testing::KindOfKeys;
using testing::RandomHashes;
using testing::SomeKeys;

// Returns whether the first key, which is less than the last one, may be in the filter.
bool HasFirst(const RangeFilterView& view, const Keys& keys) {
  return view.MayContain(*keys.begin(), *keys.begin() + '\0');
}

void ExpectContainsAll(const RangeFilterView& view, const std::string& what) {
  EXPECT_NE(view.fault(), Fault::kNone) << what;
  EXPECT_TRUE(view.MayContain("", "a") && view.MayContain("a", "b")) << what;
  EXPECT_TRUE(view.MayContain("", std::string(1, '\0'))) << what;
  const std::string_view key = "a";
  bool answer = false;
  view.MayHaveKey(&key, 1, &answer);
  EXPECT_TRUE(answer && view.MayHaveKey(key)) << what;
  EXPECT_EQ(view.info().kind, RangeFilterKind::kNone) << what;
  EXPECT_FALSE(view.PayloadIntact()) << what;
}

// Returns keys of kinds with and without hashed bytes, exact and inexact.
std::vector<Keys> SomeOfEachKind(size_t n, RandomHashes* random) {
  std::vector<Keys> all;
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) all.push_back(SomeKeys(kind, n, random));
  return all;
}

TEST(RangeFilterDamageTest, NothingContainsEverything) {
  ExpectContainsAll(RangeFilterView(), "no bytes");
  EXPECT_EQ(RangeFilterView().info().size_bytes, 0u);
  ExpectContainsAll(RangeFilterView(""), "no bytes");
}

// Expects that a filter of one block has all keys if its tree is shorter than its nodes, which no
// checksum tells.
void ExpectAllInShorterTrees(const std::string& original, const Keys& keys) {
  const core::RangeTrees trees = core::RangeTreesOf(original);
  ASSERT_EQ(trees.blocks, 1u);
  const auto entry =
      static_cast<size_t>(trees.entries - reinterpret_cast<const unsigned char*>(original.data()));
  const size_t tree_bytes = trees.trees.size() - core::RangeTrees::kPadding;
  for (size_t cut = 1; cut < tree_bytes; ++cut) {
    std::string shorter = original;
    shorter.erase(shorter.size() - core::RangeTrees::kPadding - cut, cut);
    formulas::StoreLittle(reinterpret_cast<unsigned char*>(&shorter[entry + 4]), tree_bytes - cut,
                          4);
    testing::SignRangeFilter(&shorter);
    const RangeFilterView view = RangeFilterView::Verified(shorter);
    ASSERT_EQ(view.fault(), Fault::kNone);
    for (const std::string& key : keys) {
      EXPECT_TRUE(view.MayHaveKey(key)) << key << ", " << cut << " of " << tree_bytes;
    }
  }
}

TEST(RangeFilterDamageTest, ATreeWithoutItsEndDeniesNoKey) {
  const Keys paths = {"a", "a/b", "a/b/c", "a/bcd", "b/c", "b/xyzzy", "c"};
  const Keys numbers = {testing::BigEndian(77), testing::BigEndian(uint64_t{1} << 50),
                        testing::BigEndian(UINT64_MAX / 3), testing::BigEndian(UINT64_MAX)};
  for (const double range_bits : {8.0, 12.0, 15.0, 24.0}) {
    for (const Keys& keys : {paths, numbers}) {
      const FilterBlock filter = BuildRangeFilter(keys, range_bits, RangeFilterKind::kTrees);
      ExpectAllInShorterTrees(std::string(filter.bytes()), keys);
    }
  }
  size_t old_forms = 0;
  for (const testing::GoldenBlock& block : testing::ReadGoldenBlocks(WINNOW_GOLDEN_BLOCKS)) {
    if (!block.has_trees() || block.has_builder() || block.keys != 2) continue;
    ++old_forms;
    const std::string bytes = testing::ReadGoldenBytes(WINNOW_GOLDEN_BLOCKS, block);
    ExpectAllInShorterTrees(std::string(RangeFilterOf(bytes)), {block.KeyOf(0), block.KeyOf(1)});
  }
  EXPECT_EQ(old_forms, 2u) << "with lengths and without";
}

// Copies, so that the address sanitizer detects reads past either end.
TEST(RangeFilterDamageTest, EveryTruncationContainsEverything) {
  RandomHashes random(testing::TestSeed());
  for (const Keys& keys : SomeOfEachKind(150, &random)) {
    const FilterBlock filter = BuildRangeFilter(keys, 9, testing::SomeKind(keys, &random));
    for (size_t cut = 1; cut <= filter.size; ++cut) {
      const std::string front(filter.bytes().substr(cut));
      ExpectContainsAll(RangeFilterView(front), "the front is cut");
      const std::string back(filter.bytes().substr(0, filter.size - cut));
      ExpectContainsAll(RangeFilterView(back), "the end is cut");
    }
    ExpectContainsAll(RangeFilterView(std::string(filter.bytes()) + '\0'), "one byte more");
  }
}

TEST(RangeFilterDamageTest, EveryByteThatChangesIsFoundByVerified) {
  RandomHashes random(testing::TestSeed());
  for (const Keys& keys : SomeOfEachKind(150, &random)) {
    const FilterBlock filter = BuildRangeFilter(keys, 9, testing::SomeKind(keys, &random));
    const std::string original(filter.bytes());
    EXPECT_TRUE(RangeFilterView::Verified(original).PayloadIntact());
    for (size_t at = 0; at < original.size(); ++at) {
      std::string changed = original;
      changed[at] = static_cast<char>(static_cast<uint8_t>(changed[at]) ^ (1 + random.Below(255)));
      ExpectContainsAll(RangeFilterView::Verified(changed), "byte " + std::to_string(at));
      const RangeFilterView view(changed);
      (void)HasFirst(view, keys);
      EXPECT_FALSE(view.PayloadIntact()) << at;
    }
  }
}

TEST(RangeFilterDamageTest, FaultsSayWhatIsWrong) {
  const FilterBlock filter = BuildRangeFilter(std::vector<std::string>{"k1", "k2", "k9"});
  const auto fault_with = [&](size_t at, char value) {
    std::string bytes(filter.bytes());
    bytes[at] = value;
    return RangeFilterView(bytes).fault();
  };
  EXPECT_EQ(fault_with(0, 'x'), Fault::kForeign);
  EXPECT_EQ(fault_with(4, 2), Fault::kVersion);
  EXPECT_EQ(fault_with(8, 2), Fault::kTailChecksum);
  EXPECT_EQ(RangeFilterView(filter.bytes().substr(0, 31)).fault(), Fault::kTooShort);
  EXPECT_EQ(RangeFilterView(filter.bytes().substr(0, 33)).fault(), Fault::kTailChecksum);
  EXPECT_EQ(RangeFilterView(std::string(filter.bytes()) + 'x').fault(), Fault::kSize);
}

// Asks ranges that reach the last bucket, the first one, and all in between.
void AskAll(const RangeFilterView& view, const Keys& keys, RandomHashes* random) {
  std::string begin =
      *std::next(keys.begin(), static_cast<std::ptrdiff_t>(random->Below(keys.size())));
  std::string end = *keys.rbegin();
  (void)view.MayContain("", end);
  (void)view.MayContain(begin, end);
  (void)view.MayContain(begin, begin + '\0');
  if (!begin.empty()) begin.back() = static_cast<char>(random->Next());
  end = begin + std::string(1, '\0');
  (void)view.MayContain(begin, end);
  (void)view.MayHaveKey(begin);
  (void)view.MayHaveKey(end);
  const std::string_view looked_up[] = {begin, *keys.begin(), *keys.rbegin()};
  bool answers[3];
  view.MayHaveKey(looked_up, 3, answers);
  (void)view.MayContain("", begin);
  (void)view.info();
}

// Filters have correct checksums, so that only the checks of single values and of each read prevent
// reads outside. They are copied to an allocation of the exact size, for the address sanitizer.
// WINNOW_FORGED_RANGES=N makes N filters.
TEST(RangeFilterDamageTest, ForgedFiltersAreSafe) {
  RandomHashes random(testing::TestSeed());
  size_t usable = 0;
  size_t usable_retrievals = 0;
  const std::vector<KindOfKeys> kinds = testing::AllKindsOfKeys();
  const char* const asked_for = std::getenv("WINNOW_FORGED_RANGES");
  const int rounds = asked_for != nullptr ? std::atoi(asked_for) : 100000;
  for (int round = 0; round < rounds; ++round) {
    static Keys keys;
    static std::string original;
    if (round % 100 == 0) {
      do {
        // A third are retrievals, which have bumped layers from 600 keys on.
        const bool is_retrieval = random.Below(3) == 0;
        const KindOfKeys& kind = is_retrieval ? kinds[0] : kinds[random.Below(kinds.size())];
        keys = SomeKeys(kind, 1 + random.Below(is_retrieval ? 2500 : 600), &random);
        original = is_retrieval
                       ? BuildRangeFilter(keys, 8 + static_cast<double>(random.Below(33)) / 4,
                                          RangeFilterKind::kRetrieval)
                             .bytes()
                       : BuildRangeFilter(keys, 1 + static_cast<double>(random.Below(31)),
                                          testing::SomeKind(keys, &random))
                             .bytes();
      } while (original.empty());
    }
    std::string forged = original;
    const size_t front = 36 + keys.begin()->size() + 40;
    for (uint64_t changes = 1 + random.Below(4); changes-- != 0;) {
      const size_t most = random.Below(2) == 0 ? std::min(front, forged.size()) : forged.size();
      char* const at = &forged[random.Below(most)];
      *at = random.Below(2) == 0 ? static_cast<char>(random.Next())
                                 : static_cast<char>(*at + static_cast<char>(random.Below(3)) - 1);
    }
    if (random.Below(4) == 0) {
      // Replaces whole parts of the arrays.
      const size_t begin = random.Below(forged.size());
      std::fill(forged.begin() + static_cast<std::ptrdiff_t>(begin), forged.end(),
                static_cast<char>(random.Below(2) - 1));
    }
    forged.replace(0, 5, original, 0, 5);
    testing::SignRangeFilter(&forged);
    const std::vector<char> exact(forged.begin(), forged.end());
    const RangeFilterView view({exact.data(), exact.size()});
    AskAll(view, keys, &random);
    usable += view.fault() == Fault::kNone ? 1 : 0;
    usable_retrievals += view.info().kind == RangeFilterKind::kRetrieval ? 1 : 0;
  }
  const auto all = static_cast<size_t>(rounds);
  EXPECT_GT(usable, all / 5) << "most of what is asked must get through the checks of the front";
  EXPECT_GT(usable_retrievals, all / 20);
}

// Returns the fault of a copy of the filter with this value at `at`, and with correct checksums.
Fault FaultWith(std::string_view filter, size_t at, unsigned bytes, uint64_t value) {
  std::string forged(filter);
  formulas::StoreLittle(reinterpret_cast<unsigned char*>(&forged[at]), value, bytes);
  testing::SignRangeFilter(&forged);
  return RangeFilterView(forged).fault();
}

TEST(RangeFilterDamageTest, AValueThatNoBuilderOfRetrievalsWritesIsFound) {
  RandomHashes random(testing::TestSeed());
  Keys keys;
  for (int i = 0; i < 3000; ++i) keys.insert(testing::BigEndian(random.Next()));
  const FilterBlock filter = BuildRangeFilter(keys, 15, RangeFilterKind::kRetrieval);
  ASSERT_EQ(RangeFilterView(filter.bytes()).info().kind, RangeFilterKind::kRetrieval);
  const auto fault_with = [&](size_t at, unsigned bytes, uint64_t value) {
    return FaultWith(filter.bytes(), at, bytes, value);
  };
  const unsigned layers = static_cast<unsigned char>(filter.bytes()[17]);
  ASSERT_GE(layers, 1u);
  EXPECT_EQ(fault_with(8, 4, 0), Fault::kParameters) << "no keys";
  EXPECT_EQ(fault_with(16, 1, 2), Fault::kParameters) << "too few low bits";
  EXPECT_EQ(fault_with(16, 1, 16), Fault::kParameters) << "more low bits than columns";
  EXPECT_EQ(fault_with(16, 1, 5), Fault::kParameters) << "too many bits of a fingerprint";
  EXPECT_EQ(fault_with(17, 1, 17), Fault::kParameters) << "too many layers";
  EXPECT_NE(fault_with(17, 1, layers + 1), Fault::kNone) << "a layer that is not there";
  EXPECT_EQ(fault_with(18, 2, 0xffff), Fault::kParameters) << "too many columns";
  EXPECT_NE(fault_with(18, 2, (14 << 12) + 2048), Fault::kNone) << "wider blocks than there are";
  EXPECT_EQ(fault_with(20, 4, 3001), Fault::kParameters) << "more crowded keys than keys";
  EXPECT_NE(fault_with(20, 4, 2900), Fault::kNone) << "numbers that are not there";
  const size_t last_entry = filter.size - core::kEntryBytes;
  EXPECT_EQ(fault_with(last_entry, 1, 4), Fault::kParameters) << "a Bloom layer";
  EXPECT_EQ(fault_with(last_entry, 1, 7), Fault::kParameters) << "no type";
  EXPECT_NE(fault_with(last_entry + 1, 4, 1 << 20), Fault::kNone) << "a longer layer";
  EXPECT_EQ(fault_with(filter.size - layers * core::kEntryBytes, 1, 2),
            layers == 1 ? Fault::kSize : Fault::kParameters)
      << "a small layer before the last";
  EXPECT_EQ(RangeFilterView(std::string(filter.bytes()) + 'x').fault(), Fault::kParameters)
      << "entries are read from the end";
}

TEST(RangeFilterDamageTest, AValueThatNoBuilderWritesIsFound) {
  RandomHashes random(testing::TestSeed());
  Keys keys;
  for (int i = 0; i < 500; ++i) keys.insert(testing::BigEndian(random.Next()) + "12345678");
  keys.insert(std::string(16, '\x7f'));
  const FilterBlock filter = BuildRangeFilter(keys, 9, RangeFilterKind::kPositions);
  const auto fault_with = [&](size_t at, unsigned bytes, uint64_t value) {
    return FaultWith(filter.bytes(), at, bytes, value);
  };
  const size_t digits = 32 + 16;
  ASSERT_EQ(fault_with(24, 2, 77), Fault::kNone) << "for information";
  EXPECT_EQ(fault_with(5, 1, 0), Fault::kKind);
  EXPECT_EQ(fault_with(5, 1, 6), Fault::kKind);
  EXPECT_EQ(fault_with(8, 4, 0), Fault::kParameters) << "no keys";
  EXPECT_EQ(fault_with(8, 4, uint64_t{1} << 31), Fault::kParameters) << "too many keys";
  EXPECT_EQ(fault_with(12, 2, 257), Fault::kParameters) << "more digits than bytes";
  EXPECT_EQ(fault_with(12, 2, 3), Fault::kParameters) << "digits that are not there";
  EXPECT_EQ(fault_with(14, 2, 4), Fault::kParameters) << "hashed bytes that are no words";
  EXPECT_EQ(fault_with(14, 2, 16), Fault::kParameters) << "all bytes are hashed";
  EXPECT_EQ(fault_with(16, 8, 1), Fault::kParameters) << "fewer numbers than keys";
  EXPECT_EQ(fault_with(16, 8, uint64_t{1} << 62), Fault::kParameters) << "too many numbers";
  EXPECT_EQ(fault_with(digits, 1, 16), Fault::kParameters) << "a place behind the key";
  EXPECT_EQ(fault_with(digits + 4, 1, 0), Fault::kParameters) << "places that don't ascend";
  EXPECT_EQ(fault_with(digits + 1, 1, 0), Fault::kParameters) << "no interval";
  EXPECT_EQ(fault_with(digits + 1, 1, 5), Fault::kParameters) << "too many intervals";
  EXPECT_EQ(fault_with(digits + 2, 1, 255), Fault::kParameters) << "an interval that ends before";
  EXPECT_EQ(fault_with(8, 4, keys.size() - 64), Fault::kSize) << "fewer keys than there are";
}

TEST(RangeFilterDamageTest, AValueThatNoBuilderOfTreesWritesIsFound) {
  const Keys keys = {"a", "b", "ba", "bb", "zebra"};
  const FilterBlock filter = BuildRangeFilter(keys, 9);
  const auto fault_with = [&](size_t at, unsigned bytes, uint64_t value) {
    return FaultWith(filter.bytes(), at, bytes, value);
  };
  ASSERT_EQ(fault_with(24, 2, 77), Fault::kNone) << "for information";
  EXPECT_EQ(fault_with(8, 4, 0), Fault::kParameters) << "no keys";
  EXPECT_EQ(fault_with(8, 4, uint64_t{1} << 31), Fault::kParameters) << "too many keys";
  EXPECT_EQ(fault_with(12, 1, 29), Fault::kParameters) << "too many bits of a leaf";
  EXPECT_EQ(fault_with(13, 1, 9), Fault::kParameters) << "too many bits in the code of a depth";
  EXPECT_EQ(fault_with(14, 1, 29), Fault::kParameters) << "too many bits of an edge";
  EXPECT_EQ(fault_with(15, 1, 0), Fault::kParameters) << "no bits of a byte";
  EXPECT_EQ(fault_with(15, 1, 9), Fault::kParameters) << "too many bits of a byte";
  EXPECT_EQ(fault_with(16, 4, 0), Fault::kParameters) << "no blocks";
  EXPECT_EQ(fault_with(16, 4, 6), Fault::kParameters) << "more blocks than keys";
  EXPECT_EQ(fault_with(16, 4, 2), Fault::kSize) << "more blocks than there are";
  EXPECT_EQ(fault_with(20, 4, 1), Fault::kSize) << "separators that are not there";
  EXPECT_EQ(fault_with(filter.size - 14, 1, 0xff), Fault::kNone) << "a tree says anything";
}

}  // namespace range_filter_damage_test
}  // namespace winnow
