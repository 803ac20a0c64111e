// What a filter promises: no false negative, the rate that it states, and no harm from any bytes.

#include "winnow/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "src/core/format.h"
#include "tests/random_hashes.h"
#include "winnow/builder.h"

namespace winnow {
namespace {

using testing::RandomHashes;
using testing::TestSeed;

constexpr FilterKind kKinds[] = {FilterKind::kBloom, FilterKind::kRibbon};

FilterOptions OptionsOf(FilterKind kind, double bits_per_key) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  return options;
}

FilterBlock Build(const FilterOptions& options, const std::vector<KeyHash>& hashes) {
  FilterBuilder builder(options);
  builder.Add(hashes.data(), hashes.size());
  return builder.Finish();
}

// The number of hashes that the filter denies.
size_t FalseNegatives(const FilterView& view, const std::vector<KeyHash>& hashes) {
  return static_cast<size_t>(std::count_if(hashes.begin(), hashes.end(),
                                           [&](KeyHash hash) { return !view.MayContain(hash); }));
}

TEST(FilterTest, NoFalseNegativeAtAnySizeAndAccuracy) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 2u, 3u, 10u, 63u, 64u, 65u, 299u, 301u, 1000u, 100000u}) {
      for (double bits = 1; bits <= 32; bits += n < 100000 ? 0.3 : 2.7) {
        const std::vector<KeyHash> hashes = random.Take(n);
        const FilterBlock block = Build(OptionsOf(kind, bits), hashes);
        const FilterView view(block.bytes());
        ASSERT_EQ(view.fault(), Fault::kNone);
        ASSERT_EQ(view.info().kind, kind);
        ASSERT_EQ(view.info().num_hashes, n);
        ASSERT_EQ(FalseNegatives(view, hashes), 0u) << n << " keys, " << bits << " bits";
        ASSERT_TRUE(view.PayloadIntact());
      }
    }
  }
}

TEST(FilterTest, NoFalseNegativeInALargeFilter) {
  RandomHashes random(TestSeed());
  const std::vector<KeyHash> hashes = random.Take(3'000'000);
  for (const FilterKind kind : kKinds) {
    for (double bits = 1; bits <= 32; bits += 2.3) {
      const FilterBlock block = Build(OptionsOf(kind, bits), hashes);
      EXPECT_EQ(FalseNegatives(FilterView(block.bytes()), hashes), 0u) << bits << " bits";
    }
  }
}

TEST(FilterTest, NoKeysContainNothing) {
  for (const FilterKind kind : kKinds) {
    for (double bits = 1; bits <= 32; bits += 0.3) {
      const FilterBlock block = Build(OptionsOf(kind, bits), {});
      const FilterView view(block.bytes());
      EXPECT_EQ(view.fault(), Fault::kNone);
      EXPECT_EQ(view.info().kind, FilterKind::kEmpty);
      EXPECT_EQ(view.info().expected_fpr, 0);
      EXPECT_GT(block.size, 0u);
      RandomHashes random(1);
      for (int i = 0; i < 1000; ++i) EXPECT_FALSE(view.MayContain({random.Next()}));
    }
  }
}

TEST(FilterTest, AViewOfNothingContainsEverything) {
  EXPECT_TRUE(FilterView().MayContain({1}));
  EXPECT_TRUE(FilterView(std::string_view()).MayContain({1}));
  EXPECT_NE(FilterView(std::string_view()).fault(), Fault::kNone);
}

TEST(FilterTest, BatchesGiveTheAnswersOfSingleLookups) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    // The largest is asked for ahead.
    for (const size_t n : {0u, 5u, 5000u, 2500000u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 6), hashes);
      const FilterView view(block.bytes());
      std::vector<KeyHash> queries = random.Take(500);
      queries.insert(queries.end(), hashes.begin(),
                     hashes.begin() + static_cast<ptrdiff_t>(std::min<size_t>(n, 100000)));
      for (const size_t count : {size_t{0}, size_t{1}, size_t{31}, queries.size()}) {
        std::vector<char> results(queries.size() + 1, 'x');
        auto* out = reinterpret_cast<bool*>(results.data());
        view.MayContain(queries.data(), count, out);
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], view.MayContain(queries[i]));
        ASSERT_EQ(results[count], 'x');
      }
    }
  }
}

// ---- Rates

struct Measured {
  double rate;
  double expected;
  double expected_hits;
};

