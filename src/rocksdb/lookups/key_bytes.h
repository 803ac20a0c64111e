// Storing and comparing of keys. For a short key, a call of libc's memcmp takes longer than its
// work, and would cost what a shared hash saves.
//
// A key of up to 64 bytes is stored as its two ends, each of one or two words. The ends may overlap
// in the key, but not in the stored form. So each load reads what a single store wrote, which a
// processor forwards at once (store forwarding), even if the key was stored a moment ago.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_BYTES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace winnow::plugin {

inline constexpr size_t kMaxShortBytes = 64;

// Maximum length of kept keys. Longer keys are hashed for each file.
inline constexpr size_t kMaxKeptBytes = 1024;

#define WINNOW_KEY_INLINE __attribute__((always_inline)) inline

template <typename Word>
WINNOW_KEY_INLINE Word LoadWord(const char* bytes) noexcept {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Word of 16 bytes. Differ() returns the bits in which two words differ.
#if defined(__x86_64__)
using Word128 = __m128i;
WINNOW_KEY_INLINE Word128 Differ(Word128 one, Word128 other) noexcept {
  return _mm_xor_si128(one, other);
}
WINNOW_KEY_INLINE Word128 Either(Word128 one, Word128 other) noexcept {
  return _mm_or_si128(one, other);
}
WINNOW_KEY_INLINE bool IsZero(Word128 bits) noexcept {
  return _mm_movemask_epi8(_mm_cmpeq_epi8(bits, _mm_setzero_si128())) == 0xffff;
}
#else
struct Word128 {
  uint64_t low;
  uint64_t high;
};
WINNOW_KEY_INLINE Word128 Differ(Word128 one, Word128 other) noexcept {
  return {one.low ^ other.low, one.high ^ other.high};
}
WINNOW_KEY_INLINE Word128 Either(Word128 one, Word128 other) noexcept {
  return {one.low | other.low, one.high | other.high};
}
WINNOW_KEY_INLINE bool IsZero(Word128 bits) noexcept { return (bits.low | bits.high) == 0; }
#endif

WINNOW_KEY_INLINE Word128 Differ128(const char* one, const char* other) noexcept {
  return Differ(LoadWord<Word128>(one), LoadWord<Word128>(other));
}

// ---- Keys of up to 64 bytes

// KeepShort() stores the n bytes at `key` in `kept`, and IsKeptShort() compares them with it, for
// 1 <= n <= kMaxShortBytes. Neither reads bytes behind the key. `kept` needs 64 bytes for n > 32,
// 32 bytes for n > 16, else 16.
template <typename Word>
WINNOW_KEY_INLINE void KeepEnds(char* kept, const char* key, size_t n) noexcept {
  const Word first = LoadWord<Word>(key);
  const Word last = LoadWord<Word>(key + n - sizeof(Word));
  std::memcpy(kept, &first, sizeof first);
  std::memcpy(kept + sizeof first, &last, sizeof last);
}

template <typename Word>
WINNOW_KEY_INLINE bool AreEnds(const char* kept, const char* key, size_t n) noexcept {
  return ((LoadWord<Word>(kept) ^ LoadWord<Word>(key)) |
          (LoadWord<Word>(kept + sizeof(Word)) ^ LoadWord<Word>(key + n - sizeof(Word)))) == 0;
}

WINNOW_KEY_INLINE void KeepShort(char* kept, const char* key, size_t n) noexcept {
  if (n > 32) {
    KeepEnds<Word128>(kept, key, 32);
    KeepEnds<Word128>(kept + 32, key + n - 32, 32);
  } else if (n > 16) {
    KeepEnds<Word128>(kept, key, n);
  } else if (n >= 8) {
    KeepEnds<uint64_t>(kept, key, n);
  } else if (n >= 4) {
    KeepEnds<uint32_t>(kept, key, n);
  } else {
    // Stores the first, the middle and the last of 1 to 3 bytes.
    kept[0] = key[0];
    kept[1] = key[n / 2];
    kept[2] = key[n - 1];
  }
}

WINNOW_KEY_INLINE bool IsKeptShort(const char* kept, const char* key, size_t n) noexcept {
  if (n > 16) {
    const char* const end = key + n;
    if (n <= 32) {
      return IsZero(Either(Differ128(kept, key), Differ128(kept + 16, end - 16)));
    }
    return IsZero(Either(Either(Differ128(kept, key), Differ128(kept + 16, key + 16)),
                         Either(Differ128(kept + 32, end - 32), Differ128(kept + 48, end - 16))));
  }
  if (n >= 8) {
    return AreEnds<uint64_t>(kept, key, n);
  }
  if (n >= 4) {
    return AreEnds<uint32_t>(kept, key, n);
  }
  return ((kept[0] ^ key[0]) | (kept[1] ^ key[n / 2]) | (kept[2] ^ key[n - 1])) == 0;
}

// ---- Longer keys, stored unchanged. Here, libc's memcmp is worth its call.

// Compares the end first: keys of a database often have a common prefix.
WINNOW_KEY_INLINE bool IsKeptLong(const char* kept, const char* key, size_t n) noexcept {
  return IsZero(Differ128(kept + n - 16, key + n - 16)) && std::memcmp(kept, key, n) == 0;
}

// ---- Keys of any length from 1 on

WINNOW_KEY_INLINE void KeepAny(char* kept, const char* key, size_t n) noexcept {
  if (n <= kMaxShortBytes) {
    KeepShort(kept, key, n);
  } else {
    std::memcpy(kept, key, n);
  }
}

WINNOW_KEY_INLINE bool IsKeptAny(const char* kept, const char* key, size_t n) noexcept {
  return n <= kMaxShortBytes ? IsKeptShort(kept, key, n) : IsKeptLong(kept, key, n);
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_BYTES_H_
