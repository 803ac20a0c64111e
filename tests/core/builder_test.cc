#include "winnow/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter.h"

namespace winnow {
namespace builder_test {

using testing::kKinds;
using testing::OptionsOf;
using testing::RandomHashes;
using testing::TestSeed;

void ExpectContainsAll(const FilterBlock& block, const std::vector<KeyHash>& hashes) {
  const FilterView view(block.bytes());
  ASSERT_EQ(view.fault(), Fault::kNone);
  for (const KeyHash hash : hashes) ASSERT_TRUE(view.MayContain(hash)) << hash.value;
}

TEST(BuilderTest, BytesDependOnTheHashesButNotOnTheirOrder) {
  RandomHashes random(TestSeed());
  std::mt19937_64 shuffle(1);
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {2u, 40u, 200u, 5000u, 50000u, 700000u}) {
      std::vector<KeyHash> hashes = random.Take(n);
      FilterBuilder builder(OptionsOf(kind, 10));
      builder.Add(hashes.data(), n);
      const FilterBlock first = builder.Finish();
      std::shuffle(hashes.begin(), hashes.end(), shuffle);
      for (const KeyHash hash : hashes) builder.Add(hash);
      const FilterBlock second = builder.Finish();
      ASSERT_EQ(first.bytes(), second.bytes()) << n;
      hashes[n / 2].value = random.Next();
      builder.Add(hashes.data(), n);
      ASSERT_NE(first.bytes(), builder.Finish().bytes()) << n;
    }
  }
}

TEST(BuilderTest, FinishLeavesAnEmptyBuilderThatKeepsItsOptions) {
  RandomHashes random(1);
  FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 16));
  EXPECT_EQ(builder.num_hashes(), 0u);
  for (const size_t n : {1000u, 0u, 1u, 5000u, 0u}) {
    const std::vector<KeyHash> hashes = random.Take(n);
    builder.Add(hashes.data(), n);
    EXPECT_EQ(builder.num_hashes(), n);
    const FilterBlock block = builder.Finish();
    EXPECT_EQ(builder.num_hashes(), 0u);
    EXPECT_EQ(FilterView(block.bytes()).info().num_hashes, n);
    ExpectContainsAll(block, hashes);
  }
}

TEST(BuilderTest, ARepeatIsDroppedOnlyRightBehindItsLike) {
  FilterBuilder builder((FilterOptions()));
  builder.Add(KeyHash{0});
  builder.Add(KeyHash{0});
  builder.Add(KeyHash{7});
  builder.Add(KeyHash{7});
  builder.Add(KeyHash{0});
  EXPECT_EQ(builder.num_hashes(), 3u);
  builder.Finish();
  // The last hash of the previous filter is not adjacent.
  builder.Add(KeyHash{0});
  EXPECT_EQ(builder.num_hashes(), 1u);
}

TEST(BuilderTest, MovesKeepWhatWasAdded) {
  RandomHashes random(2);
  const std::vector<KeyHash> hashes = random.Take(2000);
  FilterBuilder builder((FilterOptions()));
  builder.Add(hashes.data(), 1000);
  FilterBuilder moved(std::move(builder));
  moved.Add(hashes.data() + 1000, 1000);
  FilterBuilder assigned((FilterOptions()));
  assigned = std::move(moved);
  EXPECT_EQ(assigned.num_hashes(), 2000u);
  ExpectContainsAll(assigned.Finish(), hashes);
}

