// How a ConcurrentBloom finds a key's bits: in a header so that lookups are inlined, and no part of
// the interface. Programs keep what they were compiled with, so that this is the library's binary
// interface nevertheless.

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

// The lock of a line, in its first word, where g++ has an instruction to set it. No key sets or
// asks for it: for each word the bits that keys may have there.
inline constexpr uint64_t kLock = 1;
inline constexpr uint64_t kKeyBits[kLineWords] = {~kLock,       ~uint64_t{0}, ~uint64_t{0},
                                                  ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0},
                                                  ~uint64_t{0}, ~uint64_t{0}};

// Odd and random.
inline constexpr uint64_t kLineFactor = 0xd6e8feb86659fd93u;

// The line of a key, and which bits it has there.
struct Place {
  std::atomic<uint64_t>* words;
  unsigned first_word;
  uint64_t pattern;
};

// Lines of a filter with kWords words a key, and kBits places in each, of 6 bits of the pattern.
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

  // Acquire: whoever sees bits that another thread set also sees what that thread did before. All
  // words are read, whatever the first ones say: a processor would guess wrong when they tell.
  [[gnu::always_inline]] static inline bool HasAll(const Place& place) noexcept {
    uint64_t missing = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < kWords; ++i) {
      const uint64_t word = place.words[Word(place, i)].load(std::memory_order_acquire);
      missing |= ~word & Bits(place, i);
    }
    return missing == 0;
  }

  // Sets the bits where no other thread does, and tells whether one was not set. Others only read
  // the words meanwhile, or try the lock. Each word is released.
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

// Runs a function that is made for this shape.
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

// A product of the whole hash has both: the line and its first word from the high bits of the low
// half, the pattern from the high half. Neither is weak where some bits of all hashes are equal,
// since keys were divided by these.
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
