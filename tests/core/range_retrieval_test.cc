// Tests of positions by retrieval: every key is found, including keys with adversarial hashes and
// keys in blocks with several keys; a block with one key knows the key's position.

#include "src/core/ranges/range_retrieval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/core/payload.h"
#include "src/core/ranges/range_retrieval_builder.h"
#include "src/core/sizing.h"
#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow::core {
namespace range_retrieval_test {

using testing::RandomHashes;

// A position, and the hash of the bytes before it.
struct Place {
  uint64_t hash;
  uint64_t position;
};

struct Built {
  RetrievalShape shape;
  std::vector<unsigned char> bytes;  // exact size, for the address sanitizer
  RangeRetrieval retrieval;
};

Built Build(const std::vector<Place>& places, double bits) {
  std::vector<uint64_t> positions;
  std::vector<uint64_t> hashes;
  for (const Place& place : places) {
    positions.push_back(place.position);
    hashes.push_back(place.hash);
  }
  RetrievalCounts counts;
  counts.Add(positions.data(), hashes.data(), places.size() / 2);
  counts.Add(positions.data() + places.size() / 2, hashes.data() + places.size() / 2,
             places.size() - places.size() / 2);
  counts.Finish();
  uint64_t expected_bytes = 0;
  Built built;
  built.shape = counts.Best(RibbonColumns(std::exp2(-bits)), &expected_bytes);
  HashChunkPool pool;
  RetrievalBuilder builder(built.shape, &pool);
  builder.Add(positions.data(), hashes.data(), places.size());
  Payload payload(64);
  EXPECT_TRUE(builder.Finish(&payload, &built.shape));
  built.bytes.assign(payload.data(), payload.data() + payload.size());
  EXPECT_EQ(CheckRetrieval(built.shape, built.bytes.data(), built.bytes.size()), Fault::kNone);
  built.retrieval = RangeRetrieval(built.shape, built.bytes.data(), built.bytes.size());
  return built;
}

void ExpectAll(const Built& built, const std::vector<Place>& places) {
  for (const Place& place : places) {
    ASSERT_TRUE(built.retrieval.AnyBetween(place.hash, place.position, place.position))
        << place.position << " of " << places.size();
    const uint64_t least = place.position - std::min<uint64_t>(place.position, 3);
    ASSERT_TRUE(built.retrieval.AnyBetween(place.hash, least, place.position));
  }
}

std::vector<Place> RandomPlaces(size_t n, uint64_t below, RandomHashes* random) {
  std::vector<Place> places;
  for (size_t i = 0; i < n; ++i) places.push_back({0, random->Below(below)});
  const auto is_less = [](const Place& a, const Place& b) { return a.position < b.position; };
  std::sort(places.begin(), places.end(), is_less);
  const auto is_equal = [](const Place& a, const Place& b) { return a.position == b.position; };
  places.erase(std::unique(places.begin(), places.end(), is_equal), places.end());
  return places;
}

// Sizes are around those at which layers change: a list, a small layer, one bumped layer, several.
TEST(RangeRetrievalTest, EveryKeyIsFound) {
  RandomHashes random(testing::TestSeed());
  for (const size_t n :
       {1u, 2u, 3u, 15u, 16u, 17u, 63u, 64u, 65u, 599u, 600u, 601u, 13000u, 70000u}) {
    for (const double bits : {6.0, 8.0, 9.3, 13.75, 15.0, 16.0}) {
      for (const uint64_t below :
           {uint64_t{100}, uint64_t{1} << 20, uint64_t{1} << 40, UINT64_MAX}) {
        const std::vector<Place> places = RandomPlaces(n, below, &random);
        const Built built = Build(places, bits);
        ExpectAll(built, places);
      }
    }
  }
}

TEST(RangeRetrievalTest, TheEndsOfAllPositionsAreFound) {
  const std::vector<Place> places = {{7, 0}, {7, UINT64_MAX}};
  const Built built = Build(places, 15);
  ExpectAll(built, places);
  EXPECT_TRUE(built.retrieval.AnyBetween(7, 0, UINT64_MAX));
}

// Asks for the positions next to the key in every block that has one.
TEST(RangeRetrievalTest, ABlockWithOneKeyIsExact) {
  RandomHashes random(testing::TestSeed());
  const std::vector<Place> places = RandomPlaces(50000, uint64_t{1} << 50, &random);
  const Built built = Build(places, 15);
  EXPECT_LT(built.shape.crowded, places.size() / 1000);
  const uint64_t in_block = built.shape.Escape();
  size_t asked = 0;
  size_t passed = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t position = places[i].position;
    if ((position & in_block) == in_block || (position & in_block) == 0) continue;
    if (i > 0 && position - places[i - 1].position <= in_block) continue;
    if (i + 1 < places.size() && places[i + 1].position - position <= in_block) continue;
    asked += 2;
    passed += built.retrieval.AnyBetween(0, position + 1, position | in_block) ? 1 : 0;
    passed += built.retrieval.AnyBetween(0, position & ~in_block, position - 1) ? 1 : 0;
  }
  EXPECT_GT(asked, 90000u);
  EXPECT_EQ(passed, 0u);
}

