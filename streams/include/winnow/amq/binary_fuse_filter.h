// A filter of keys that are all known, in 1.13 or 1.08 fingerprints a key: three or four reads for
// a lookup, near one another.

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

// As XorFilter, but the slots of a key lie in three or four successive segments of many (Graf and
// Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", 2022). With the paper's length
// of segments, up to 99 of 100 seeds fail where it has just doubled. So lengths and numbers of
// segments are by simulation, and the slots a key are about, for n keys:
//   n        100    1,000  10^4   10^5   10^6   10^7
//   3-wise   1.92   1.54   1.28   1.19   1.13   1.13
//   4-wise   1.60   1.41   1.20   1.12   1.08   1.08
// The rate is 2^-bits. It can't be added to.
//
// Lookups are safe from any number of threads. A filter that was moved from can only be destroyed
// or assigned to.
class WINNOW_EXPORT BinaryFuseFilter {
 public:
  // Builds the filter of these hashes, in any order; equal ones count once. Fingerprints have
  // ceil(log2(1/rate)) bits, at least 4 and at most 32. Takes up to 30 bytes a key beside the
  // filter while it builds (10^4 keys and more). Throws std::bad_alloc, or std::runtime_error if
  // none of kMostTries seeds lets the keys be placed: of random hashes at most one seed in 20
  // fails.
  BinaryFuseFilter(const KeyHash* hashes, size_t n, double rate,
                   FuseArity arity = FuseArity::kThree);
  static constexpr unsigned kMostTries = 64;

  // False only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // The same for n hashes in turn: faster, as the misses overlap in filters larger than the caches.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Bytes of the slots.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  unsigned fingerprint_bits() const noexcept { return bits_; }
  FuseArity arity() const noexcept { return arity_; }

  // Different hashes.
  uint64_t num_keys() const noexcept { return keys_; }

  // Seeds that were tried, 1 for nearly all filters.
  unsigned tries() const noexcept { return tries_; }

  // The share of absent keys that the filter says "may contain" to: 2^-bits, and n / 2^64 for equal
  // hashes; 0 without keys.
  double expected_fpr() const noexcept;
  // 2^-bits: at most the rate asked for, but where that is below 2^-32.
  double planned_fpr() const noexcept;

 private:
  // Where it is not three bytes. Pure: loops over lookups keep the members in registers.
  [[gnu::pure]] bool MayContainOther(KeyHash hash) const noexcept;

  std::vector<unsigned char> bytes_;
  uint64_t starts_ = 1;   // slots that the first of a key's may be
  uint64_t segment_ = 4;  // slots of a segment, a power of 2
  uint64_t seed_ = 0;
  bool three_bytes_ = false;  // keys are in three slots of 8 bits; not without keys
  FuseArity arity_ = FuseArity::kThree;
  unsigned bits_ = 4;
  unsigned tries_ = 0;
  uint64_t keys_ = 0;
};

inline bool BinaryFuseFilter::MayContain(KeyHash hash) const noexcept {
  // Read ahead of the branch: what is read behind one would be read for every key of a loop.
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
