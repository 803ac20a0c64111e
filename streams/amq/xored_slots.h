// Slots of fingerprints in which the XOR over a key's slots is the key's fingerprint; shared by
// XorFilter and BinaryFuseFilter.
//
// Construction is by peeling: a slot that only one key has can be given any value that the key
// needs once the key's other slots are known. Such keys are removed one after the other until none
// is left, and the slots are assigned in reverse order. With some seeds a core of keys remains that
// share all their slots; construction then retries with another seed.

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

// Returns ceil(log2(1/rate)), from 4 to 32; a NaN rate counts as the lowest.
unsigned FingerprintBits(double rate) noexcept;

// Returns the hashes in ascending order without duplicates. Throws std::bad_alloc.
std::vector<KeyHash> DistinctHashes(const KeyHash* hashes, size_t n);

// Throws std::runtime_error: the filter cannot be built after `tries` tries.
[[noreturn]] void ThrowUnbuildable(const char* filter, size_t keys, unsigned tries);

using internal::FingerprintOf;
using internal::kCountBits;
using internal::SeededHash;

// Returns whether the slots contain this fingerprint. Widths of 8 and 16 bits need no shifts.
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

// Returns the seeded hashes, partitioned by their high bits. The first slot follows from these
// bits, so that the passes over a partition stay within the caches.
inline LargeArray<uint64_t> OrderedSeededHashes(const KeyHash* hashes, size_t n, uint64_t seed) {
  constexpr size_t kKeysOfPart = 4096;
  constexpr unsigned kMaxPartBits = 10;
  unsigned part_bits = 1;
  while (part_bits < kMaxPartBits && n >> part_bits > kKeysOfPart) ++part_bits;
  const unsigned shift = 64 - part_bits;
  std::array<size_t, (size_t{1} << kMaxPartBits) + 1> ends{};
  for (size_t i = 0; i < n; ++i) ++ends[(SeededHash(hashes[i].value, seed) >> shift) + 1];
  for (size_t part = 1; part < ends.size(); ++part) ends[part] += ends[part - 1];
  // One extra element, which Peel() writes and never reads.
  auto ordered = LargeArray<uint64_t>::Unset(n + 1);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t seeded = SeededHash(hashes[i].value, seed);
    ordered[ends[seeded >> shift]++] = seeded;
  }
  return ordered;
}

// Peels: removes keys as long as a slot has only one key. Replaces the seeded hashes by those of
// the removed keys, in order of removal, and stores the slot that each key had alone in alone[0],
// alone[1], …. Returns the number of removed keys, n on success.
//
// Each slot has one number: the sum of its keys' seeded hashes, with their count in the low bits.
// No branches depend on keys, and pending slots wait in a queue, so that the processor works on
// several keys at once.
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
    if ((counted & kTooMany) != 0) return 0;  // a seed this bad is given up
  }
  size_t taken = 0;
  size_t first = 0;  // head of the queue
  size_t last = 0;
  for (uint64_t start = 0; start < num_slots; start += kSlotsAtOnce) {
    const uint64_t end = std::min(start + kSlotsAtOnce, num_slots);
    for (uint64_t slot = start; slot < end; ++slot) {
      (*alone)[last] = static_cast<Index>(slot);
      last += (sums[slot] & kCounts) == 1;
    }
    for (; first < last; ++first) {
      const Index slot = (*alone)[first];
      // If the slot's key was removed through another slot, the sum is 0 and the subtractions have
      // no effect.
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

// Fills the zeroed bytes of the slots for these hashes. Returns false if that is impossible with
// this seed; the bytes are then unchanged. Index must be able to hold num_slots + 1.
// slots_of(seeded hash) returns a key's slots, all distinct.
template <typename Index, typename SlotsOf>
bool FillSlotsOf(const KeyHash* hashes, size_t n, uint64_t seed, uint64_t num_slots, unsigned bits,
                 SlotsOf slots_of, unsigned char* bytes) {
  auto seeded_hashes = OrderedSeededHashes(hashes, n, seed);
  // Each slot enters the queue at most once; the extra element behind the end is written but never
  // read.
  auto alone = LargeArray<Index>::Unset(num_slots + 1);
  if (Peel(&seeded_hashes, n, num_slots, slots_of, &alone) != n) return false;
  // The key's own slot still holds 0, so that the XOR may include it.
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

// Calls fill(hashes, n, seed), which returns whether all keys could be placed, until it succeeds.
// Each retry has another seed; once equal hashes are found, which no seed can place, duplicates are
// removed. Returns the number of placed hashes. Throws like ThrowUnbuildable().
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
