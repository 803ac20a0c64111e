// Slots of fingerprints whose XOR over a key's slots is the key's fingerprint: what XorFilter and
// BinaryFuseFilter have in common.
//
// Building peels: a slot that only one key has can be given whatever that key lacks, once the key's
// other slots are known. So such keys are taken away one after the other until none is left, and
// the slots are written in the opposite order. Some seeds leave a core of keys that share all their
// slots; then another seed is tried.

#ifndef WINNOW_STREAMS_AMQ_XORED_SLOTS_H_
#define WINNOW_STREAMS_AMQ_XORED_SLOTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "streams/amq/large_memory.h"
#include "streams/amq/mix.h"
#include "streams/amq/packed_slots.h"
#include "winnow/amq/internal/fuse_slots.h"
#include "winnow/hash.h"

namespace winnow::amq {

// ceil(log2(1/rate)), from 4 to 32; a rate that is not a number is the lowest.
unsigned FingerprintBits(double rate) noexcept;

// In ascending order, each once. Throws std::bad_alloc.
std::vector<KeyHash> DistinctHashes(const KeyHash* hashes, size_t n);

// Throws the std::runtime_error of a filter that can't be built.
[[noreturn]] void ThrowUnbuildable(const char* filter, size_t keys, unsigned tries);

using internal::FingerprintOf;
using internal::kCountBits;
using internal::SeededHash;

// Returns whether the slots hold this fingerprint. 8 and 16 bits need no shifting.
template <size_t kArity>
inline bool SlotsHold(const unsigned char* bytes, unsigned bits,
                      const std::array<uint64_t, kArity>& slots, uint64_t fingerprint) noexcept {
  uint64_t found = 0;
  if (bits == 8) {
    for (const uint64_t slot : slots) found ^= bytes[slot];
  } else if (bits == 16) {
    for (const uint64_t slot : slots) found ^= formulas::LoadLittle64(bytes + 2 * slot) & 0xffff;
  } else {
    for (const uint64_t slot : slots) found ^= GetSlot(bytes, slot, bits);
  }
  return found == fingerprint;
}

// The seeded hashes, in the order of their high bits as far as that keeps what is done with them
// within the caches: the first slot follows from these bits.
inline LargeArray<uint64_t> OrderedSeededHashes(const KeyHash* hashes, size_t n, uint64_t seed) {
  constexpr size_t kKeysOfPart = 4096;
  constexpr unsigned kMaxPartBits = 10;
  unsigned part_bits = 1;
  while (part_bits < kMaxPartBits && n >> part_bits > kKeysOfPart) ++part_bits;
  const unsigned shift = 64 - part_bits;
  std::array<size_t, (size_t{1} << kMaxPartBits) + 1> ends{};
  for (size_t i = 0; i < n; ++i) ++ends[(SeededHash(hashes[i].value, seed) >> shift) + 1];
  for (size_t part = 1; part < ends.size(); ++part) ends[part] += ends[part - 1];
  // One more, which Peel() writes and never reads.
  auto ordered = LargeArray<uint64_t>::Unset(n + 1);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t seeded = SeededHash(hashes[i].value, seed);
    ordered[ends[seeded >> shift]++] = seeded;
  }
  return ordered;
}

