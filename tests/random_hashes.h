// Seeded hashes and keys that are the same on every machine, and the seed of random tests.

#ifndef WINNOW_TESTS_RANDOM_HASHES_H_
#define WINNOW_TESTS_RANDOM_HASHES_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "winnow/hash.h"

namespace winnow::testing {

// SplitMix64 (Steele, Lea, Flood, 2014): good enough to stand for hashes, and the same everywhere.
class RandomHashes {
 public:
  explicit RandomHashes(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint64_t Below(uint64_t limit) { return Next() % limit; }

  std::vector<KeyHash> Take(size_t n) {
    std::vector<KeyHash> hashes(n);
    for (KeyHash& hash : hashes) hash.value = Next();
    return hashes;
  }

 private:
  uint64_t state_;
};

// The seed of a random test: WINNOW_TEST_SEED, or a fixed one; printed, so that a failure can be
// had again.
inline uint64_t TestSeed() {
  const char* given = std::getenv("WINNOW_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : 20240229;
  std::cout << "seed (WINNOW_TEST_SEED): " << seed << "\n";
  return seed;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_RANDOM_HASHES_H_
