// How filters make bits of a hash: in a header so that lookups are inlined, and no part of the
// interface. Programs keep what they were compiled with, so that this is the library's binary
// interface nevertheless.

#ifndef WINNOW_AMQ_INTERNAL_HASH_MIX_H_
#define WINNOW_AMQ_INTERNAL_HASH_MIX_H_

#include <cstdint>

namespace winnow::amq::internal {

// Inlined always: sources that are compiled for some processors only have no copy of these for
// others.

// 2^64 divided by the golden ratio, odd.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

// A bijection in which every bit depends on all (the finalizer of SplitMix64; Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", 2014).
[[gnu::always_inline]] inline uint64_t Mix(uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// From 0 to limit - 1, by the high bits (Lemire, "Fast random integer generation in an interval",
// 2019). limit is at least 1.
[[gnu::always_inline]] inline uint64_t Reduce(uint64_t bits, uint64_t limit) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(bits) * limit >> 64);
}

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_HASH_MIX_H_
