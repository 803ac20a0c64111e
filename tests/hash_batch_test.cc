#include "src/rocksdb/hash_batch.h"

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/rocksdb/shared_hash.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Slice;

constexpr uint64_t kSeed = 20260212;

// Asks for the keys in memory that lies where that of the call before lay, as RocksDB's does, and
// checks the hashes. How many were computed.
class Asker {
 public:
  size_t Ask(const std::vector<std::string>& keys) {
    std::vector<Slice> slices;
    memory_.clear();
    for (const std::string& key : keys) {
      memory_ += key;
    }
    size_t at = 0;
    for (const std::string& key : keys) {
      slices.emplace_back(memory_.data() + at, key.size());
      at += key.size();
    }
    std::vector<const Slice*> pointers;
    pointers.reserve(slices.size());
    for (const Slice& slice : slices) {
      pointers.push_back(&slice);
    }
    std::vector<KeyHash> hashes(keys.size());
    const size_t computed = batch_.Hash(pointers.data(), keys.size(), hashes.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(hashes[i], HashKey(keys[i]))
          << "key " << i << " of " << keys[i].size() << " bytes, seed " << kSeed;
    }
    return computed;
  }

 private:
  HashBatch batch_;
  std::string memory_;
};

// n keys of this length, all of them different; `lookup` tells the keys of lookups apart.
std::vector<std::string> Keys(size_t n, size_t length, uint64_t lookup) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    std::string number = std::to_string(lookup * 1000 + i);
    number.insert(0, length - std::min(length, number.size()), 'k');
    keys.push_back(number);
  }
  return keys;
}

std::vector<std::string> Part(const std::vector<std::string>& keys, size_t first, size_t last) {
  return {keys.begin() + static_cast<std::ptrdiff_t>(first),
          keys.begin() + static_cast<std::ptrdiff_t>(last)};
}

class HashBatchTest : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths, HashBatchTest,
                         ::testing::Values(8, 15, 16, 24, 33, 64, 65, 128, 129, 256, 1000, 1024));

TEST_P(HashBatchTest, ComputesEachKeyOfAMultiGetOnce) {
  Asker asker;
  for (uint64_t lookup = 0; lookup < 20; ++lookup) {
    const auto keys = Keys(32, GetParam(), lookup);
    EXPECT_EQ(asker.Ask(keys), 32u);
    for (int file = 0; file < 8; ++file) {
      EXPECT_EQ(asker.Ask(keys), 0u);
    }
    // The files of a level hold parts of the range.
    for (size_t first = 0; first < 32; first += 5) {
      EXPECT_EQ(asker.Ask(Part(keys, first, std::min<size_t>(first + 5, 32))), 0u);
    }
  }
}

TEST_P(HashBatchTest, ComputesOnceWhereNoFileIsAskedForAll) {
  Asker asker;
  for (uint64_t lookup = 0; lookup < 20; ++lookup) {
    const auto keys = Keys(32, GetParam(), lookup);
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
  Asker asker;
  std::mt19937_64 random(kSeed);
  auto keys = Keys(32, GetParam(), 1);
  EXPECT_EQ(asker.Ask(keys), 32u);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(keys.begin(), keys.end(), random);
    EXPECT_EQ(asker.Ask(Part(keys, 0, 1 + random() % 32)), 0u) << "seed " << kSeed;
  }
  auto mixed = Part(keys, 0, 16);
  const auto others = Keys(16, GetParam(), 2);
  mixed.insert(mixed.begin() + 8, others.begin(), others.end());
  EXPECT_EQ(asker.Ask(mixed), 16u);
  EXPECT_EQ(asker.Ask(mixed), 0u);
}

// Prefixes are the same for many keys.
TEST(HashBatch, IsRightForRepeatedKeys) {
  Asker asker;
  const std::vector<std::string> keys = {"prefix", "prefix", "prefix", "other_", "prefix"};
  EXPECT_LE(asker.Ask(keys), 5u);
  EXPECT_EQ(asker.Ask(keys), 0u);
  EXPECT_EQ(asker.Ask({"other_", "other_", "prefix"}), 0u);
}

TEST(HashBatch, TellsKeysApartThatDifferInOneByte) {
  for (size_t length = 1; length <= 150; ++length) {
    const std::string key(length, 'k');
    for (size_t first = 0; first < length; first += 31) {
      Asker asker;
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

// The places that tell keys apart are a part of a long key only.
TEST(HashBatch, IsRightForKeysThatItCantTellApart) {
  Asker asker;
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
  Asker asker;
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

TEST(HashBatch, DoesNotKeepVeryLongKeysNorEmptyOnes) {
  Asker asker;
  const std::vector<std::string> keys = {std::string(kMostSharedBytes + 1, 'k'), "", "short"};
  EXPECT_EQ(asker.Ask(keys), 3u);
  EXPECT_EQ(asker.Ask(keys), 2u);
}

}  // namespace
}  // namespace winnow::plugin
