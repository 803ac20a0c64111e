// Tests of the range filters of a RocksDB table: their kinds, the keys that each one has, and their
// common answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/notes.h"
#include "src/core/ranges/range_note.h"
#include "src/core/ranges/table_range_builder.h"
#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"
#include "tests/support/range_of_table.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/range_filter.h"

namespace winnow::core {
namespace table_ranges_test {

using testing::BigEndian;
using testing::Has;
using testing::Keys;
using testing::KindOfKeys;
using testing::RandomHashes;
using testing::SomeKeys;

constexpr RangeKinds kAllKinds[] = {RangeKinds::kByKeys, RangeKinds::kPositions, RangeKinds::kTrees,
                                    RangeKinds::kBest};

TableRangePlan PlanOf(RangeKinds kinds, double bits = 15, std::vector<AskedRange> asked = {}) {
  TableRangePlan plan;
  plan.kinds = kinds;
  plan.range_bits = bits;
  plan.asked = std::make_shared<const std::vector<AskedRange>>(std::move(asked));
  return plan;
}

// Returns the block of a filter of one key, without a range filter.
FilterBlock WithoutRanges() {
  FilterBuilder filter{FilterOptions()};
  filter.Add(HashKey("key"));
  return filter.Finish();
}

std::string BlockOf(const std::vector<TableRange>& ranges) {
  return std::string(WithRangesOfTable(WithoutRanges().bytes(), ranges).bytes());
}

std::vector<TableRange> Build(const Keys& keys, const TableRangePlan& plan) {
  TableRangeBuilder builder(plan);
  for (const std::string& key : keys) builder.Add(key);
  return builder.Finish();
}

// Returns keys of some kind, one in `one_in` of which is longer or shorter.
Keys WithOtherLengths(const KindOfKeys& kind, size_t n, uint64_t one_in, RandomHashes* random) {
  Keys keys;
  for (const std::string& key : SomeKeys(kind, n, random)) {
    if (key.empty() || random->Below(one_in) != 0) {
      keys.insert(key);
    } else if (random->Below(2) == 0) {
      keys.insert(key + static_cast<char>(random->Next()));
    } else {
      keys.insert(key.substr(0, 1 + random->Below(key.size())));
    }
  }
  return keys;
}

TEST(TableRangesTest, NoRangeWithAKeyIsDenied) {
  RandomHashes random(testing::TestSeed());
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    for (const RangeKinds kinds : kAllKinds) {
      size_t denied = 0;
      for (const size_t n : {1u, 2u, 3u, 60u, 70u, 2000u}) {
        for (const uint64_t one_in : {2u, 5u, 100u, 1'000'000u}) {
          Keys keys = WithOtherLengths(kind, n, one_in, &random);
          keys.erase("");
          if (keys.empty()) keys.insert("a");
          const std::vector<std::string> sorted(keys.begin(), keys.end());
          const auto some_bound = [&] {
            std::string bound = sorted[random.Below(sorted.size())];
            if (random.Below(2) == 0) bound.resize(random.Below(bound.size() + 1));
            if (random.Below(2) == 0) bound += static_cast<char>(random.Next());
            if (random.Below(2) == 0 && !bound.empty()) ++bound.back();
            return bound;
          };
          std::vector<AskedRange> asked;
          for (int i = 0; i < 20; ++i) asked.push_back({some_bound(), some_bound()});
          const std::string block = BlockOf(
              Build(keys, PlanOf(kinds, 2 + static_cast<double>(random.Below(60)) / 4, asked)));
          const TableRanges ranges(block, true);
          ASSERT_FALSE(ranges.empty()) << kind.name << ", " << n << " keys";
          ASSERT_EQ(ranges.fault(), Fault::kNone);
          for (const std::string& key : keys) {
            ASSERT_TRUE(ranges.MayContain(key, key + '\0')) << kind.name;
          }
          for (int i = 0; i < 600; ++i) {
            const std::string begin = some_bound();
            std::string end = some_bound();
            if (random.Below(3) != 0) end = begin + "\xff";  // range of a prefix
            const bool may = ranges.MayContain(begin, end);
            ASSERT_TRUE(may || !Has(keys, begin, end)) << kind.name << ", " << n << " keys";
            ASSERT_TRUE(may || (begin < end && end <= sorted.back())) << kind.name;
            denied += may ? 0 : 1;
          }
        }
      }
      EXPECT_GT(denied, 50u) << kind.name << ", kinds " << static_cast<int>(kinds);
    }
  }
}

Keys Numbers(size_t n, RandomHashes* random) {
  Keys keys;
  while (keys.size() < n) keys.insert(BigEndian(random->Next()));
  return keys;
}

// Returns keys of an 8-byte user, an 8-byte item and an 8-byte time, for many users.
Keys Composed(size_t n, RandomHashes* random) {
  Keys keys;
  while (keys.size() < n) {
    const std::string user = BigEndian(random->Next());
    for (int i = 0; i < 20; ++i) {
      keys.insert(user + BigEndian(random->Next()) + BigEndian(random->Next()));
    }
  }
  return keys;
}

// The first key has another length too.
TEST(TableRangesTest, FewKeysOfAnotherLengthAreAPart) {
  RandomHashes random(testing::TestSeed());
  Keys keys = Numbers(3000, &random);
  keys.insert(std::string(5, '\0'));
  for (int i = 0; i < 30; ++i) keys.insert(BigEndian(random.Next()) + "x");
  const std::string block = BlockOf(Build(keys, PlanOf(RangeKinds::kByKeys)));
  const TableRanges ranges(block);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges.view(0).info().num_keys, 3000u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ranges.view(i).info().kind,
              i == 0 ? RangeFilterKind::kRetrieval : RangeFilterKind::kTrees);
    EXPECT_EQ(ranges.role(i), RangeRole::kPart);
  }
  EXPECT_EQ(testing::RangeFilterOfTable(block), "") << "a reader of one filter knows none";
  size_t passed = 0;
  size_t asked = 0;
  for (const std::string& key : keys) {
    const std::string begin = BigEndian(testing::OfBigEndian(key.substr(0, 8)) + 1);
    const std::string end = BigEndian(testing::OfBigEndian(begin) + 16);
    if (Has(keys, begin, end) || end > *keys.rbegin()) continue;
    ++asked;
    passed += ranges.MayContain(begin, end) ? 1 : 0;
  }
  EXPECT_GT(asked, 2900u);
  EXPECT_LT(passed, asked / 20);
}

