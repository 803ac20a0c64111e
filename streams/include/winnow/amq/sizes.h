// Sizes of every kind of filter for a plan, without making one.

#ifndef WINNOW_AMQ_SIZES_H_
#define WINNOW_AMQ_SIZES_H_

#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/version.h"

namespace winnow::amq {

struct KindSize {
  const char* kind = "";   // "standard", "cuckoo", …: static
  bool grows = false;      // keys can be added after it is made
  bool unlimited = false;  // and any number of them, at the same rate
  bool deletes = false;    // keys can be removed
  bool threads = false;    // keys can be added by several threads at once
  unsigned bits = 0;       // that a key sets, or of its fingerprint
  bool is_fingerprint = false;
  unsigned most_lines = 0;  // cache lines that a lookup reads, at most
  uint64_t bytes = 0;       // size_bytes()
  double rate = 0;          // with all keys, n / 2^64 for equal hashes among it
};

// The smallest first. Rates that a kind can't reach are missing their plan: `rate` is then above
// it. A ScalableBloom begins with 1,000 keys and otherwise has the defaults; a PagedBloom has pages
// of 1 KiB. Values out of range count as the nearest.
WINNOW_EXPORT std::vector<KindSize> SizesFor(const Plan& plan);

// The lowest rate that each kind has for so many keys in so many bytes, the lowest first; kinds
// that do not fit at any rate are missing.
WINNOW_EXPORT std::vector<KindSize> SizesWithin(uint64_t keys, uint64_t bytes);

// A standard Bloom filter's rate with n keys in m bits, k of which a key sets, as tables have it:
// (1 - e^(-kn/m))^k, and n / 2^64 for equal hashes. m and k are at least 1.
WINNOW_EXPORT double BloomFilterRate(double n, double m, unsigned k) noexcept;

// The most keys with which such a filter has at most this rate; 0 if not even one has.
WINNOW_EXPORT uint64_t BloomFilterKeys(double m, unsigned k, double rate) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_SIZES_H_
