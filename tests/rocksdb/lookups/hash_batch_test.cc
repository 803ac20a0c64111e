#include "src/rocksdb/lookups/hash_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/shared_hash.h"
#include "tests/rocksdb/lookups/shared_hash_testing.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace hash_batch_test {

constexpr uint64_t kSeed = 20260212;

// Returns the keys of lookup number `lookup`.
std::vector<std::string> KeysOf(uint64_t lookup, size_t n, size_t length) {
  return Keys(32 * lookup, n, length);
}

std::vector<std::string> Part(const std::vector<std::string>& keys, size_t first, size_t last) {
  return {keys.begin() + static_cast<std::ptrdiff_t>(first),
          keys.begin() + static_cast<std::ptrdiff_t>(last)};
}

class HashBatchTest : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths, HashBatchTest,
                         ::testing::Values(8, 15, 16, 24, 33, 64, 65, 128, 129, 256, 1000, 1024));

TEST_P(HashBatchTest, ComputesEachKeyOfAMultiGetOnce) {
  BatchAsker asker;
  for (uint64_t lookup = 0; lookup < 20; ++lookup) {
    const auto keys = KeysOf(lookup, 32, GetParam());
    EXPECT_EQ(asker.Ask(keys), 32u);
    for (int file = 0; file < 8; ++file) {
      EXPECT_EQ(asker.Ask(keys), 0u);
    }
    // Each file of a level has a part of the key range.
    for (size_t first = 0; first < 32; first += 5) {
      EXPECT_EQ(asker.Ask(Part(keys, first, std::min<size_t>(first + 5, 32))), 0u);
    }
  }
}

TEST_P(HashBatchTest, ComputesOnceWhereNoFileIsAskedForAll) {
  BatchAsker asker;
  for (uint64_t lookup = 0; lookup < 20; ++lookup) {
    const auto keys = KeysOf(lookup, 32, GetParam());
    for (size_t first = 0; first < 32; first += 4) {
      EXPECT_EQ(asker.Ask(Part(keys, first, first + 4)), 4u);
    }
    for (size_t width = 1; width <= 32; width += 3) {
      for (size_t first = 0; first < 32; first += width) {
        EXPECT_EQ(asker.Ask(Part(keys, first, std::min<size_t>(first + width, 32))), 0u);
      }
    }
  }
}

TEST_P(HashBatchTest, FindsKeysInAnyOrderAndAmongOthers) {
  BatchAsker asker;
  std::mt19937_64 random(kSeed);
  auto keys = KeysOf(1, 32, GetParam());
  EXPECT_EQ(asker.Ask(keys), 32u);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(keys.begin(), keys.end(), random);
    EXPECT_EQ(asker.Ask(Part(keys, 0, 1 + random() % 32)), 0u) << "seed " << kSeed;
  }
  auto mixed = Part(keys, 0, 16);
  const auto others = KeysOf(2, 16, GetParam());
  mixed.insert(mixed.begin() + 8, others.begin(), others.end());
  EXPECT_EQ(asker.Ask(mixed), 16u);
  EXPECT_EQ(asker.Ask(mixed), 0u);
}

// Many keys share a prefix.
TEST(HashBatch, IsRightForRepeatedKeys) {
  BatchAsker asker;
  const std::vector<std::string> keys = {"prefix", "prefix", "prefix", "other_", "prefix"};
  EXPECT_LE(asker.Ask(keys), 5u);
  EXPECT_EQ(asker.Ask(keys), 0u);
  EXPECT_EQ(asker.Ask({"other_", "other_", "prefix"}), 0u);
}

TEST(HashBatch, TellsKeysApartThatDifferInOneByte) {
  for (size_t length = 1; length <= 150; ++length) {
    const std::string key(length, 'k');
    for (size_t first = 0; first < length; first += 31) {
      BatchAsker asker;
      std::vector<std::string> keys = {key};
      for (size_t i = first; i < std::min(first + 31, length); ++i) {
        keys.push_back(key);
        keys.back()[i] = 'x';
      }
      EXPECT_EQ(asker.Ask(keys), keys.size());
      asker.Ask(keys);
    }
  }
}

// Long keys are distinguished by some of their bytes only.
TEST(HashBatch, IsRightForKeysThatItCantTellApart) {
  BatchAsker asker;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> keys;
    for (char c = 'a'; c < 'a' + 20; ++c) {
      std::string key(400, 'k');
      key[100] = c;
      keys.push_back(key);
    }
    asker.Ask(keys);
  }
}

TEST(HashBatch, IsRightForLengthsThatChange) {
  BatchAsker asker;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> keys;
    for (size_t i = 0, n = random() % 33; i < n; ++i) {
      std::string key(random() % (round % 2 == 0 ? 40 : 1100), '\0');
      std::generate(key.begin(), key.end(), [&] { return static_cast<char>(random()); });
      keys.push_back(key);
    }
    asker.Ask(keys);
    asker.Ask(keys);
  }
}

// Asker whose slots fit all keys, since growth drops the stored keys.
class RoomyAsker : public BatchAsker {
 public:
  RoomyAsker() { Ask({std::string(kMaxSharedBytes, 'r')}); }
};