// A range may end behind the last key of one part and before keys of another part.
TEST(TableRangesTest, TheGreatestLastKeyCounts) {
  Keys keys;
  for (int i = 10; i < 90; ++i) keys.insert("a" + std::to_string(i));
  keys.insert("b");
  keys.insert("c44");
  keys.insert("d");
  keys.insert("e50");
  const std::string block = BlockOf(Build(keys, PlanOf(RangeKinds::kPositions, 30)));
  const TableRanges ranges(block);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_TRUE(ranges.MayContain("a5", "a6"));
  EXPECT_FALSE(ranges.MayContain("a895", "a9"));
  EXPECT_TRUE(ranges.MayContain("a9", "c"));
  EXPECT_TRUE(ranges.MayContain("bb", "d")) << "c44 is in it";
  EXPECT_FALSE(ranges.MayContain("c5", "cz"));
  EXPECT_FALSE(ranges.MayContain("e1", "e4")) << "behind the last key of one part";
  EXPECT_TRUE(ranges.MayContain("cz", "e4")) << "in which this is";
  EXPECT_TRUE(ranges.MayContain("e6", "f")) << "it ends behind the last key";
}

TEST(TableRangesTest, APartThatIsMissingOrDamagedMeansNothing) {
  RandomHashes random(testing::TestSeed());
  Keys keys = Numbers(300, &random);
  for (int i = 0; i < 9; ++i) keys.insert(BigEndian(random.Next()) + "x");
  const std::vector<TableRange> ranges = Build(keys, PlanOf(RangeKinds::kPositions));
  ASSERT_EQ(ranges.size(), 2u);
  const std::string begin = BigEndian(testing::OfBigEndian(*keys.begin()) + 1);
  const std::string end = BigEndian(testing::OfBigEndian(*keys.begin()) + 2);
  EXPECT_FALSE(TableRanges(BlockOf(ranges)).MayContain(begin, end));
  const FilterBlock without = WithoutRanges();
  const std::string head{static_cast<char>(RangeRole::kPart), 2};
  const std::string_view part = ranges[0].filter.bytes();
  const auto may = [&](const std::vector<NoteToAdd>& notes) {
    const FilterBlock block =
        WithNotes(without.bytes(), kTableRangeNote, notes.data(), notes.size());
    return TableRanges(block.bytes()).MayContain(begin, end);
  };
  const std::string_view others = ranges[1].filter.bytes();
  EXPECT_FALSE(may({{head, part}, {head, others}}));
  EXPECT_TRUE(may({{head, part}})) << "one is missing";
  EXPECT_TRUE(may({{head, part}, {head, others}, {head, others}})) << "one too many";
  const std::string of_three{static_cast<char>(RangeRole::kPart), 3};
  EXPECT_TRUE(may({{of_three, part}, {of_three, others}}));
  EXPECT_TRUE(may({{of_three, part}, {head, others}}));
  const std::string of_none{static_cast<char>(RangeRole::kPart), 0};
  EXPECT_TRUE(may({{of_none, part}}));
  const std::string damaged = std::string(others.substr(0, others.size() - 1));
  EXPECT_TRUE(may({{head, part}, {head, damaged}}));
  const std::string unknown{2};
  EXPECT_TRUE(may({{unknown, part}}));
  // A filter of all keys denies regardless of the others, and unreadable ones are ignored.
  const std::string all{static_cast<char>(RangeRole::kAllKeys)};
  EXPECT_FALSE(may({{all, part}, {head, part}}));
  EXPECT_FALSE(may({{unknown, part}, {all, part}}));
  EXPECT_TRUE(may({{all, damaged}}));
  EXPECT_TRUE(may({{all, part}, {all, part}, {all, part}, {all, part}, {all, part}}));
}

