// Binary fuse filter: an immutable filter with 1.13 or 1.08 fingerprints per key, and three or four
// nearby reads per lookup.

#ifndef WINNOW_AMQ_BINARY_FUSE_FILTER_H_
#define WINNOW_AMQ_BINARY_FUSE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/internal/fuse_slots.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

enum class FuseArity : uint8_t { kThree = 3, kFour = 4 };

// A filter like XorFilter, but the slots of a key lie in three or four consecutive segments of many
// (Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", 2022). With the
// paper's length of segments, up to 99 of 100 seeds fail where the length has just doubled. Lengths
// and numbers of segments were therefore found by simulation. The slots per key for n keys are
// about:
//   n        100    1,000  10^4   10^5   10^6   10^7
//   3-wise   1.92   1.54   1.28   1.19   1.13   1.13
//   4-wise   1.60   1.41   1.20   1.12   1.08   1.08
// The false-positive rate is 2^-bits. Keys cannot be added later.
//
// Lookups are thread-safe. A moved-from filter can only be destroyed or assigned to.
class WINNOW_EXPORT BinaryFuseFilter {
 public:
  // Builds the filter from these hashes, in any order; equal hashes count once. Fingerprints have
  // ceil(log2(1/rate)) bits, at least 4 and at most 32. Takes up to 30 bytes per key in addition to
  // the filter during construction (10^4 keys and more). Throws std::bad_alloc, or
  // std::runtime_error if construction fails with kMostTries seeds: for random hashes, at most one
  // seed in 20 fails.
  BinaryFuseFilter(const KeyHash* hashes, size_t n, double rate,
                   FuseArity arity = FuseArity::kThree);
  static constexpr unsigned kMostTries = 64;

  // Returns false only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // Looks up n hashes. Faster than single lookups in filters larger than the caches, as the cache
  // misses overlap.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Size of the slots in bytes.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  unsigned fingerprint_bits() const noexcept { return bits_; }
  FuseArity arity() const noexcept { return arity_; }

  // Number of distinct hashes.
  uint64_t num_keys() const noexcept { return keys_; }

  // Number of seeds that were tried, 1 for nearly all filters.
  unsigned tries() const noexcept { return tries_; }

  // Expected false-positive rate: 2^-bits plus n / 2^64 for equal hashes; 0 without keys.
  double expected_fpr() const noexcept;
  // 2^-bits: at most the requested rate, unless that is below 2^-32.
  double planned_fpr() const noexcept;

 private:
  // Lookup for other shapes than three slots of 8 bits. Pure: loops over lookups keep the members
  // in registers.
  [[gnu::pure]] bool MayContainOther(KeyHash hash) const noexcept;

  std::vector<unsigned char> bytes_;
  uint64_t starts_ = 1;   // number of slots that a key's first slot can be
  uint64_t segment_ = 4;  // slots per segment, a power of 2
  uint64_t seed_ = 0;
  bool three_bytes_ = false;  // keys have three slots of 8 bits; false without keys
  FuseArity arity_ = FuseArity::kThree;
  unsigned bits_ = 4;
  unsigned tries_ = 0;
  uint64_t keys_ = 0;
};

inline bool BinaryFuseFilter::MayContain(KeyHash hash) const noexcept {
  // Loads the members ahead of the branch: loads behind it would be repeated for every key of a
  // loop.
  const uint64_t seed = seed_;
  const uint64_t starts = starts_;
  const uint64_t segment = segment_;
  const unsigned char* bytes = bytes_.data();
  if (__builtin_expect(!three_bytes_, 0)) return MayContainOther(hash);
  const uint64_t seeded = internal::SeededHash(hash.value, seed);
  const auto slots = internal::ThreeSlots(seeded, starts, segment);
  const auto found =
      static_cast<unsigned char>(bytes[slots[0]] ^ bytes[slots[1]] ^ bytes[slots[2]]);
  return found == static_cast<unsigned char>(internal::FingerprintOf(seeded, 8));
}

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_BINARY_FUSE_FILTER_H_
