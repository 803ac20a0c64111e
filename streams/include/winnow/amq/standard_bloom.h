// Standard Bloom filter (Bloom, "Space/time trade-offs in hash coding with allowable errors",
// 1970): the reference for comparisons. A lookup of a present key reads k cache lines; BlockedBloom
// reads 1 to 5.

#ifndef WINNOW_AMQ_STANDARD_BLOOM_H_
#define WINNOW_AMQ_STANDARD_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// A filter of m bits in which each key sets k. For a given k, n keys have the false-positive rate p
// at
//   m = -k n / ln(1 - p^(1/k));
// k is the one of the two integers around log2(1/p) that takes fewer bits. Without rounding, this
// is m = -n ln p / (ln 2)^2: 9.59 bits per key at 1 %.
//
// Positions are by enhanced double hashing (Dillinger and Manolios, "Bloom Filters in Probabilistic
// Verification", 2004): g_i = h1 + i h2 + c (i^3 - i) / 6, computed in 64 bits, after which each is
// reduced to m. If h1 and h2 were reduced first, two keys would agree in all positions with
// probability 1 / m^2, which is 10 to 290 times the rate of a small filter at a low rate.
//
// The formulas omit similar keys: a key whose h1 and h2 are both close to those of a present key
// shares most of its positions, which adds about 33 n / (m^2 k^3 (1 - fill)^2) to the rate (within
// a third where measured, k from 10 to 30). This is negligible at common rates. From about 1 key at
// 10^-7, 10 keys at 10^-8, 1,000 at 10^-11 and 100,000 at 10^-13 on, the rate is at least twice the
// planned one, and many times at lower rates. BlockedBloom, PartitionedBloom and CuckooFilter keep
// such rates.
//
// Lookups are thread-safe while no thread adds keys. A moved-from filter can only be destroyed or
// assigned to.
class WINNOW_EXPORT StandardBloom {
 public:
  // Creates an empty filter; see CheckPlan().
  explicit StandardBloom(const Plan& plan);

  // Adds a key. Returns false if the filter already contained it or a false positive.
  bool Add(KeyHash hash) noexcept;

  // Returns false only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;

  // Size of the bits in bytes, a multiple of 8.
  size_t size_bytes() const noexcept { return words_.size() * sizeof(uint64_t); }
  // m, at least 64, and k, 1 to 50.
  uint64_t num_bits() const noexcept { return words_.size() * 64; }
  unsigned probes() const noexcept { return probes_; }

  // Number of additions that changed the filter: the keys in it minus those that were false
  // positives when added.
  uint64_t num_added() const noexcept { return added_; }

  // Share of set bits, 0 to 1.
  double fill_ratio() const noexcept;

  // Expected false-positive rate of the current content: fill_ratio()^k plus n / 2^64 for equal
  // hashes. Does not include the effect of similar keys (see the class comment).
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys: at most the plan's rate.
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