// Asks `filters` filters of n random hashes for as many absent ones as let 7,200 pass at the rate
// that was asked for: 5 % are then four standard deviations.
Measured MeasureRate(FilterKind kind, double bits, size_t n, int filters, RandomHashes& random) {
  double expected = 0;
  double hits = 0;
  double lookups = 0;
  for (int i = 0; i < filters; ++i) {
    const FilterBlock block = Build(OptionsOf(kind, bits), random.Take(n));
    const FilterView view(block.bytes());
    expected += view.info().expected_fpr;
    const auto queries = static_cast<uint64_t>(7200 / view.info().target_fpr / filters) + 1;
    for (uint64_t q = 0; q < queries; ++q) hits += view.MayContain({random.Next()});
    lookups += static_cast<double>(queries);
  }
  return {hits / lookups, expected / filters, lookups * expected / filters};
}

TEST(FilterTest, RateIsTheExpectedOne) {
  RandomHashes random(3);
  struct Size {
    size_t n;
    int filters;
  };
  for (const FilterKind kind : kKinds) {
    for (const Size size : {Size{1000, 200}, Size{10000, 20}, Size{100000, 2}}) {
      for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0}) {
        const Measured measured = MeasureRate(kind, bits, size.n, size.filters, random);
        EXPECT_GE(measured.expected_hits, 3600);
        EXPECT_NEAR(measured.rate / measured.expected, 1, 0.05)
            << ToString(kind) << ", " << size.n << " keys, " << bits << " bits: measured "
            << measured.rate << ", expected " << measured.expected;
      }
    }
  }
}

TEST(FilterTest, RateOfManyKeysIsTheOneAskedFor) {
  RandomHashes random(4);
  for (const FilterKind kind : kKinds) {
    for (const double bits : {1.0, 2.5, 5.0, 8.0, 10.0, 13.3, 16.0, 20.0}) {
      const FilterBlock block = Build(OptionsOf(kind, bits), random.Take(100000));
      const FilterInfo info = FilterView(block.bytes()).info();
      // A Ribbon has no rate above a half.
      const double target =
          kind == FilterKind::kRibbon ? std::min(0.5, info.target_fpr) : info.target_fpr;
      EXPECT_NEAR(info.expected_fpr / target, 1, 0.02) << ToString(kind) << ", " << bits;
    }
  }
}

TEST(FilterTest, RateOfFewKeysIsAtMostTheOneAskedFor) {
  RandomHashes random(5);
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 2u, 3u, 10u, 30u, 49u, 50u, 51u, 70u, 100u}) {
      for (const double bits : {3.0, 10.0, 13.3}) {
        const Measured measured = MeasureRate(kind, bits, n, 300, random);
        const double target =
            FilterView(Build(OptionsOf(kind, bits), random.Take(n)).bytes()).info().target_fpr;
        EXPECT_LE(measured.rate, target * 1.05) << ToString(kind) << ", " << n << " keys, " << bits;
      }
    }
  }
}

// ---- Keys that are not random

using MakeKey = std::function<std::string(uint64_t)>;

std::string Digits(uint64_t i) {
  std::string digits = std::to_string(i);
  return std::string(20 - digits.size(), '0') + digits;
}

// Filters of many keys in a row, asked for keys that follow them. All keys are different.
void ExpectGoodForKeys(const char* name, const MakeKey& key_of, FilterKind kind, double bits,
                       uint64_t keys, uint64_t filters) {
  double expected = 0;
  double hits = 0;
  double lookups = 0;
  for (uint64_t filter = 0; filter < filters; ++filter) {
    FilterBuilder builder(OptionsOf(kind, bits));
    const uint64_t first = filter * 1'000'000;
    for (uint64_t i = 0; i < keys; ++i) builder.Add(HashKey(key_of(first + i)));
    const FilterBlock block = builder.Finish();
    const FilterView view(block.bytes());
    for (uint64_t i = 0; i < keys; ++i) {
      ASSERT_TRUE(view.MayContain(HashKey(key_of(first + i)))) << name;
    }
    const double rate = view.info().expected_fpr;
    expected += rate / static_cast<double>(filters);
    const auto queries = static_cast<uint64_t>(7200 / rate / static_cast<double>(filters));
    ASSERT_LE(keys + queries, 1'000'000u);
    for (uint64_t i = keys; i < keys + queries; ++i) {
      hits += view.MayContain(HashKey(key_of(first + i)));
      ++lookups;
    }
  }
  EXPECT_GE(lookups * expected, 3600) << name;
  EXPECT_NEAR(hits / lookups / expected, 1, 0.05)
      << name << ", " << ToString(kind) << ", " << keys << " keys, " << bits << " bits";
}

