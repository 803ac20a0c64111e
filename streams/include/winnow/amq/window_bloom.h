// Bloom filter over the latest keys of a stream, in fixed memory.

#ifndef WINNOW_AMQ_WINDOW_BLOOM_H_
#define WINNOW_AMQ_WINDOW_BLOOM_H_

#include <cstddef>
#include <cstdint>

#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Two generations. Keys are added to the newer one; once it has the plan's capacity, the next new
// key drops the older one and begins another. A key is remembered at least until `capacity` other
// new keys were added after its last addition, and at most until 2 capacity were. Each generation
// has half of the plan's rate when full, so that both together have the plan's.
//
// Lookups are thread-safe while no thread adds keys. A moved-from filter can only be destroyed or
// assigned to.
class WINNOW_EXPORT WindowBloom {
 public:
  // Creates an empty filter; see CheckPlan(). A capacity of 0 counts as 1. Since each generation
  // has half of the rate, a rate below twice the lowest valid one for this capacity counts as that;
  // planned_fpr() returns the resulting rate.
  explicit WindowBloom(const Plan& plan);

  // Adds or renews a key. Returns false if the filter already contained it or a false positive.
  bool Add(KeyHash hash) noexcept;

  // Returns false only if the key was not added within the window. Checks the newer generation
  // first.
  bool MayContain(KeyHash hash) const noexcept;

  // Drops the older generation and begins another, for time windows. Additions do this only when
  // the newer generation is full.
  void Rotate() noexcept;

  // Size of the bits of both generations in bytes.
  size_t size_bytes() const noexcept { return newer_.size_bytes() + older_.size_bytes(); }
  const BlockedBloom& newer() const noexcept { return newer_; }
  const BlockedBloom& older() const noexcept { return older_; }

  // Number of generations dropped so far, including empty ones.
  uint64_t rotations() const noexcept { return rotations_; }

  // Share of set bits, 0 to 1.
  double fill_ratio() const noexcept { return (newer_.fill_ratio() + older_.fill_ratio()) / 2; }

  // Expected false-positive rate of the current content. Reads all blocks.
  double expected_fpr() const noexcept;
  // Expected false-positive rate with two full generations, as planned.
  double planned_fpr() const noexcept;

 private:
  uint64_t capacity_ = 1;
  BlockedBloom newer_;
  BlockedBloom older_;
  uint64_t rotations_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_WINDOW_BLOOM_H_