// Notes have arbitrary roles, numbers of parts and bytes, with correct checksums. They are copied
// to an allocation of the exact size, so that the address sanitizer detects reads outside.
TEST(TableRangesTest, ForgedNotesAreSafe) {
  RandomHashes random(testing::TestSeed());
  const std::vector<KindOfKeys> kinds = testing::AllKindsOfKeys();
  std::vector<std::string> keys;
  std::vector<TableRange> ranges;
  const FilterBlock without = WithoutRanges();
  size_t denied = 0;
  for (int round = 0; round < 20'000; ++round) {
    if (round % 100 == 0) {
      do {
        const Keys some =
            WithOtherLengths(kinds[random.Below(kinds.size())], 1 + random.Below(300), 20, &random);
        keys.assign(some.begin(), some.end());
        ranges = Build(some, PlanOf(kAllKinds[random.Below(std::size(kAllKinds))],
                                    2 + static_cast<double>(random.Below(20))));
      } while (ranges.empty());
    }
    std::vector<std::string> heads(1 + random.Below(TableRanges::kMost + 1));
    std::vector<std::string> bodies;
    std::vector<NoteToAdd> notes;
    for (std::string& head : heads) {
      head.push_back(static_cast<char>(random.Below(3)));
      if (random.Below(8) != 0) head.push_back(static_cast<char>(random.Below(4)));
      std::string body(ranges[random.Below(ranges.size())].filter.bytes());
      if (random.Below(3) == 0) {
        body[random.Below(body.size())] = static_cast<char>(random.Next());
        testing::SignRangeFilter(&body);
      }
      if (random.Below(20) == 0) body.resize(1 + random.Below(body.size()));
      bodies.push_back(std::move(body));
    }
    for (size_t i = 0; i < heads.size(); ++i) notes.push_back({heads[i], bodies[i]});
    const FilterBlock block =
        WithNotes(without.bytes(), kTableRangeNote, notes.data(), notes.size());
    const std::unique_ptr<char[]> copy(new char[block.size]);
    std::copy(block.bytes().begin(), block.bytes().end(), copy.get());
    const TableRanges views(std::string_view(copy.get(), block.size));
    for (int i = 0; i < 8; ++i) {
      const std::string begin =
          testing::SomeBytesOf(keys[random.Below(keys.size())] + "a", 12, &random);
      const std::string end = i % 2 == 0 ? begin + "\xff" : keys[random.Below(keys.size())];
      denied += views.MayContain(begin, end) ? 0 : 1;
    }
    (void)views.MayContain(keys.front(), keys.back());
    (void)views.fault();
  }
  EXPECT_GT(denied, 1000u);
}