void ExpectGoodForKeys(const char* name, const MakeKey& key_of) {
  for (const FilterKind kind : kKinds) {
    for (const double bits : {5.0, 10.0, 14.5}) {
      ExpectGoodForKeys(name, key_of, kind, bits, 10000, 20);
      ExpectGoodForKeys(name, key_of, kind, bits, 1000, 200);
    }
  }
}

TEST(FilterTest, SequentialKeys) {
  ExpectGoodForKeys("sequential integers", [](uint64_t i) {
    return std::string(reinterpret_cast<const char*>(&i), sizeof i);
  });
}

TEST(FilterTest, KeysThatShareLongPrefixes) {
  const std::string prefix(200, 'p');
  ExpectGoodForKeys("long prefix", [=](uint64_t i) { return prefix + Digits(i); });
}

TEST(FilterTest, KeysWithOneByteChanged) {
  ExpectGoodForKeys("one byte changed", [](uint64_t i) {
    // A key of its own for each 10,000, then one of its last 40 bytes changed to one of 250
    // values.
    std::string key = Digits(i / 10000) + Digits(7) + Digits(7);
    const uint64_t change = i % 10000;
    char& changed = key[20 + change / 250];
    changed = static_cast<char>(static_cast<unsigned char>(changed) ^ (1 + change % 250));
    return key;
  });
}

TEST(FilterTest, DuplicateKeysCountOnceWhenAdjacentAndAreHarmlessWhenNot) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 3u, 10u, 1000u, 50000u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      FilterBuilder builder(OptionsOf(kind, 10));
      for (const KeyHash hash : hashes) {
        for (int copy = 0; copy < 5; ++copy) builder.Add(hash);
      }
      EXPECT_EQ(builder.num_hashes(), n);
      const FilterBlock adjacent = builder.Finish();
      EXPECT_EQ(adjacent.bytes(), Build(OptionsOf(kind, 10), hashes).bytes());

      for (int copy = 0; copy < 5; ++copy) builder.Add(hashes.data(), n);
      EXPECT_EQ(builder.num_hashes(), n == 1 ? 1 : 5 * n);
      const FilterBlock apart = builder.Finish();
      const FilterView view(apart.bytes());
      EXPECT_EQ(FalseNegatives(view, hashes), 0u);
      uint64_t hits = 0;
      for (int i = 0; i < 100000; ++i) hits += view.MayContain({random.Next()});
      EXPECT_LE(static_cast<double>(hits) / 100000, view.info().expected_fpr * 1.1 + 0.001);
    }
  }
}

// A Ribbon's rate does not depend on how often a key was added; a Bloom filter's is that of its
// distinct keys, and the expected one, which counts each copy, an upper bound.
TEST(FilterTest, RateOfDuplicateKeysApart) {
  for (const FilterKind kind : kKinds) {
    RandomHashes random(6);
    double hits = 0;
    double expected = 0;
    constexpr int kFilters = 20;
    constexpr int kQueries = 100'000;
    for (int filter = 0; filter < kFilters; ++filter) {
      const std::vector<KeyHash> hashes = random.Take(10000);
      FilterBuilder builder(OptionsOf(kind, 10));
      for (int copy = 0; copy < 3; ++copy) builder.Add(hashes.data(), hashes.size());
      const FilterBlock block = builder.Finish();
      const FilterView view(block.bytes());
      expected += view.info().expected_fpr / kFilters;
      for (int i = 0; i < kQueries; ++i) hits += view.MayContain({random.Next()});
    }
    const double rate = hits / (double{kFilters} * kQueries);
    if (kind == FilterKind::kRibbon) {
      EXPECT_NEAR(rate / expected, 1, 0.05);
    } else {
      EXPECT_LT(rate, expected / 10);
    }
  }
}

