// Values derived from the 64 bits of a key's hash.

#ifndef WINNOW_SRC_FORMULAS_HASH_PARTS_H_
#define WINNOW_SRC_FORMULAS_HASH_PARTS_H_

#include <cstdint>

#include "src/formulas/inline.h"

namespace winnow::formulas {

inline constexpr uint64_t kCoefficientMultiplier = 0x9e3779b97f4a7c15u;
inline constexpr uint64_t kFingerprintMultiplier = 0xd6e8feb86659fd93u;
inline constexpr uint64_t kNextLayerMultiplier = 0xa0761d6478bd642fu;
inline constexpr unsigned kRibbonWidth = 48;  // bits of a coefficient

// Returns a position in [0, n). n must be less than 2^32.
WINNOW_FORMULA uint64_t Position(uint64_t hash, uint64_t n) noexcept {
  return ((hash >> 32) * n) >> 32;
}

// Returns kRibbonWidth bits, the lowest of which is set.
WINNOW_FORMULA uint64_t Coefficient(uint64_t hash) noexcept {
  return ((hash * kCoefficientMultiplier) >> (64 - kRibbonWidth)) | 1;
}

// Returns a word whose high bits are fingerprints.
WINNOW_FORMULA uint64_t FingerprintSource(uint64_t hash) noexcept {
  return (hash ^ hash >> 31) * kFingerprintMultiplier;
}

// Returns a fingerprint of 1 to 32 bits.
WINNOW_FORMULA uint64_t Fingerprint(uint64_t hash, unsigned bits) noexcept {
  return FingerprintSource(hash) >> (64 - bits);
}

// Returns the hash of a bumped key in the next layer. A bijection, so distinct hashes stay
// distinct.
WINNOW_FORMULA uint64_t NextLayerHash(uint64_t hash) noexcept {
  hash *= kNextLayerMultiplier;
  return hash ^ hash >> 32;
}

// ---- Items of a retrieval data structure: 48 bits of a hash, and a value in the low bits instead
// of a fingerprint

inline constexpr uint64_t kItemValue = 0xffff;

WINNOW_FORMULA uint64_t HashOfItem(uint64_t item) noexcept { return item & ~kItemValue; }

// Returns the item in the next layer. A bijection of the 48 bits.
WINNOW_FORMULA uint64_t NextLayerItem(uint64_t item) noexcept {
  return HashOfItem(NextLayerHash(HashOfItem(item))) | (item & kItemValue);
}

}  // namespace winnow::formulas

#endif  // WINNOW_SRC_FORMULAS_HASH_PARTS_H_