TEST(TableRangesTest, TheKindThatDeniesMoreStays) {
  RandomHashes random(testing::TestSeed());
  const Keys numbers = Numbers(4000, &random);
  const Keys composed = Composed(4000, &random);
  for (const Keys* const keys : {&numbers, &composed}) {
    std::vector<AskedRange> close;
    std::vector<AskedRange> prefixes;
    for (int i = 0; i < 100; ++i) {
      const std::string& key =
          *std::next(keys->begin(), static_cast<std::ptrdiff_t>(random.Below(keys->size())));
      const std::string head = key.substr(0, key.size() - 8);
      const uint64_t number = testing::OfBigEndian(std::string_view(key).substr(head.size()));
      close.push_back({head + BigEndian(number + 1), head + BigEndian(number + 9)});
      const std::string prefix = BigEndian(random.Next()).substr(0, 5);
      prefixes.push_back({prefix, prefix + "\xff"});
    }
    for (const bool is_close : {true, false}) {
      TableRangeBuilder builder(PlanOf(RangeKinds::kBest, 15, is_close ? close : prefixes));
      for (const std::string& key : *keys) builder.Add(key);
      const std::vector<TableRange> ranges = builder.Finish();
      ASSERT_EQ(ranges.size(), 1u);
      EXPECT_EQ(RangeFilterView(ranges[0].filter.bytes()).info().kind,
                is_close ? RangeFilterKind::kRetrieval : RangeFilterKind::kTrees)
          << keys->begin()->size() << " bytes";
      EXPECT_TRUE(builder.denied().is_measured);
      const auto [more, less] =
          is_close ? std::make_pair(builder.denied().by_positions, builder.denied().by_trees)
                   : std::make_pair(builder.denied().by_trees, builder.denied().by_positions);
      EXPECT_GT(more, 80u);
      EXPECT_LT(less, 60u);
    }
    // The kind without sampled scans depends on the keys.
    const std::vector<TableRange> ranges = Build(*keys, PlanOf(RangeKinds::kBest));
    EXPECT_EQ(RangeFilterView(ranges[0].filter.bytes()).info().kind,
              keys == &numbers ? RangeFilterKind::kRetrieval : RangeFilterKind::kTrees);
  }
}

// Winnow 1.2 wrote such filters for range_kind=both.
TEST(TableRangesTest, BothKindsOfAllKeysAreAsked) {
  RandomHashes random(testing::TestSeed());
  const Keys keys = Composed(4000, &random);
  std::vector<TableRange> both = Build(keys, PlanOf(RangeKinds::kPositions, 18));
  both.push_back(std::move(Build(keys, PlanOf(RangeKinds::kTrees, 12)).front()));
  const std::string block = BlockOf(both);
  const TableRanges ranges(block);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(testing::RangeFilterOfTable(block), ranges.bytes(0)) << "for a reader of one filter";
  const std::string& key = *std::next(keys.begin(), 2000);
  const std::string head = key.substr(0, 16);
  const uint64_t number = testing::OfBigEndian(std::string_view(key).substr(16));
  EXPECT_FALSE(ranges.MayContain(head + BigEndian(number + 1), head + BigEndian(number + 2)));
  int passed = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string prefix = BigEndian(random.Next()).substr(0, 6);
    passed += ranges.MayContain(prefix, prefix + "\xff") ? 1 : 0;
  }
  EXPECT_LT(passed, 200);
}

RangeFilterKind KindByKeys(const std::function<std::string()>& next, size_t n) {
  Keys keys;
  while (keys.size() < n) keys.insert(next());
  return RangeFilterView(Build(keys, PlanOf(RangeKinds::kByKeys)).front().filter.bytes())
      .info()
      .kind;
}