TEST(BuilderTest, WhatWasMovedFromIsEmptyAndKeepsItsOptions) {
  RandomHashes random(3);
  const std::vector<KeyHash> hashes = random.Take(2000);
  FilterOptions options = OptionsOf(FilterKind::kBloom, 17);
  options.level = 5;
  FilterBuilder builder(options);
  builder.Add(hashes.data(), 1000);
  FilterBuilder other(std::move(builder));
  FilterBuilder assigned(OptionsOf(FilterKind::kRibbon, 3));
  assigned.Add(hashes.data(), 10);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(builder.num_hashes(), 0u);
    // The last hash before the move is not adjacent.
    builder.Add(hashes[999]);
    EXPECT_EQ(builder.num_hashes(), 1u);
    builder.Add(hashes.data() + 1000, 1000);
    const FilterBlock block = builder.Finish();
    const FilterInfo info = FilterView(block.bytes()).info();
    EXPECT_EQ(info.num_hashes, 1001u);
    EXPECT_EQ(info.kind, FilterKind::kBloom);
    EXPECT_EQ(info.level, 5);
    builder.Add(hashes.data(), 77);
    assigned = std::move(builder);
    EXPECT_EQ(assigned.num_hashes(), 77u);
  }
  FilterBuilder& same = assigned;
  assigned = std::move(same);
  EXPECT_EQ(assigned.num_hashes(), 77u);
  ExpectContainsAll(other.Finish(), {hashes.begin(), hashes.begin() + 1000});
}

TEST(BuilderTest, ClearForgetsHashesAndKeepsOptions) {
  RandomHashes random(4);
  const std::vector<KeyHash> hashes = random.Take(30000);
  FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 12));
  FilterBuilder fresh(OptionsOf(FilterKind::kRibbon, 12));
  builder.Add(hashes.data(), hashes.size());
  builder.Clear();
  EXPECT_EQ(builder.num_hashes(), 0u);
  for (FilterBuilder* each : {&builder, &fresh}) each->Add(hashes.data() + 29999, 1);
  for (FilterBuilder* each : {&builder, &fresh}) each->Add(hashes.data(), 500);
  EXPECT_EQ(builder.num_hashes(), 501u);
  EXPECT_EQ(builder.Finish().bytes(), fresh.Finish().bytes());
}

TEST(BuilderTest, AddsAKeyByItsHash) {
  FilterBuilder by_key((FilterOptions()));
  FilterBuilder by_hash((FilterOptions()));
  for (const std::string_view key : {"", "a", "quince", "quince", "a"}) {
    by_key.Add(key);
    by_hash.Add(HashKey(key));
  }
  by_key.Add("a literal");
  by_hash.Add(HashKey("a literal"));
  EXPECT_EQ(by_key.num_hashes(), 5u);
  EXPECT_EQ(by_key.Finish().bytes(), by_hash.Finish().bytes());
}

TEST(BuilderTest, BracesHoldHashesOrTheBytesOfAKey) {
  FilterBuilder by_value(OptionsOf(FilterKind::kRibbon, 10));
  by_value.Add({0});
  const uint64_t one = 1;
  by_value.Add({one});
  by_value.Add({2, 3});
  by_value.Add({"keys", 3});
  FilterBuilder by_type(OptionsOf(FilterKind::kRibbon, 10));
  for (uint64_t value = 0; value < 4; ++value) by_type.Add(KeyHash{value});
  by_type.Add(std::string_view("key"));
  EXPECT_EQ(by_value.num_hashes(), 5u);
  EXPECT_EQ(by_value.Finish().bytes(), by_type.Finish().bytes());
}

TEST(BuilderTest, FinishesInTheCallersBuffer) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {0u, 1u, 40u, 300u, 5000u, 100000u}) {
      FilterBuilder builder(OptionsOf(kind, 10));
      const std::vector<KeyHash> hashes = random.Take(n);
      builder.Add(hashes.data(), n);
      const FilterBlock expected = builder.Finish();
      // Buffers for less than the filter, for all but one byte, for the filter, and for building it
      // in place.
      for (const size_t room : {size_t{0}, size_t{7}, expected.size / 2, expected.size - 1,
                                expected.size, expected.size + 63, expected.size * 2 + 1000}) {
        for (const size_t odd : {0u, 1u, 40u}) {
          constexpr char kUntouched = 0x5a;
          std::vector<char> memory(odd + room + 64, kUntouched);
          builder.Add(hashes.data(), n);
          const PlacedBlock placed = builder.Finish(memory.data() + odd, room);
          ASSERT_EQ(placed.bytes, expected.bytes()) << n << " keys, " << room << " bytes";
          if (room >= expected.size) {
            EXPECT_EQ(placed.bytes.data(), memory.data() + odd);
            EXPECT_EQ(placed.overflow, nullptr);
          } else {
            EXPECT_EQ(placed.bytes.data(), placed.overflow.get());
          }
          for (size_t i = 0; i < odd; ++i) ASSERT_EQ(memory[i], kUntouched);
          for (size_t i = odd + room; i < memory.size(); ++i) ASSERT_EQ(memory[i], kUntouched);
          EXPECT_EQ(builder.num_hashes(), 0u);
        }
      }
    }
  }
}

