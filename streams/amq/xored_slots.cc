#include "streams/amq/xored_slots.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace winnow::amq {

unsigned FingerprintBits(double rate) noexcept {
  constexpr unsigned kMin = 4;
  constexpr unsigned kMax = 32;
  unsigned bits = kMin;
  while (bits < kMax && !(std::ldexp(1, -static_cast<int>(bits)) <= rate)) ++bits;
  return bits;
}

std::vector<KeyHash> DistinctHashes(const KeyHash* hashes, size_t n) {
  std::vector<KeyHash> distinct(hashes, hashes + n);
  std::sort(distinct.begin(), distinct.end(),
            [](KeyHash a, KeyHash b) { return a.value < b.value; });
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct;
}

void ThrowUnbuildable(const char* filter, size_t keys, unsigned tries) {
  throw std::runtime_error(std::string(filter) + ": " + std::to_string(keys) +
                           " keys could not be placed with any of " + std::to_string(tries) +
                           " seeds, which is very rare: a BlockedBloom takes any keys");
}

}  // namespace winnow::amq
