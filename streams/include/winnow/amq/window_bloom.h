// A Bloom filter over the latest keys of a stream, in fixed memory.

#ifndef WINNOW_AMQ_WINDOW_BLOOM_H_
#define WINNOW_AMQ_WINDOW_BLOOM_H_

#include <cstddef>
#include <cstdint>

#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Two generations. Keys are added to the newer one; when that has taken as many as the plan's
// capacity, the next new key drops the older one and begins another. A key is remembered at least
// until `capacity` other new keys were added after it was last added, and at most until 2 capacity
// were. Each generation has half of the plan's rate when it is full, so that both have the plan's.
//
// Lookups are safe from any number of threads while none adds. A filter that was moved from can
// only be destroyed or assigned to.
class WINNOW_EXPORT WindowBloom {
 public:
  // See CheckPlan. A capacity of 0 counts as 1, and a rate below twice the lowest of a plan of this
  // capacity as that, since half of it is each generation's: planned_fpr says what it is.
  explicit WindowBloom(const Plan& plan);

  // False if the filter would have said "may contain" before. The key is remembered anew.
  bool Add(KeyHash hash) noexcept;

  // False only if the key was not added within the window. Asks the newer generation first.
  bool MayContain(KeyHash hash) const noexcept;

  // Drops the older generation and begins another: for windows of time. Additions do it only when
  // the newer one is full.
  void Rotate() noexcept;

  // Bytes of the bits of both generations.
  size_t size_bytes() const noexcept { return newer_.size_bytes() + older_.size_bytes(); }
  const BlockedBloom& newer() const noexcept { return newer_; }
  const BlockedBloom& older() const noexcept { return older_; }

  // Generations dropped so far, empty ones among them.
  uint64_t rotations() const noexcept { return rotations_; }

  // The share of all bits that are set, 0 to 1.
  double fill_ratio() const noexcept { return (newer_.fill_ratio() + older_.fill_ratio()) / 2; }

  // The share of absent keys that the filter would say "may contain" to as it is now. Reads all
  // blocks.
  double expected_fpr() const noexcept;
  // The same with two full generations, as planned.
  double planned_fpr() const noexcept;

 private:
  uint64_t capacity_ = 1;
  BlockedBloom newer_;
  BlockedBloom older_;
  uint64_t rotations_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_WINDOW_BLOOM_H_
