// Where a BinaryFuseFilter has a key, and as what: in a header so that lookups are inlined, and no
// part of the interface. Programs keep what they were compiled with, so that this is the library's
// binary interface nevertheless.

#ifndef WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_
#define WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_

#include <array>
#include <cstdint>

#include "winnow/amq/internal/hash_mix.h"

namespace winnow::amq::internal {

// While a filter is built, the low bits of a seeded hash count keys.
inline constexpr unsigned kCountBits = 6;

// A segment has at most 2^18 slots.
inline constexpr unsigned kMostSegmentBits = 18;

// The hash that slots and fingerprint are made of. Its low bits are 0: of 10^7 keys two have the
// same in one of 6,000 filters, which then take another seed.
[[gnu::always_inline]] inline uint64_t SeededHash(uint64_t hash, uint64_t seed) noexcept {
  return Mix(hash ^ seed) >> kCountBits << kCountBits;
}

// Other bits than those that slots are chosen by.
[[gnu::always_inline]] inline uint64_t FingerprintOf(uint64_t seeded, unsigned bits) noexcept {
  return seeded * kGolden >> (64 - bits);
}

// One slot in each of successive segments of this many slots, a power of 2, of which the first is
// that of a random one of the `starts` slots. Each has bits of its own, at places that are known to
// the compiler.
[[gnu::always_inline]] inline std::array<uint64_t, 3> ThreeSlots(uint64_t seeded, uint64_t starts,
                                                                 uint64_t segment) noexcept {
  const uint64_t first = Reduce(seeded, starts);
  const uint64_t second = first + segment;
  return {first, second ^ (seeded >> kCountBits & (segment - 1)),
          (second + segment) ^ (seeded >> (kCountBits + kMostSegmentBits) & (segment - 1))};
}

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_
