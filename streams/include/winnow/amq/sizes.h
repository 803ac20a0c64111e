// Sizes of every kind of filter for a plan, without creating filters.

#ifndef WINNOW_AMQ_SIZES_H_
#define WINNOW_AMQ_SIZES_H_

#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/version.h"

namespace winnow::amq {

struct KindSize {
  const char* kind = "";   // "standard", "cuckoo", …; static
  bool grows = false;      // keys can be added after construction
  bool unlimited = false;  // any number of keys can be added at the same rate
  bool deletes = false;    // keys can be removed
  bool threads = false;    // several threads can add keys concurrently
  unsigned bits = 0;       // bits that a key sets, or bits of a fingerprint
  bool is_fingerprint = false;
  unsigned most_lines = 0;  // maximum number of cache lines that a lookup reads
  uint64_t bytes = 0;       // size_bytes()
  double rate = 0;          // rate with all keys, including n / 2^64 for equal hashes
};

// Returns the sizes of all kinds for the plan, smallest first. If a kind cannot reach the rate, its
// `rate` is above the plan's. A ScalableBloom begins with 1,000 keys and otherwise has the default
// options; a PagedBloom has pages of 1 KiB. A value out of range is replaced by the nearest valid
// one.
WINNOW_EXPORT std::vector<KindSize> SizesFor(const Plan& plan);

// Returns the lowest rate of each kind for this number of keys within this number of bytes, lowest
// first; kinds that do not fit at any rate are missing.
WINNOW_EXPORT std::vector<KindSize> SizesWithin(uint64_t keys, uint64_t bytes);

// Returns the textbook rate of a standard Bloom filter with n keys in m bits and k bits per key: (1
// - e^(-kn/m))^k, plus n / 2^64 for equal hashes. m and k must be at least 1.
WINNOW_EXPORT double BloomFilterRate(double n, double m, unsigned k) noexcept;

// Returns the maximum number of keys with which BloomFilterRate() is at most `rate`; 0 if one key
// exceeds it.
WINNOW_EXPORT uint64_t BloomFilterKeys(double m, unsigned k, double rate) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_SIZES_H_
