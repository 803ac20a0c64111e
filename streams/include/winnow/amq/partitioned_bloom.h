// Partitioned Bloom filter (Mullin, "A second look at Bloom filters", 1983): each of the k hash
// functions has its own part of the bits.

#ifndef WINNOW_AMQ_PARTITIONED_BLOOM_H_
#define WINNOW_AMQ_PARTITIONED_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// k parts with equal numbers of bits; a key sets one bit in each. Each part has hash bits of its
// own, since positions derived from one another would stay correlated even in parts of different
// sizes. A part with n keys has the share of set bits 1 - (1 - 1/bits)^n, and the false-positive
// rate is the product of these shares. Sizes are those of StandardBloom, rounded up to 64 bits per
// part.
//
// Lookups are thread-safe while no thread adds keys. A moved-from filter can only be destroyed or
// assigned to.
class WINNOW_EXPORT PartitionedBloom {
 public:
  // Creates an empty filter; see CheckPlan().
  explicit PartitionedBloom(const Plan& plan);

  // Adds a key. Returns false if the filter already contained it or a false positive.
  bool Add(KeyHash hash) noexcept;

  // Returns false only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;

  // Size of the bits in bytes, a multiple of 8.
  size_t size_bytes() const noexcept { return words_.size() * sizeof(uint64_t); }
  // Number of parts, 1 to 50, and of bits per part, at least 64.
  unsigned parts() const noexcept { return static_cast<unsigned>(ones_.size()); }
  uint64_t part_bits() const noexcept { return part_words_ * 64; }

  // Number of additions that changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // Share of set bits, 0 to 1, in one part (its index, below parts()) or in all parts.
  double fill_ratio(unsigned part) const noexcept;
  double fill_ratio() const noexcept;

  // Expected false-positive rate of the current content: the product of the parts' fill ratios,
  // plus n / 2^64 for equal hashes.
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys: at most the plan's rate.
  double planned_fpr() const noexcept { return planned_fpr_; }

 private:
  uint64_t part_words_ = 1;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> ones_;  // per part
  uint64_t added_ = 0;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PARTITIONED_BLOOM_H_
