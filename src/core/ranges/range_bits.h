// Keys of any length as fractions: the bits of their bytes, highest first, followed by zeros. A key
// and the same key with trailing zero bytes are thus equal.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_BITS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_BITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/formulas/bytes.h"

namespace winnow::core {

// Returns the eight bytes from `byte` on as a big-endian number.
inline uint64_t FractionWord(std::string_view key, uint64_t byte) noexcept {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(key.data());
  if (byte + 8 <= key.size()) return __builtin_bswap64(formulas::LoadLittle64(bytes + byte));
  if (byte >= key.size()) return 0;
  if (key.size() >= 8) {
    const uint64_t word = __builtin_bswap64(formulas::LoadLittle64(bytes + key.size() - 8));
    return word << 8 * (byte + 8 - key.size());
  }
  uint64_t word = 0;
  for (size_t i = 0; byte + i < key.size(); ++i) word |= uint64_t{bytes[byte + i]} << (56 - 8 * i);
  return word;
}

// Returns `bits` bits from bit `at` on as a number; bits is 1 to 57.
inline uint64_t FractionBits(std::string_view key, uint64_t at, unsigned bits) noexcept {
  return FractionWord(key, at / 8) << at % 8 >> (64 - bits);
}

inline unsigned FractionBit(std::string_view key, uint64_t at) noexcept {
  if (at / 8 >= key.size()) return 0;
  return static_cast<unsigned char>(key[at / 8]) >> (7 - at % 8) & 1;
}

// Returns the index of the first bit in which the keys differ, or the bits of the longer one if
// there is none.
inline uint64_t CommonBits(std::string_view a, std::string_view b) noexcept {
  const size_t most = std::max(a.size(), b.size());
  for (size_t byte = 0; byte < most; byte += 8) {
    const uint64_t differing = FractionWord(a, byte) ^ FractionWord(b, byte);
    if (differing != 0) return 8 * byte + static_cast<unsigned>(__builtin_clzll(differing));
  }
  return 8 * most;
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_BITS_H_
