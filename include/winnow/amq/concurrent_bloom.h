// A Bloom filter that many threads add to at once, in fixed memory: for a memtable.

#ifndef WINNOW_AMQ_CONCURRENT_BLOOM_H_
#define WINNOW_AMQ_CONCURRENT_BLOOM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// The lowest rate of a ConcurrentBloom, at 52 bits a key.
inline constexpr double kLowestConcurrentRate = 1e-6;

// One cache line a key: 64 bytes, of which one bit is the lock that additions take. A key sets one
// bit in each of 1 to 8 words of its line; the rate is BlockedBloom's with one block a key, but for
// the lock's place: a key that falls on it takes its neighbour. Low rates take many bits: 15.7 a
// key at 0.1 %, 23.6 at 0.01 %.
//
// Add and MayContain are safe from any number of threads at once. Of additions of one key that race
// with one another, at most one says "new"; exactly one does, unless the key looked as if it were
// there. A lookup that starts after an addition of its key ended (in the sense of happens-before)
// finds it. Lookups take no lock and never wait; additions wait for each other only if their keys
// share the line, while one of them sets its bits. Additions must not be made from a signal handler
// that interrupts one.
class WINNOW_EXPORT ConcurrentBloom {
 public:
  // See CheckPlan. Rates below kLowestConcurrentRate count as that.
  explicit ConcurrentBloom(const Plan& plan);

  // False if the filter would have said "may contain" before.
  bool Add(KeyHash hash) noexcept;

  // The same for n hashes in turn; every one of the n results is assigned. In filters larger than
  // the caches this is several times faster, since the misses overlap.
  void Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // False only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Forgets all keys. Not while another thread uses the filter.
  void Clear() noexcept;

  // Of the lines, a multiple of 64.
  size_t size_bytes() const noexcept { return num_lines_ * sizeof(Line); }
  // Bits that a key sets, 1 to 8.
  unsigned probes() const noexcept { return probes_; }

  // How many additions said "new". While other threads add, some that are going on may be missing.
  uint64_t num_added() const noexcept;

  // The share of bits that are set, 0 to 1, and the share of absent keys that the filter would say
  // "may contain" to: as it is now, from the bits that are set. Both read all lines. While other
  // threads add, each line counts as it is when it is read.
  double fill_ratio() const noexcept;
  double expected_fpr() const noexcept;
  // The same rate with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

 private:
  struct alignas(64) Line {
    std::atomic<uint64_t> words[8];
  };

  // What some of the threads added: a count for all would travel between them at each addition.
  struct alignas(64) Counter {
    std::atomic<uint64_t> added;
  };

  struct Place;
  WINNOW_HIDDEN Place PlaceOf(KeyHash hash) const noexcept;
  WINNOW_HIDDEN bool AddAt(const Place& place) noexcept;
  WINNOW_HIDDEN void Count(uint64_t added) noexcept;

  std::unique_ptr<Line[]> lines_;
  std::unique_ptr<Counter[]> counters_;
  uint64_t num_lines_ = 0;
  unsigned probes_ = 8;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_CONCURRENT_BLOOM_H_