// What the whole is worth: the bits a key, all bytes counted, over the least that any filter of the
// measured rate can have, log2(1/rate).
TEST(FilterTest, SpaceIsNearTheBound) {
  struct Limit {
    size_t n;
    double over_bound;
  };
  for (const Limit limit : {Limit{10'000, 0.038}, Limit{100'000, 0.021}, Limit{1'000'000, 0.020},
                            Limit{10'000'000, 0.020}}) {
    RandomHashes random(limit.n);
    const int filters = limit.n < 100'000 ? 20 : limit.n < 1'000'000 ? 5 : 1;
    double bits = 0;
    double passed = 0;
    const uint64_t queries = 40'000'000 / static_cast<uint64_t>(filters);
    for (int filter = 0; filter < filters; ++filter) {
      const FilterBlock block = Build(OptionsOf(FilterKind::kRibbon, 10), random.Take(limit.n));
      const FilterView view(block.bytes());
      bits += view.info().bits_per_key / filters;
      for (uint64_t i = 0; i < queries; ++i) passed += view.MayContain({random.Next()});
    }
    const double rate = passed / (static_cast<double>(queries) * filters);
    const double bound = -std::log2(rate);
    std::cout << limit.n << " keys: " << bits << " bits a key, rate " << rate << ", "
              << 100 * (bits / bound - 1) << " % over the bound\n";
    EXPECT_LE(bits / bound - 1, limit.over_bound) << limit.n;
    EXPECT_NEAR(rate, 0.00962, 0.0001);
  }
  const FilterBlock bloom = Build(OptionsOf(FilterKind::kBloom, 10), RandomHashes(1).Take(100'000));
  EXPECT_NEAR(FilterView(bloom.bytes()).info().bits_per_key, 10, 0.01);
}

TEST(FilterTest, AgreesWithASetUnderRandomOperations) {
  RandomHashes random(TestSeed());
  for (int round = 0; round < 300; ++round) {
    FilterOptions options;
    options.bits_per_key = 1 + static_cast<double>(random.Below(311)) / 10;
    options.ribbon_min_keys = random.Below(500);
    FilterBuilder builder(options);
    std::set<uint64_t> added;
    const uint64_t operations = random.Below(1200);
    const uint64_t values = 1 + random.Below(2000);
    for (uint64_t i = 0; i < operations; ++i) {
      const KeyHash hash = HashKey(Digits(random.Below(values)));
      builder.Add(hash);
      added.insert(hash.value);
    }
    ASSERT_GE(builder.num_hashes(), added.size());
    const FilterBlock block = builder.Finish();
    ASSERT_EQ(builder.num_hashes(), 0u);
    const FilterView view(block.bytes());
    for (const uint64_t value : added) ASSERT_TRUE(view.MayContain({value}));
  }
}

// ---- Bytes that are damaged, or nobody's

TEST(FilterTest, EveryTruncationIsSafeAndNeverAbsentForItsKeys) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {0u, 1u, 20u, 60u, 700u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 10), hashes);
      for (size_t cut = 1; cut <= block.size; ++cut) {
        // Copies, so that the address sanitizer sees a read past either end.
        const std::string front(block.bytes().substr(cut));
        const std::string back(block.bytes().substr(0, block.size - cut));
        for (const std::string& bytes : {front, back}) {
          const FilterView view(bytes);
          ASSERT_NE(view.fault(), Fault::kNone) << cut;
          ASSERT_EQ(FalseNegatives(view, hashes), 0u);
          ASSERT_EQ(view.info().num_hashes, 0u);
          ASSERT_FALSE(view.PayloadIntact());
        }
      }
    }
  }
}

TEST(FilterTest, EveryBitFlipIsSafeAndInTailOrDirectoryNeverAbsent) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    for (const size_t n : {1u, 20u, 60u, 700u}) {
      const std::vector<KeyHash> hashes = random.Take(n);
      const FilterBlock block = Build(OptionsOf(kind, 10), hashes);
      const std::string original(block.bytes());
      core::ParsedBlock parsed;
      ASSERT_EQ(core::Parse(original, &parsed), Fault::kNone);
      for (size_t bit = 0; bit < original.size() * 8; ++bit) {
        std::string flipped = original;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        const FilterView view(flipped);
        ASSERT_FALSE(view.PayloadIntact()) << bit;
        (void)view.info();
        if (bit / 8 < parsed.payload_size) {
          for (const KeyHash hash : hashes) (void)view.MayContain(hash);
          continue;
        }
        ASSERT_NE(view.fault(), Fault::kNone) << bit;
        ASSERT_TRUE(core::LooksOurs(flipped)) << bit;
        ASSERT_EQ(FalseNegatives(view, hashes), 0u) << bit;
      }
    }
  }
}

TEST(FilterTest, RandomBytesContainEverything) {
  RandomHashes random(TestSeed());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.Below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    const FilterView view(bytes);
    ASSERT_NE(view.fault(), Fault::kNone);
    ASSERT_TRUE(view.MayContain({random.Next()}));
  }
}

