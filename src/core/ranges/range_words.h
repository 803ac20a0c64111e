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

// Returns the word with this index; 0 is that of the last bytes.
inline uint64_t RangeWord(const unsigned char* key, size_t key_bytes, unsigned index) noexcept {
  const size_t end = key_bytes - kRangeWordBytes * index;
  if (end >= kRangeWordBytes) {
    return __builtin_bswap64(formulas::LoadLittle64(key + end - kRangeWordBytes));
  }
  uint64_t word = 0;
  for (size_t i = 0; i < end; ++i) word = word << 8 | key[i];
  return word;
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_WORDS_H_
