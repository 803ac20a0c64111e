// A filter of keys that are all known, in 1.23 fingerprints a key: three reads for a lookup.

#ifndef WINNOW_AMQ_XOR_FILTER_H_
#define WINNOW_AMQ_XOR_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Three slots for each key, one in each third of them, whose fingerprints' XOR is the key's (Graf
// and Lemire, "Xor Filters: Faster and Smaller Than Bloom and Cuckoo Filters", 2020):
// 1.23 n + 32 slots of `bits` bits, and the rate 2^-bits. It can't be added to.
//
// Lookups are safe from any number of threads. A filter that was moved from can only be destroyed
// or assigned to.
class WINNOW_EXPORT XorFilter {
 public:
  // Builds the filter of these hashes, in any order; equal ones count once. Fingerprints have
  // ceil(log2(1/rate)) bits, at least 4 and at most 32. Takes up to 30 bytes a key beside the
  // filter while it builds (10^4 keys and more). Throws std::bad_alloc, or std::runtime_error if
  // none of kMostTries seeds lets the keys be placed: of random hashes at most one seed in 6 fails.
  XorFilter(const KeyHash* hashes, size_t n, double rate);
  static constexpr unsigned kMostTries = 64;

  // False only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // Bytes of the slots.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  unsigned fingerprint_bits() const noexcept { return bits_; }

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
  std::vector<unsigned char> bytes_;
  uint64_t third_ = 1;  // slots of each
  uint64_t seed_ = 0;
  uint64_t keys_ = 0;
  unsigned bits_ = 4;
  unsigned tries_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_XOR_FILTER_H_