// Inverse of MixRange.
uint64_t Unmix(uint64_t mixed) {
  const auto unshift = [](uint64_t x) { return x ^ x >> 32; };
  uint64_t inverse = 1;  // Newton's method
  for (int i = 0; i < 6; ++i) inverse *= 2 - inverse * uint64_t{0xd6e8feb86659fd93};
  return unshift(unshift(unshift(mixed) * inverse) * inverse);
}

// Blocks have equal items with different values, which no layer can store.
TEST(RangeRetrievalTest, EqualItemsGoToTheList) {
  RandomHashes random(testing::TestSeed());
  ASSERT_EQ(MixRange(Unmix(12345)), 12345u);
  for (const size_t n : {0u, 5u, 1000u, 20000u}) {
    for (const size_t equal : {2u, 3u, 40u, 3000u}) {
      std::vector<Place> places = RandomPlaces(n, uint64_t{1} << 50, &random);
      const uint64_t item = formulas::HashOfItem(random.Next());
      for (size_t i = 0; i < equal; ++i) {
        // Chooses hashes of the bytes before the position that result in this item.
        const uint64_t position = random.Below(uint64_t{1} << 50);
        for (unsigned low_bits = kLeastLowBits; low_bits <= 15; ++low_bits) {
          const uint64_t block = position >> low_bits;
          places.push_back({Unmix(item | (i & 0xffff)) - block * kRangeMultiplier, position});
        }
      }
      const Built built = Build(places, 15);
      ExpectAll(built, places);
      EXPECT_GT(built.bytes.size(), equal * kListedItemBytes);
    }
  }
}

// The last layer of a retrieval of few keys may take more than estimated.
TEST(RangeRetrievalTest, FewKeysTakeAtMostAsManyBytesAsStored) {
  RandomHashes random(testing::TestSeed());
  size_t stored = 0;
  size_t retrieved = 0;
  for (int i = 0; i < 600; ++i) {
    std::set<std::string> keys;
    for (uint64_t n = 900 + random.Below(1000); n > 0; --n) {
      keys.insert(testing::BigEndian(random.Next()));
    }
    const double bits = 12 + 3 * (i % 2);
    const FilterBlock positions =
        testing::BuildRangeFilter(keys, bits, RangeFilterKind::kPositions);
    const FilterBlock smaller = testing::BuildRangeFilter(keys, bits, RangeFilterKind::kRetrieval);
    ASSERT_NE(smaller.size, 0u) << keys.size() << " keys";
    ASSERT_LE(smaller.size, positions.size) << keys.size() << " keys";
    const RangeFilterView view(smaller.bytes());
    if (view.info().kind == RangeFilterKind::kRetrieval) {
      ++retrieved;
    } else {
      ASSERT_EQ(smaller.bytes(), positions.bytes());
      ++stored;
    }
    for (const std::string& key : keys) ASSERT_TRUE(view.MayHaveKey(key));
  }
  EXPECT_GT(stored, 50u);
  EXPECT_GT(retrieved, 50u);
}

TEST(RangeRetrievalTest, KeysThatWereNotCountedAreRefused) {
  RetrievalShape shape;
  shape.low_bits = 10;
  shape.columns = PackColumns({15, 0});
  HashChunkPool pool;
  shape.crowded = 1;
  RetrievalBuilder counted(shape, &pool);
  const uint64_t position = 77;
  const uint64_t hash = 0;
  counted.Add(&position, &hash, 1);
  Payload payload(64);
  EXPECT_FALSE(counted.Finish(&payload, &shape));
}

}  // namespace range_retrieval_test
}  // namespace winnow::core