TEST(BuilderTest, EqualHashesThatAreApartCountAndAreFound) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {30u, 400u, 20000u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      FilterBuilder builder(OptionsOf(kind, 10));
      for (int round = 0; round < 3; ++round) builder.Add(hashes.data(), n);
      EXPECT_EQ(builder.num_hashes(), 3 * n);
      const auto estimate = static_cast<double>(builder.EstimateSize(3 * n));
      const FilterBlock block = builder.Finish();
      ExpectContainsAll(block, hashes);
      const FilterView view(block.bytes());
      EXPECT_EQ(view.info().num_hashes, 3 * n);
      EXPECT_NEAR(static_cast<double>(block.size) / estimate, 1, 0.2) << n;
      int passed = 0;
      for (int i = 0; i < 100000; ++i) passed += view.MayContain({random.Next()});
      EXPECT_LT(passed, 1300) << n;
    }
  }
}

// Mistakes of the program fail an assertion in debug builds of the library; in other builds, the
// nearest valid value is used.
TEST(BuilderTest, TakesNoNumberAndKindEmptyForMistakes) {
  std::vector<FilterOptions> mistakes(6);
  mistakes[0].bits_per_key = std::nan("");
  mistakes[1].kind = FilterKind::kEmpty;
  mistakes[2].levels_below = std::nan("");
  mistakes[3].level_size_ratio = std::nan("");
  mistakes[4].absent_share = std::nan("");
  for (FilterOptions& options : mistakes) options.level_plan = LevelPlan::kAuto;
  const FilterOptions good = mistakes.back();
  mistakes.pop_back();
  RandomHashes random(1);
  const std::vector<KeyHash> hashes = random.Take(1000);
  const auto build = [&](const FilterOptions& options) {
    FilterBuilder builder(good);
    builder.SetOptions(options);
    builder.Add(hashes.data(), hashes.size());
    return builder.Finish();
  };
  for (const FilterOptions& options : mistakes) {
    EXPECT_NE(CheckOptions(options), "");
#ifdef WINNOW_CORE_ASSERTS
    EXPECT_DEATH(build(options), "HasMistakes");
#else
    EXPECT_EQ(build(options).bytes(), build(good).bytes());
#endif
  }
}

TEST(BuilderTest, InvalidOptionsCountAsTheNearestValidOnes) {
  RandomHashes random(3);
  const std::vector<KeyHash> hashes = random.Take(1000);
  for (const double bits : {-5.0, 0.0, 1000.0}) {
    FilterBuilder builder(OptionsOf(FilterKind::kRibbon, bits));
    FilterBuilder nearest(OptionsOf(FilterKind::kRibbon, bits < 1 ? 1 : 32));
    builder.Add(hashes.data(), hashes.size());
    nearest.Add(hashes.data(), hashes.size());
    EXPECT_EQ(builder.Finish().bytes(), nearest.Finish().bytes());
  }
}

TEST(BuilderTest, AThreadSaysWhatItKeepsAndFreesIt) {
  std::thread([] {
    EXPECT_EQ(FilterBuilder::ThreadMemory(), 0u);
    FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 10));
    RandomHashes random(1);
    for (int i = 0; i < 2'000'000; ++i) builder.Add({random.Next()});
    builder.Finish();
    EXPECT_GT(FilterBuilder::ThreadMemory(), size_t{8} << 20);
    EXPECT_LE(FilterBuilder::ThreadMemory(), FilterBuilder::kMostThreadMemory);
    FilterBuilder::FreeThreadMemory();
    EXPECT_EQ(FilterBuilder::ThreadMemory(), 0u);
  }).join();
}

