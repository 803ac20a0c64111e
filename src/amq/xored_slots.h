// Slots of fingerprints whose XOR over a key's slots is the key's fingerprint: what XorFilter and
// BinaryFuseFilter have in common.
//
// Building peels: a slot that only one key has can be given whatever that key lacks, once the key's
// other slots are known. So such keys are taken away one after the other until none is left, and
// the slots are written in the opposite order. Some seeds leave a core of keys that share all their
// slots; then another seed is tried.

#ifndef WINNOW_SRC_AMQ_XORED_SLOTS_H_
#define WINNOW_SRC_AMQ_XORED_SLOTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/amq/mix.h"
#include "src/amq/packed_slots.h"
#include "winnow/hash.h"

namespace winnow::amq {

// ceil(log2(1/rate)), from 4 to 32; a rate that is not a number is the lowest.
unsigned FingerprintBits(double rate) noexcept;

// In ascending order, each once. Throws std::bad_alloc.
std::vector<uint64_t> DistinctHashes(const KeyHash* hashes, size_t n);

// Throws the std::runtime_error of a filter that can't be built.
[[noreturn]] void ThrowUnbuildable(const char* filter, size_t keys, unsigned tries);

// The hash that slots and fingerprint are made of.
inline uint64_t SeededHash(uint64_t hash, uint64_t seed) noexcept { return Mix(hash ^ seed); }

// Other bits than those that slots are chosen by.
inline uint64_t FingerprintOf(uint64_t seeded, unsigned bits) noexcept {
  return seeded * kGolden >> (64 - bits);
}

// Whether the slots hold this fingerprint. 8 and 16 bits need no shifting.
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

// For each slot the keys that have it.
struct SlotKeys {
  explicit SlotKeys(uint64_t slots) : hashes(slots), counts(slots) {}
  std::vector<uint64_t> hashes;  // the XOR of their seeded hashes: where there is one key, its own
  std::vector<uint8_t> counts;
};

// The slots in the order in which keys are taken away by them; fewer than keys if some can't be.
// slots_of(seeded hash) gives a key's slots, all different.
template <typename SlotsOf>
std::vector<uint64_t> Peel(const std::vector<uint64_t>& hashes, uint64_t seed, SlotsOf slots_of,
                           SlotKeys* keys) {
  std::vector<uint64_t> order;
  for (const uint64_t hash : hashes) {
    const uint64_t seeded = SeededHash(hash, seed);
    for (const uint64_t slot : slots_of(seeded)) {
      keys->hashes[slot] ^= seeded;
      if (keys->counts[slot] == UINT8_MAX) return order;  // a seed as bad as that is given up
      ++keys->counts[slot];
    }
  }
  order.reserve(hashes.size());
  std::vector<uint64_t> alone;
  for (uint64_t start = 0; start < keys->counts.size(); ++start) {
    if (keys->counts[start] == 1) alone.push_back(start);
    while (!alone.empty()) {
      const uint64_t slot = alone.back();
      alone.pop_back();
      if (keys->counts[slot] != 1) continue;
      order.push_back(slot);
      const uint64_t seeded = keys->hashes[slot];
      for (const uint64_t other : slots_of(seeded)) {
        if (--keys->counts[other] == 1) alone.push_back(other);
        if (other != slot) keys->hashes[other] ^= seeded;
      }
    }
  }
  return order;
}

// Fills the zeroed bytes of the slots with what the hashes want. False if that can't be done with
// this seed; the bytes are then as they were.
template <typename SlotsOf>
bool FillSlots(const std::vector<uint64_t>& hashes, uint64_t seed, uint64_t num_slots,
               unsigned bits, SlotsOf slots_of, unsigned char* bytes) {
  SlotKeys keys(num_slots);
  const std::vector<uint64_t> order = Peel(hashes, seed, slots_of, &keys);
  if (order.size() != hashes.size()) return false;
  for (auto slot = order.rbegin(); slot != order.rend(); ++slot) {
    const uint64_t seeded = keys.hashes[*slot];
    uint64_t value = FingerprintOf(seeded, bits);
    // The slot itself still holds 0.
    for (const uint64_t other : slots_of(seeded)) value ^= GetSlot(bytes, other, bits);
    SetSlot(bytes, *slot, bits, value);
  }
  return true;
}

}  // namespace winnow::amq

#endif  // WINNOW_SRC_AMQ_XORED_SLOTS_H_
