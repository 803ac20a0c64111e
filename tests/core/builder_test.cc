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

using testing::Build;
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

TEST(BuilderTest, FinishAndClearLeaveAnEmptyBuilderThatKeepsItsOptions) {
  RandomHashes random(1);
  FilterBuilder builder(OptionsOf(FilterKind::kRibbon, 16));
  EXPECT_EQ(builder.num_hashes(), 0u);
  for (const size_t n : {1000u, 0u, 1u, 5000u, 0u}) {
    const std::vector<KeyHash> hashes = random.Take(n);
    builder.Add({random.Next()});
    builder.Clear();
    builder.Add(hashes.data(), n);
    EXPECT_EQ(builder.num_hashes(), n);
    const FilterBlock block = builder.Finish();
    EXPECT_EQ(builder.num_hashes(), 0u);
    EXPECT_EQ(FilterView(block.bytes()).info().num_hashes, n);
    EXPECT_EQ(block.bytes(), Build(OptionsOf(FilterKind::kRibbon, 16), hashes).bytes());
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
  // The last hash of the previous filter is not adjacent, nor is one that Clear forgot.
  for (int round = 0; round < 2; ++round) {
    builder.Add(KeyHash{0});
    EXPECT_EQ(builder.num_hashes(), 1u);
    builder.Clear();
    EXPECT_EQ(builder.num_hashes(), 0u);
  }
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
  ExpectContainsAll(assigned.Finish(), {hashes.begin(), hashes.begin() + 77});
  ExpectContainsAll(other.Finish(), {hashes.begin(), hashes.begin() + 1000});
}

TEST(BuilderTest, AddsAKeyByItsHash) {
  FilterBuilder by_key(OptionsOf(FilterKind::kRibbon, 10));
  by_key.Add("");
  by_key.Add("a literal");
  by_key.Add(std::string_view("quince"));
  // Braces hold hashes, or the bytes of a key.
  by_key.Add({"keys", 3});
  by_key.Add({0});
  const uint64_t one = 1;
  by_key.Add({one});
  by_key.Add({2, 3});
  FilterBuilder by_hash(OptionsOf(FilterKind::kRibbon, 10));
  for (const std::string_view key : {"", "a literal", "quince", "key"}) by_hash.Add(HashKey(key));
  for (uint64_t value = 0; value < 4; ++value) by_hash.Add(KeyHash{value});
  EXPECT_EQ(by_key.num_hashes(), 8u);
  EXPECT_EQ(by_key.Finish().bytes(), by_hash.Finish().bytes());
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

// Mistakes of the program fail an assertion in debug builds of the library; in other builds, the
// nearest valid value is used.
TEST(BuilderTest, TakesNoNumberAndKindEmptyForMistakes) {
  FilterOptions good;
  good.level_plan = LevelPlan::kAuto;
  std::vector<FilterOptions> mistakes(5, good);
  mistakes[0].bits_per_key = std::nan("");
  mistakes[1].kind = FilterKind::kEmpty;
  mistakes[2].levels_below = std::nan("");
  mistakes[3].level_size_ratio = std::nan("");
  mistakes[4].absent_share = std::nan("");
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
    EXPECT_EQ(Build(OptionsOf(FilterKind::kRibbon, bits), hashes).bytes(),
              Build(OptionsOf(FilterKind::kRibbon, bits < 1 ? 1 : 32), hashes).bytes());
  }
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
          SCOPED_TRACE(adversary.name);
          const FilterBlock block = Build(OptionsOf(kind, bits), hashes);
          ExpectContainsAll(block, hashes);
          EXPECT_LE(block.size, n * 7 + 400) << adversary.name << ", " << n << ", " << bits;
        }
      }
    }
  }
}

TEST(BuilderTest, ThreadsBuildSideBySide) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      RandomHashes random(t);
      for (const size_t n : {100000u, 1000u, 50000u}) {
        const std::vector<KeyHash> hashes = random.Take(n);
        ExpectContainsAll(Build(OptionsOf(FilterKind::kRibbon, 10), hashes), hashes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace builder_test
}  // namespace winnow