// A tail with a right checksum whose values no builder writes: somebody made it on purpose.
TEST(FilterTest, ForgedTailsAreSafe) {
  RandomHashes random(TestSeed());
  int usable = 0;
  for (int round = 0; round < 200000; ++round) {
    core::Tail tail;
    tail.kind = static_cast<FilterKind>(random.Below(4));
    tail.num_hashes = random.Below(3);
    tail.columns = tail.kind == FilterKind::kRibbon ? static_cast<uint16_t>(random.Next()) : 0;
    tail.layers = static_cast<uint8_t>(random.Below(5));
    std::vector<core::LayerEntry> layers(tail.layers);
    for (core::LayerEntry& entry : layers) {
      entry = {static_cast<core::LayerType>(random.Below(8)),
               static_cast<uint8_t>(random.Below(32)),
               static_cast<uint32_t>(random.Below(4) == 0 ? random.Next() : random.Below(4))};
    }
    const size_t payload = random.Below(4) * 64 + random.Below(4) * 8;
    std::vector<unsigned char> bytes(payload + core::kTailBytes + 5 * layers.size());
    for (size_t i = 0; i < payload; ++i) bytes[i] = static_cast<unsigned char>(random.Next());
    core::WriteDirectoryAndTail(bytes.data(), payload, layers.data(), tail);
    const FilterView view({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    usable += view.fault() == Fault::kNone ? 1 : 0;
    for (int i = 0; i < 5; ++i) {
      const bool answer = view.MayContain({random.Next()});
      ASSERT_TRUE(answer || view.fault() == Fault::kNone);
    }
    (void)view.info();
  }
  EXPECT_GT(usable, 100);
}

TEST(FilterTest, FaultsAreNamed) {
  RandomHashes random(1);
  const std::vector<KeyHash> hashes = random.Take(100);
  const FilterBlock block = Build(OptionsOf(FilterKind::kRibbon, 10), hashes);
  struct Case {
    void (*change)(core::Tail*);
    Fault expected;
  };
  const Case cases[] = {
      {[](core::Tail*) {}, Fault::kNone},
      {[](core::Tail* tail) { tail->version = 9; }, Fault::kVersion},
      {[](core::Tail* tail) { tail->kind = static_cast<FilterKind>(77); }, Fault::kKind},
      {[](core::Tail* tail) { tail->hash_id = 9; }, Fault::kHash},
      {[](core::Tail* tail) { tail->seed = 9; }, Fault::kHash},
      {[](core::Tail* tail) { tail->columns = 0xffff; }, Fault::kParameters},
      {[](core::Tail* tail) { tail->kind = FilterKind::kBloom; }, Fault::kParameters},
      {[](core::Tail* tail) { tail->columns = 0x7000; }, Fault::kSize},
  };
  for (const Case& c : cases) {
    core::ParsedBlock parsed;
    ASSERT_EQ(core::Parse(block.bytes(), &parsed), Fault::kNone);
    std::vector<core::LayerEntry> layers;
    for (unsigned i = 0; i < parsed.tail.layers; ++i) {
      layers.push_back(core::ReadLayerEntry(parsed.directory, i));
    }
    std::string bytes(block.bytes());
    core::Tail tail = parsed.tail;
    c.change(&tail);
    core::WriteDirectoryAndTail(reinterpret_cast<unsigned char*>(&bytes[0]), parsed.payload_size,
                                layers.data(), tail);
    const FilterView view(bytes);
    EXPECT_EQ(view.fault(), c.expected) << ToString(view.fault());
    EXPECT_EQ(FalseNegatives(view, hashes), 0u);
  }
  EXPECT_EQ(FilterView(std::string(100, 'x')).fault(), Fault::kForeign);
  for (int fault = 0; fault <= static_cast<int>(Fault::kSize); ++fault) {
    EXPECT_NE(ToString(static_cast<Fault>(fault)), "unknown fault");
  }
}

TEST(FilterTest, AnyAlignmentGivesTheSameAnswers) {
  RandomHashes random(TestSeed());
  for (const FilterKind kind : kKinds) {
    const std::vector<KeyHash> hashes = random.Take(2000);
    const FilterBlock block = Build(OptionsOf(kind, 10), hashes);
    const std::vector<KeyHash> absent = random.Take(2000);
    for (size_t shift = 0; shift < 64; ++shift) {
      std::string storage(block.size + shift, '\0');
      std::copy_n(block.data.get(), block.size, &storage[shift]);
      const FilterView view(std::string_view(storage).substr(shift));
      ASSERT_EQ(FalseNegatives(view, hashes), 0u);
      const FilterView original(block.bytes());
      for (const KeyHash hash : absent) ASSERT_EQ(view.MayContain(hash), original.MayContain(hash));
    }
  }
}

}  // namespace
}  // namespace winnow