// Takes keys away as long as there is a slot that only one has. Replaces the seeded hashes by those
// that were taken away, in turn, and puts the slots that they had alone into alone[0], alone[1], …:
// as many as are returned, n if none is left.
//
// For each slot there is one number: the sum of its keys' seeded hashes, and how many they are in
// the low bits. There are no branches that depend on keys, and what is to do waits in a queue: so
// that a processor works at several keys at once.
template <typename Index, typename SlotsOf>
size_t Peel(LargeArray<uint64_t>* seeded_hashes, size_t n, uint64_t num_slots, SlotsOf slots_of,
            LargeArray<Index>* alone) {
  constexpr uint64_t kCounts = (uint64_t{1} << kCountBits) - 1;
  constexpr uint64_t kTooMany = (kCounts + 1) / 2;
  constexpr uint64_t kSlotsAtOnce = 4096;
  auto sums = LargeArray<uint64_t>::Zeroes(num_slots);
  uint64_t counted = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t seeded = (*seeded_hashes)[i];
    for (const uint64_t slot : slots_of(seeded)) counted |= sums[slot] += seeded + 1;
    if ((counted & kTooMany) != 0) return 0;  // a seed as bad as that is given up
  }
  size_t taken = 0;
  size_t first = 0;  // of the queue
  size_t last = 0;
  for (uint64_t start = 0; start < num_slots; start += kSlotsAtOnce) {
    const uint64_t end = std::min(start + kSlotsAtOnce, num_slots);
    for (uint64_t slot = start; slot < end; ++slot) {
      (*alone)[last] = static_cast<Index>(slot);
      last += (sums[slot] & kCounts) == 1;
    }
    for (; first < last; ++first) {
      const Index slot = (*alone)[first];
      // If its key was taken away by another slot, the sum is 0: nothing is taken from any slot.
      const uint64_t sum = sums[slot];
      const uint64_t is_alone = sum & 1;
      (*seeded_hashes)[taken] = sum - is_alone;
      (*alone)[taken] = slot;
      taken += is_alone;
      for (const uint64_t other : slots_of(sum - is_alone)) {
        const uint64_t left = sums[other] - sum;
        sums[other] = left;
        (*alone)[last] = static_cast<Index>(other);
        last += is_alone & static_cast<uint64_t>((left & kCounts) == 1);
      }
    }
  }
  return taken;
}

// Fills the zeroed bytes of the slots with what the hashes want. False if that can't be done with
// this seed; the bytes are then as they were. Index can number the slots, and one more.
// slots_of(seeded hash) gives a key's slots, all different.
template <typename Index, typename SlotsOf>
bool FillSlotsOf(const KeyHash* hashes, size_t n, uint64_t seed, uint64_t num_slots, unsigned bits,
                 SlotsOf slots_of, unsigned char* bytes) {
  auto seeded_hashes = OrderedSeededHashes(hashes, n, seed);
  // Each slot gets into the queue once, and what is written behind its end is not read.
  auto alone = LargeArray<Index>::Unset(num_slots + 1);
  if (Peel(&seeded_hashes, n, num_slots, slots_of, &alone) != n) return false;
  // The slot itself still holds 0.
  if (bits == 8) {
    for (size_t i = n; i-- > 0;) {
      const uint64_t seeded = seeded_hashes[i];
      uint64_t value = FingerprintOf(seeded, bits);
      for (const uint64_t slot : slots_of(seeded)) value ^= bytes[slot];
      bytes[alone[i]] = static_cast<unsigned char>(value);
    }
  } else {
    for (size_t i = n; i-- > 0;) {
      const uint64_t seeded = seeded_hashes[i];
      uint64_t value = FingerprintOf(seeded, bits);
      for (const uint64_t slot : slots_of(seeded)) value ^= GetSlot(bytes, slot, bits);
      SetSlot(bytes, alone[i], bits, value);
    }
  }
  return true;
}

template <typename SlotsOf>
bool FillSlots(const KeyHash* hashes, size_t n, uint64_t seed, uint64_t num_slots, unsigned bits,
               SlotsOf slots_of, unsigned char* bytes) {
  return num_slots < UINT32_MAX
             ? FillSlotsOf<uint32_t>(hashes, n, seed, num_slots, bits, slots_of, bytes)
             : FillSlotsOf<uint64_t>(hashes, n, seed, num_slots, bits, slots_of, bytes);
}

// Calls fill(hashes, n, seed), which says whether the keys could be placed, until they are: with
// other seeds, and once equal hashes were found, which no seed lets place, with each hash once.
// Returns how many were placed. Throws as ThrowUnbuildable().
template <typename Fill>
size_t FillDistinct(const char* filter, const KeyHash* hashes, size_t n, unsigned most_tries,
                    unsigned* tries, uint64_t* seed, const Fill& fill) {
  *tries = 1;
  *seed = Mix(*tries);
  if (fill(hashes, n, *seed)) return n;
  const std::vector<KeyHash> distinct = DistinctHashes(hashes, n);
  if (distinct.size() < n && fill(distinct.data(), distinct.size(), *seed)) return distinct.size();
  while (*tries < most_tries) {
    *seed = Mix(++*tries);
    if (fill(distinct.data(), distinct.size(), *seed)) return distinct.size();
  }
  ThrowUnbuildable(filter, distinct.size(), *tries);
}

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_XORED_SLOTS_H_
