// Hash mixing shared by the filters. A header, so that lookups are inlined, and not a part of the
// API. It is nevertheless a part of the library's ABI, since programs keep the code that they were
// compiled with.

#ifndef WINNOW_AMQ_INTERNAL_HASH_MIX_H_
#define WINNOW_AMQ_INTERNAL_HASH_MIX_H_

#include <cstdint>

namespace winnow::amq::internal {

// These functions are always inlined: otherwise, a source that is compiled for some processors only
// could provide the copy that other processors run.

// 2^64 divided by the golden ratio, odd.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

// Bijection in which every output bit depends on all input bits (the finalizer of SplitMix64;
// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
[[gnu::always_inline]] inline uint64_t Mix(uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Maps the high bits to 0 to limit - 1 (Lemire, "Fast random integer generation in an interval",
// 2019). `limit` must be at least 1.
[[gnu::always_inline]] inline uint64_t Reduce(uint64_t bits, uint64_t limit) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(bits) * limit >> 64);
}

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_HASH_MIX_H_
