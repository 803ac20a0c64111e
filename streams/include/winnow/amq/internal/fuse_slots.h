// Fingerprints and slots of a BinaryFuseFilter. A header, so that lookups are inlined, and not a
// part of the API. It is nevertheless a part of the library's ABI, since programs keep the code
// that they were compiled with.

#ifndef WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_
#define WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_

#include <array>
#include <cstdint>

#include "winnow/amq/internal/hash_mix.h"

namespace winnow::amq::internal {

// Low bits of a seeded hash that count keys during construction.
inline constexpr unsigned kCountBits = 6;

// A segment has at most 2^18 slots.
inline constexpr unsigned kMostSegmentBits = 18;

// Returns the hash from which slots and fingerprint are derived. Its low bits are 0: with 10^7
// keys, two keys have equal seeded hashes in one of 6,000 filters, which then retries with another
// seed.
[[gnu::always_inline]] inline uint64_t SeededHash(uint64_t hash, uint64_t seed) noexcept {
  return Mix(hash ^ seed) >> kCountBits << kCountBits;
}

// Returns the fingerprint, from other hash bits than those that select the slots.
[[gnu::always_inline]] inline uint64_t FingerprintOf(uint64_t seeded, unsigned bits) noexcept {
  return seeded * kGolden >> (64 - bits);
}

// Returns a slot in each of three consecutive segments of `segment` slots, a power of 2. The first
// slot is a random one of `starts` slots. Each slot has hash bits of its own, at positions that are
// compile-time constants.
[[gnu::always_inline]] inline std::array<uint64_t, 3> ThreeSlots(uint64_t seeded, uint64_t starts,
                                                                 uint64_t segment) noexcept {
  const uint64_t first = Reduce(seeded, starts);
  const uint64_t second = first + segment;
  return {first, second ^ (seeded >> kCountBits & (segment - 1)),
          (second + segment) ^ (seeded >> (kCountBits + kMostSegmentBits) & (segment - 1))};
}

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_FUSE_SLOTS_H_
