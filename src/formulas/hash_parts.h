// Values made of the 64 bits of a key's hash.

#ifndef WINNOW_SRC_FORMULAS_HASH_PARTS_H_
#define WINNOW_SRC_FORMULAS_HASH_PARTS_H_

#include <cstdint>

#include "src/formulas/inline.h"

namespace winnow::formulas {

inline constexpr uint64_t kCoefficientMultiplier = 0x9e3779b97f4a7c15u;
inline constexpr uint64_t kFingerprintMultiplier = 0xd6e8feb86659fd93u;
inline constexpr uint64_t kNextLayerMultiplier = 0xa0761d6478bd642fu;
inline constexpr unsigned kRibbonWidth = 48;  // bits of a coefficient

// 0 to n - 1; n is below 2^32.
WINNOW_FORMULA uint64_t Position(uint64_t hash, uint64_t n) noexcept {
  return ((hash >> 32) * n) >> 32;
}

// kRibbonWidth bits, the lowest one set.
WINNOW_FORMULA uint64_t Coefficient(uint64_t hash) noexcept {
  return ((hash * kCoefficientMultiplier) >> (64 - kRibbonWidth)) | 1;
}

// Fingerprints are its high bits.
WINNOW_FORMULA uint64_t FingerprintSource(uint64_t hash) noexcept {
  return (hash ^ hash >> 31) * kFingerprintMultiplier;
}

// bits from 1 to 32.
WINNOW_FORMULA uint64_t Fingerprint(uint64_t hash, unsigned bits) noexcept {
  return FingerprintSource(hash) >> (64 - bits);
}

// The hash by which a bumped key is known in the next layer. A bijection: distinct hashes stay so.
WINNOW_FORMULA uint64_t NextLayerHash(uint64_t hash) noexcept {
  hash *= kNextLayerMultiplier;
  return hash ^ hash >> 32;
}

// ---- Items of a retrieval: 48 bits of a hash, and a value in the low bits in place of a
// fingerprint

inline constexpr uint64_t kItemValue = 0xffff;

WINNOW_FORMULA uint64_t HashOfItem(uint64_t item) noexcept { return item & ~kItemValue; }

// A bijection of the 48 bits.
WINNOW_FORMULA uint64_t NextLayerItem(uint64_t item) noexcept {
  return HashOfItem(NextLayerHash(HashOfItem(item))) | (item & kItemValue);
}

}  // namespace winnow::formulas

#endif  // WINNOW_SRC_FORMULAS_HASH_PARTS_H_
