// Keys of one length as words of 8 bytes, counted from the key's end, so that only the word with
// the first bytes may be shorter. A word is big-endian, so that words are ordered like the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_WORDS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/formulas/bytes.h"

namespace winnow::core {

inline constexpr size_t kRangeWordBytes = 8;
inline constexpr size_t kMaxRangeKeyBytes = 256;
inline constexpr size_t kMaxRangeWords = kMaxRangeKeyBytes / kRangeWordBytes;

inline unsigned RangeWords(size_t key_bytes) noexcept {
  return static_cast<unsigned>((key_bytes + kRangeWordBytes - 1) / kRangeWordBytes);
}

// Returns the last eight bytes, or all, before `end`, at least 1, in a key of `key_bytes` bytes, as
// the highest bytes of a little-endian word; the others are 0.
inline uint64_t RangeBytesBefore(const unsigned char* key, size_t key_bytes, size_t end) noexcept {
  if (end >= kRangeWordBytes) return formulas::LoadLittle64(key + end - kRangeWordBytes);
  if (key_bytes >= kRangeWordBytes) {
    return formulas::LoadLittle64(key) << 8 * (kRangeWordBytes - end);
  }
  uint64_t word = 0;
  for (size_t i = 0; i < end; ++i) word = word >> 8 | uint64_t{key[i]} << 56;
  return word;
}

// Returns the word with this index; 0 is that of the last bytes.
inline uint64_t RangeWord(const unsigned char* key, size_t key_bytes, unsigned index) noexcept {
  return __builtin_bswap64(RangeBytesBefore(key, key_bytes, key_bytes - kRangeWordBytes * index));
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_WORDS_H_
