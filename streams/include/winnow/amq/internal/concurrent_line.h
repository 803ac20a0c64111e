// Positions of a key's bits in a ConcurrentBloom. A header, so that lookups are inlined, and not a
// part of the API. It is nevertheless a part of the library's ABI, since programs keep the code
// that they were compiled with.

#ifndef WINNOW_AMQ_INTERNAL_CONCURRENT_LINE_H_
#define WINNOW_AMQ_INTERNAL_CONCURRENT_LINE_H_

#include <atomic>
#include <cstdint>

#include "winnow/hash.h"

namespace winnow::amq::internal {

inline constexpr unsigned kLineWords = 8;

struct alignas(64) Line {
  std::atomic<uint64_t> words[kLineWords];
};

// kLock is the lock of a line, in its first word, where g++ has an instruction to set it. Keys
// neither set nor test it: kKeyBits has the bits of each word that keys may use.
inline constexpr uint64_t kLock = 1;
inline constexpr uint64_t kKeyBits[kLineWords] = {~kLock,       ~uint64_t{0}, ~uint64_t{0},
                                                  ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0},
                                                  ~uint64_t{0}, ~uint64_t{0}};

// Odd random multiplier.
inline constexpr uint64_t kLineFactor = 0xd6e8feb86659fd93u;

// The line of a key, and the key's bits in it.
struct Place {
  std::atomic<uint64_t>* words;
  unsigned first_word;
  uint64_t pattern;
};

// Bit positions of a filter with kWords words per key and kBits positions per word, each from 6
// bits of the pattern.
template <unsigned kWords, unsigned kBits>
struct LineShape {
  static_assert(kWords * kBits <= 10);

  [[gnu::always_inline]] static inline unsigned Word(const Place& place, unsigned i) noexcept {
    return (place.first_word + i) & (kLineWords - 1);
  }

  [[gnu::always_inline]] static inline uint64_t Bits(const Place& place, unsigned i) noexcept {
    uint64_t bits = 0;
    for (unsigned j = 0; j < kBits; ++j) {
      bits |= uint64_t{1} << (place.pattern >> 6 * (kBits * i + j) & 63);
    }
    return bits & kKeyBits[Word(place, i)];
  }

  // Tests all bits with acquire order: a thread that sees bits set by another thread also sees what
  // that thread did before. All words are read unconditionally, since an early exit would be
  // mispredicted often.
  [[gnu::always_inline]] static inline bool HasAll(const Place& place) noexcept {
    uint64_t missing = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWords; ++i) {
      const uint64_t word = place.words[Word(place, i)].load(std::memory_order_acquire);
      missing |= ~word & Bits(place, i);
    }
    return missing == 0;
  }

  // Sets the bits, and returns whether one of them was not set. No other thread may set bits of
  // this line during the call; others may read the words or try the lock. Each word is stored with
  // release order.
  [[gnu::always_inline]] static inline bool SetAll(const Place& place) noexcept {
    uint64_t added = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWords; ++i) {
      std::atomic<uint64_t>& word = place.words[Word(place, i)];
      const uint64_t before = word.load(std::memory_order_relaxed);
      const uint64_t bits = Bits(place, i);
      added |= ~before & bits;
      word.store(before | bits, std::memory_order_release);
    }
    return added != 0;
  }
};

// Calls run() with the LineShape for this number of probes.
template <typename Run>
[[gnu::always_inline]] inline auto WithShape(unsigned probes, const Run& run) noexcept {
  switch (probes) {
    case 2:
      return run(LineShape<2, 1>());
    case 4:
      return run(LineShape<2, 2>());
    case 6:
      return run(LineShape<3, 2>());
    case 8:
      return run(LineShape<4, 2>());
    default:
      return run(LineShape<5, 2>());
  }
}

// The product of the whole hash gives both: line and first word from the high bits of the low half,
// the pattern from the high half. Both remain strong if some bits of all hashes are equal because
// keys were partitioned by these bits.
[[gnu::always_inline]] inline Place PlaceIn(Line* lines, uint64_t num_lines,
                                            KeyHash hash) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash.value) * kLineFactor;
  const Wide at = static_cast<Wide>(static_cast<uint64_t>(product)) * num_lines;
  return {lines[static_cast<uint64_t>(at >> 64)].words,
          static_cast<unsigned>(static_cast<uint64_t>(at) >> 61),
          static_cast<uint64_t>(product >> 64)};
}

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_CONCURRENT_LINE_H_