// A batch may begin like the stored one and differ in a key's length.
TEST(HashBatch, TellsKeysApartByTheirLengths) {
  for (const auto& [kept, asked] : std::vector<std::pair<size_t, size_t>>{
           {100, 80}, {10, 16}, {16, 10}, {20, 32}, {32, 20}, {40, 64}, {64, 40}, {400, 399}}) {
    RoomyAsker asker;
    const std::string first(24, 'a');
    EXPECT_EQ(asker.Ask({first, std::string(kept, 'b')}), 2u);
    EXPECT_EQ(asker.Ask({first, std::string(asked, 'b')}), 1u) << kept << " and " << asked;
  }
}

// Lengths are stored in 16 bits. The key is in the last slots, so that a comparison by the longer
// length would read past the memory.
TEST(HashBatch, TellsKeysApartWhoseLengthsDifferBy65536) {
  for (const size_t length : {0u, 1u, 8u, 24u, 64u, 100u, 1024u}) {
    RoomyAsker asker;
    asker.Ask(Keys(0, 32, 24));
    asker.Ask(Keys(32, 28, 24));
    const std::string first(24, 'a');
    const std::string kept(length, 'b');
    const std::string asked(65536 + length, 'b');
    asker.Ask({first, kept});
    EXPECT_EQ(asker.Ask({first, asked}), 1u) << length;
    EXPECT_EQ(asker.Ask({asked}), 1u) << length;
    EXPECT_EQ(asker.Ask({first, kept}), length == 0 ? 1u : 0u);
  }
}

// Hashes follow the stored lengths; this hash has the bits of a length.
TEST(HashBatch, EndsARowWithTheLastSlot) {
  constexpr size_t kLength = 64;
  uint64_t number = 0;
  while (static_cast<uint16_t>(HashKey(Key(number, kLength)).value) != kLength) {
    ++number;
  }
  BatchAsker asker;
  auto keys = Keys(number, 32, kLength);
  EXPECT_EQ(asker.Ask(keys), 32u);
  const auto others = Keys(number + 32, 32, kLength);
  EXPECT_EQ(asker.Ask(others), 32u);
  EXPECT_EQ(asker.Ask({others[31], keys[0], keys[1]}), 0u);
  EXPECT_EQ(asker.Ask({others[31], others[0]}), 0u);
}

TEST(HashBatch, ComputesOnceInRowsOverTheLastSlot) {
  BatchAsker asker;
  for (uint64_t lookup = 0; lookup < 50; ++lookup) {
    const auto keys = KeysOf(lookup, 20, 24);
    EXPECT_EQ(asker.Ask(keys), 20u);
    EXPECT_EQ(asker.Ask(keys), 0u);
    EXPECT_EQ(asker.Ask(Part(keys, 7, 18)), 0u);
  }
}

std::string RandomKey(std::mt19937_64* random) {
  constexpr size_t kMax[] = {4, 20, 40, 70, 130, 1100};
  std::string key((*random)() % kMax[(*random)() % 6], 'k');
  if ((*random)() % 2 == 0) {
    std::generate(key.begin(), key.end(), [&] { return static_cast<char>((*random)()); });
  }
  return key;
}

void ChangeOne(std::vector<std::string>* keys, std::mt19937_64* random) {
  const size_t i = (*random)() % keys->size();
  std::string& key = (*keys)[i];
  switch ((*random)() % 5) {
    case 0:
      keys->erase(keys->begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 1:
      key.resize((*random)() % (key.size() + 1));
      break;
    case 2:
      key.append(1 + (*random)() % 30, key.empty() ? 'k' : key.back());
      break;
    case 3:
      std::swap(key, (*keys)[(*random)() % keys->size()]);
      break;
    default:
      if (!key.empty()) {
        char& byte = key[(*random)() % key.size()];
        byte = static_cast<char>(byte ^ 1 << (*random)() % 8);
      }
  }
}

TEST(HashBatch, IsRightForBatchesThatAreLikeTheOneBefore) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << ", round " << round);
    BatchAsker asker;
    std::vector<std::string> keys(1 + random() % 32);
    std::generate(keys.begin(), keys.end(), [&] { return RandomKey(&random); });
    for (int call = 0; call < 30 && !keys.empty(); ++call) {
      asker.Ask(keys);
      asker.Ask(Part(keys, random() % keys.size(), keys.size()));
      ChangeOne(&keys, &random);
    }
  }
}

TEST(HashBatch, DoesNotKeepVeryLongKeysNorEmptyOnes) {
  BatchAsker asker;
  const std::vector<std::string> keys = {std::string(kMaxSharedBytes + 1, 'k'), "", "short"};
  EXPECT_EQ(asker.Ask(keys), 3u);
  EXPECT_EQ(asker.Ask(keys), 2u);
  // Keys longer than kMaxSharedBytes are not stored even if there is room.
  EXPECT_EQ(asker.Ask({std::string(kMaxSharedBytes, 'k')}), 1u);
  EXPECT_EQ(asker.Ask({std::string(kMaxSharedBytes, 'k')}), 0u);
  for (const size_t more : {1u, 2u, 63u, 64u, 65u}) {
    const std::vector<std::string> too_long = {std::string(kMaxSharedBytes + more, 'x')};
    EXPECT_EQ(asker.Ask(too_long), 1u);
    EXPECT_EQ(asker.Ask(too_long), 1u) << kMaxSharedBytes << " + " << more;
  }
}

}  // namespace hash_batch_test
}  // namespace winnow::plugin
