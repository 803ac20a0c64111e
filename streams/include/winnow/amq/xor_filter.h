// Xor filter: an immutable filter with 1.23 fingerprints per key, and three reads per lookup.

#ifndef WINNOW_AMQ_XOR_FILTER_H_
#define WINNOW_AMQ_XOR_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Each key has three slots, one in each third of the slots; the XOR of their fingerprints is the
// key's fingerprint (Graf and Lemire, "Xor Filters: Faster and Smaller Than Bloom and Cuckoo
// Filters", 2020). The filter has 1.23 n + 32 slots of `bits` bits and the false-positive rate
// 2^-bits. Keys cannot be added later.
//
// Lookups are thread-safe. A moved-from filter can only be destroyed or assigned to.
class WINNOW_EXPORT XorFilter {
 public:
  // Builds the filter from these hashes, in any order; equal hashes count once. Fingerprints have
  // ceil(log2(1/rate)) bits, at least 4 and at most 32. Takes up to 30 bytes per key in addition to
  // the filter during construction (10^4 keys and more). Throws std::bad_alloc, or
  // std::runtime_error if construction fails with kMostTries seeds: for random hashes, at most one
  // seed in 6 fails.
  XorFilter(const KeyHash* hashes, size_t n, double rate);
  static constexpr unsigned kMostTries = 64;

  // Returns false only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // Size of the slots in bytes.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  unsigned fingerprint_bits() const noexcept { return bits_; }

  // Number of distinct hashes.
  uint64_t num_keys() const noexcept { return keys_; }

  // Number of seeds that were tried, 1 for nearly all filters.
  unsigned tries() const noexcept { return tries_; }

  // Expected false-positive rate: 2^-bits plus n / 2^64 for equal hashes; 0 without keys.
  double expected_fpr() const noexcept;
  // 2^-bits: at most the requested rate, unless that is below 2^-32.
  double planned_fpr() const noexcept;

 private:
  std::vector<unsigned char> bytes_;
  uint64_t third_ = 1;  // slots per third
  uint64_t seed_ = 0;
  uint64_t keys_ = 0;
  unsigned bits_ = 4;
  unsigned tries_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_XOR_FILTER_H_
