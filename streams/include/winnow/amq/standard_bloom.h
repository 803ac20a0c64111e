// The standard Bloom filter (Bloom, "Space/time trade-offs in hash coding with allowable errors",
// 1970): the reference that other filters are compared with. A lookup of a key that is there reads
// k cache lines; BlockedBloom reads 1 to 5.

#ifndef WINNOW_AMQ_STANDARD_BLOOM_H_
#define WINNOW_AMQ_STANDARD_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// m bits of which each key sets k. With k given, the rate p is reached by n keys at
//   m = -k n / ln(1 - p^(1/k));
// k is the one of the two integers around log2(1/p) that takes fewer bits. Without rounding this is
// m = -n ln p / (ln 2)^2: 9.59 bits a key at 1 %.
//
// The positions are those of enhanced double hashing (Dillinger and Manolios, "Bloom Filters in
// Probabilistic Verification", 2004): g_i = h1 + i h2 + c (i^3 - i) / 6, kept in 64 bits and only
// then reduced to m, each for itself. Reduced before, two keys agree in all positions once in m^2,
// which is 10 to 290 times the rate of a small filter at a low one.
//
// The formulas leave out near keys: a key whose h1 and h2 both come near those of a key that is
// there shares most of its positions, which adds about 33 n / (m^2 k^3 (1 - fill)^2) to the rate
// (within a third where measured, k from 10 to 30). That is nothing at common rates. From about 1
// key at 10^-7, 10 keys at 10^-8, 1,000 at 10^-11 and 100,000 at 10^-13 on the rate is twice the
// planned one and more, and at lower rates many times: BlockedBloom, PartitionedBloom and
// CuckooFilter keep it.
//
// Lookups are safe from any number of threads while none adds. A filter that was moved from can
// only be destroyed or assigned to.
class WINNOW_EXPORT StandardBloom {
 public:
  // See CheckPlan.
  explicit StandardBloom(const Plan& plan);

  // False if the filter would have said "may contain" before.
  bool Add(KeyHash hash) noexcept;

  // False only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;

  // Bytes of the bits, a multiple of 8.
  size_t size_bytes() const noexcept { return words_.size() * sizeof(uint64_t); }
  // m and k. At least 64, and 1 to 50.
  uint64_t num_bits() const noexcept { return words_.size() * 64; }
  unsigned probes() const noexcept { return probes_; }

  // How many additions changed the filter: the keys that are in it, less those that looked as if
  // they were there already.
  uint64_t num_added() const noexcept { return added_; }

  // The share of bits that are set, 0 to 1.
  double fill_ratio() const noexcept;

  // The share of absent keys that the filter would say "may contain" to as it is now:
  // fill_ratio()^k, and n / 2^64 for equal hashes; without the share of near keys (see above).
  double expected_fpr() const noexcept;
  // The same with `capacity` keys, as planned: at most the plan's rate.
  double planned_fpr() const noexcept { return planned_fpr_; }

 private:
  std::vector<uint64_t> words_;
  uint64_t ones_ = 0;
  uint64_t added_ = 0;
  unsigned probes_ = 1;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_STANDARD_BLOOM_H_