TEST(TableRangesTest, KeysOfSeveralFieldsAreTreesByDefault) {
  RandomHashes random(testing::TestSeed());
  const auto last = [](uint64_t number, size_t bytes) {
    return BigEndian(number).substr(8 - bytes);
  };
  const auto apart = [&] {
    return last(random.Below(3), 2) + last(2 * random.Below(50'000), 4) +
           BigEndian(~random.Below(86'400'000));
  };
  EXPECT_EQ(KindByKeys(apart, 5000), RangeFilterKind::kTrees);
  const auto adjacent = [&] { return last(random.Below(100'000), 3) + last(random.Next(), 4); };
  EXPECT_NE(KindByKeys(adjacent, 5000), RangeFilterKind::kTrees) << "as a number";
  const auto third = [&] { return last(random.Below(5), 1) + adjacent(); };
  EXPECT_EQ(KindByKeys(third, 5000), RangeFilterKind::kTrees);
  // A carry leaves few values in the middle of a number.
  const auto carry = [&] {
    return BigEndian((uint64_t{1} << 40) - 1'000'000'000 + random.Below(2'000'000'000));
  };
  EXPECT_NE(KindByKeys(carry, 5000), RangeFilterKind::kTrees);
  const auto text = [&] { return "user" + std::to_string(10'000'000 + random.Below(20'000'000)); };
  EXPECT_NE(KindByKeys(text, 5000), RangeFilterKind::kTrees);
  // Positions of dense keys are exact.
  const auto dense = [&] { return last(random.Below(3), 4) + BigEndian(random.Below(1000)); };
  EXPECT_NE(KindByKeys(dense, 2500), RangeFilterKind::kTrees);
  EXPECT_NE(KindByKeys(apart, 40), RangeFilterKind::kTrees) << "too few to tell";
}

// A seek does not reach a file whose keys are all behind its range.
TEST(TableRangesTest, RangesBeforeTheFirstKeyAreNotMeasured) {
  RandomHashes random(testing::TestSeed());
  Keys keys;
  while (keys.size() < 1000) keys.insert("m" + BigEndian(random.Next()));
  std::vector<AskedRange> asked;
  for (int i = 0; i < 50; ++i) asked.push_back({"a" + std::to_string(i), "b"});
  asked.push_back({"zz", "zzz"});
  TableRangeBuilder builder(PlanOf(RangeKinds::kBest, 15, asked));
  for (const std::string& key : keys) builder.Add(key);
  EXPECT_EQ(builder.Finish().size(), 1u);
  EXPECT_EQ(builder.denied().by_positions, 0u);
  EXPECT_EQ(builder.denied().by_trees, 0u);
}

TEST(TableRangesTest, ATieGoesByTheKeys) {
  RandomHashes random(testing::TestSeed());
  for (const uint64_t of_other_length : {10u, 40u}) {
    Keys keys;
    while (keys.size() < 1000) {
      const bool is_longer = random.Below(100) < of_other_length;
      keys.insert(BigEndian(random.Next()) + (is_longer ? "x" : ""));
    }
    const std::vector<TableRange> by_keys = Build(keys, PlanOf(RangeKinds::kByKeys));
    const std::vector<TableRange> best = Build(keys, PlanOf(RangeKinds::kBest));
    ASSERT_EQ(by_keys.size(), of_other_length == 10 ? 2u : 1u);
    ASSERT_EQ(best.size(), by_keys.size());
    for (size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(best[i].filter.bytes(), by_keys[i].filter.bytes()) << of_other_length;
    }
  }
}

TEST(TableRangesTest, KeysThatCantBePositionsAreTreesOnce) {
  Keys keys;
  for (int i = 0; i < 100; ++i) keys.insert(std::string(300, 'x') + std::to_string(1000 + i));
  for (const RangeKinds kinds : kAllKinds) {
    TableRangeBuilder builder(PlanOf(kinds, 20, {{"x", "y"}}));
    for (const std::string& key : keys) builder.Add(key);
    const std::vector<TableRange> ranges = builder.Finish();
    ASSERT_EQ(ranges.size(), 1u) << static_cast<int>(kinds);
    EXPECT_EQ(RangeFilterView(ranges[0].filter.bytes()).info().kind, RangeFilterKind::kTrees);
    EXPECT_FALSE(builder.denied().is_measured);
  }
}

TEST(TableRangesTest, KeysThatDoNotAscendGetNone) {
  const auto build = [](RangeKinds kinds, const std::vector<std::string>& keys) {
    TableRangeBuilder builder(PlanOf(kinds));
    for (const std::string& key : keys) builder.Add(key);
    return builder.Finish().size();
  };
  for (const RangeKinds kinds : kAllKinds) {
    EXPECT_EQ(build(kinds, {"a2", "a1"}), 0u);
    EXPECT_EQ(build(kinds, {"a1", "a2", "a15"}), 0u) << "of another length, by itself in order";
    EXPECT_EQ(build(kinds, {"a1", "a15", "a2", "a18"}), 0u);
    EXPECT_EQ(build(kinds, {"a2", "a25", "a1"}), 0u);
    std::vector<std::string> many;
    for (int i = 100; i < 999; ++i) many.push_back("a" + std::to_string(i));
    EXPECT_NE(build(kinds, many), 0u);
    std::vector<std::string> late = many;
    late.push_back("a5000");  // sorted among keys of its length
    EXPECT_EQ(build(kinds, late), 0u);
    late = many;
    late.insert(late.begin() + 100, "b");
    EXPECT_EQ(build(kinds, late), 0u);
    EXPECT_EQ(build(kinds, {"a1", std::string(5000, 'b')}), 0u) << "too long";
  }
}

TEST(TableRangesTest, APartThatCantBeLeavesNone) {
  RandomHashes random(testing::TestSeed());
  Keys keys = Numbers(3000, &random);
  for (int i = 0; i < 1300; ++i) {
    keys.insert(std::string(4000, '\x7f') + std::to_string(1000 + i) + (i % 2 == 0 ? "x" : ""));
  }
  EXPECT_TRUE(Build(keys, PlanOf(RangeKinds::kPositions, 4)).empty()) << "separators take too much";
}

TEST(TableRangesTest, NoKeysAreKeptOnceThereCanBeNone) {
  RandomHashes random(testing::TestSeed());
  for (const RangeKinds kinds : {RangeKinds::kByKeys, RangeKinds::kPositions, RangeKinds::kTrees}) {
    TableRangeBuilder builder(PlanOf(kinds));
    for (const std::string& key : Numbers(100, &random)) builder.Add(key);
    EXPECT_EQ(builder.num_keys(), 100u);
    builder.Add(std::string(8, '\0'));
    EXPECT_EQ(builder.num_keys(), 0u);
    EXPECT_TRUE(builder.Finish().empty());
  }
}

TEST(TableRangesTest, ABuilderBeginsAnew) {
  RandomHashes random(testing::TestSeed());
  const Keys numbers = Numbers(100, &random);
  for (const RangeKinds kinds : kAllKinds) {
    const std::string expected = BlockOf(Build(numbers, PlanOf(kinds)));
    TableRangeBuilder builder(PlanOf(kinds));
    EXPECT_TRUE(builder.Finish().empty());
    for (const std::string key : {"b", "ab"}) builder.Add(key);
    EXPECT_EQ(builder.num_keys(), 0u);
    EXPECT_EQ(builder.EstimateSize(10), 0u);
    EXPECT_TRUE(builder.Finish().empty());
    for (const std::string key : {"a", "ab", "abc"}) builder.Add(key);
    EXPECT_EQ(builder.num_keys(), 3u);
    EXPECT_FALSE(builder.Finish().empty());
    EXPECT_EQ(builder.num_keys(), 0u);
    for (const std::string& key : numbers) builder.Add(key);
    EXPECT_EQ(builder.num_keys(), numbers.size());
    EXPECT_GE(builder.EstimateSize(numbers.size()), 100 * 15 / 8u);
    EXPECT_EQ(BlockOf(builder.Finish()), expected);
    builder.Abandon();
    builder.Add("a");
    EXPECT_TRUE(builder.Finish().empty());
  }
}

// Versions of a key are adjacent.
TEST(TableRangesTest, AKeyCountsOnce) {
  for (const RangeKinds kinds : kAllKinds) {
    TableRangeBuilder builder(PlanOf(kinds));
    for (const char* const key : {"a1", "a1", "a1", "a2", "a25", "a25", "a3", "a3"}) {
      builder.Add(key);
    }
    EXPECT_EQ(builder.num_keys(), 4u);
    const std::string block = BlockOf(builder.Finish());
    const TableRanges ranges(block);
    for (const std::string key : {"a1", "a2", "a25", "a3"}) {
      EXPECT_TRUE(ranges.MayContain(key, key + '\0'));
    }
  }
}

}  // namespace table_ranges_test
}  // namespace winnow::core
