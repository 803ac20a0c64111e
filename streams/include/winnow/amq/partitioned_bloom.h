// The partitioned Bloom filter (Mullin, "A second look at Bloom filters", 1983): each of the k hash
// functions has a part of the bits for itself.

#ifndef WINNOW_AMQ_PARTITIONED_BLOOM_H_
#define WINNOW_AMQ_PARTITIONED_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// k parts of the same number of bits; a key sets one bit in each. Every part has hash bits of its
// own: positions that are computed from one another stay correlated even if the parts differ in
// size. A part holds n keys at the share of set bits 1 - (1 - 1/bits)^n, and the rate is the
// product of these shares; sizes are those of StandardBloom, rounded up to 64 bits for each part.
//
// Lookups are safe from any number of threads while none adds. A filter that was moved from can
// only be destroyed or assigned to.
class WINNOW_EXPORT PartitionedBloom {
 public:
  // See CheckPlan.
  explicit PartitionedBloom(const Plan& plan);

  // False if the filter would have said "may contain" before.
  bool Add(KeyHash hash) noexcept;

  // False only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;

  // Bytes of the bits, a multiple of 8.
  size_t size_bytes() const noexcept { return words_.size() * sizeof(uint64_t); }
  // Parts, 1 to 50, and the bits of each, at least 64.
  unsigned parts() const noexcept { return static_cast<unsigned>(ones_.size()); }
  uint64_t part_bits() const noexcept { return part_words_ * 64; }

  // How many additions changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // The share of bits that are set, 0 to 1: in one part (by its number, below parts()) or in all.
  double fill_ratio(unsigned part) const noexcept;
  double fill_ratio() const noexcept;

  // The share of absent keys that the filter would say "may contain" to as it is now: the product
  // of the parts' fill ratios, and n / 2^64 for equal hashes.
  double expected_fpr() const noexcept;
  // The same with `capacity` keys, as planned: at most the plan's rate.
  double planned_fpr() const noexcept { return planned_fpr_; }

 private:
  uint64_t part_words_ = 1;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> ones_;  // of each part
  uint64_t added_ = 0;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PARTITIONED_BLOOM_H_