// ---- Adversarial hashes

struct Adversary {
  const char* name;
  uint64_t (*hash)(uint64_t i, RandomHashes& random);
};
constexpr Adversary kAdversaries[] = {
    {"two hashes in turn", [](uint64_t i, RandomHashes&) { return i % 2; }},
    {"few hashes, many times", [](uint64_t i, RandomHashes&) { return (i % 7) << 60 | i % 7; }},
    {"one high half", [](uint64_t i, RandomHashes&) { return 0x123456789abcdef0u ^ i; }},
    {"high half zero", [](uint64_t, RandomHashes& random) { return random.Next() >> 32; }},
    {"low half zero", [](uint64_t, RandomHashes& random) { return random.Next() << 32; }},
    {"low 48 bits zero", [](uint64_t, RandomHashes& random) { return random.Next() << 48; }},
    {"one range", [](uint64_t, RandomHashes& random) { return random.Next() >> 9; }},
    {"sequential", [](uint64_t i, RandomHashes&) { return i; }},
    {"all ones and less", [](uint64_t i, RandomHashes&) { return ~i; }},
    // Multiples of the inverse of the multiplier have coefficients that are equal except for few
    // bits.
    {"equal coefficients", [](uint64_t i, RandomHashes&) { return i * 0xf1de83e19937733du; }},
};

TEST(BuilderTest, AnyHashesMakeAValidFilter) {
  for (const Adversary& adversary : kAdversaries) {
    for (const FilterKind kind : kKinds) {
      for (const uint64_t n : {2u, 49u, 299u, 300u, 1000u, 40000u, 1200000u}) {
        for (const double bits : {2.0, 10.0, 26.0}) {
          if (n == 1200000u && bits != 10) continue;
          RandomHashes random(n);
          std::vector<KeyHash> hashes(n);
          for (uint64_t i = 0; i < n; ++i) hashes[i].value = adversary.hash(i, random);
          FilterBuilder builder(OptionsOf(kind, bits));
          builder.Add(hashes.data(), n);
          SCOPED_TRACE(adversary.name);
          const FilterBlock block = builder.Finish();
          ExpectContainsAll(block, hashes);
          EXPECT_LE(block.size, n * 7 + 400) << adversary.name << ", " << n << ", " << bits;
        }
      }
    }
  }
}

// All hashes have one high half: the first layers bump a whole bin of them, and a later layer mixes
// their low halves.
TEST(BuilderTest, EqualHighHalvesStillMakeASelectiveFilter) {
  std::vector<KeyHash> hashes(20000);
  for (uint64_t i = 0; i < hashes.size(); ++i) hashes[i].value = uint64_t{77} << 32 | i;
  FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 10));
  builder.Add(hashes.data(), hashes.size());
  const FilterBlock block = builder.Finish();
  const FilterView view(block.bytes());
  RandomHashes random(5);
  int passed = 0;
  for (int i = 0; i < 100000; ++i) passed += view.MayContain({random.Next()});
  EXPECT_LT(passed, 2000);
}

TEST(BuilderTest, ManySmallFilters) {
  RandomHashes random(TestSeed());
  for (int round = 0; round < 20000; ++round) {
    const std::vector<KeyHash> hashes = random.Take(random.Below(400));
    FilterBuilder builder(
        OptionsOf(FilterKind::kRibbon, 1 + static_cast<double>(random.Below(31))));
    builder.Add(hashes.data(), hashes.size());
    ExpectContainsAll(builder.Finish(), hashes);
  }
}

TEST(BuilderTest, ThreadsBuildSideBySide) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      RandomHashes random(t);
      for (const size_t n : {100000u, 1000u, 50000u}) {
        const std::vector<KeyHash> hashes = random.Take(n);
        FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 10));
        builder.Add(hashes.data(), n);
        ExpectContainsAll(builder.Finish(), hashes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace builder_test
}  // namespace winnow
