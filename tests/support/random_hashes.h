// Seeded random hashes that are the same on every machine, and the seed of random tests.

#ifndef WINNOW_TESTS_SUPPORT_RANDOM_HASHES_H_
#define WINNOW_TESTS_SUPPORT_RANDOM_HASHES_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "src/base/random.h"
#include "winnow/hash.h"

namespace winnow::testing {

class RandomHashes : public bench::Random {
 public:
  using Random::Random;

  uint64_t Next() { return (*this)(); }

  uint64_t Below(uint64_t limit) { return Next() % limit; }

  std::vector<KeyHash> Take(size_t n) {
    std::vector<KeyHash> hashes(n);
    for (KeyHash& hash : hashes) hash.value = Next();
    return hashes;
  }
};

// Returns the seed of a random test, WINNOW_TEST_SEED or a fixed one, and prints it, so that a
// failure can be reproduced.
inline uint64_t TestSeed() {
  const char* given = std::getenv("WINNOW_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : 20240229;
  std::cout << "seed (WINNOW_TEST_SEED): " << seed << "\n";
  return seed;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_RANDOM_HASHES_H_
