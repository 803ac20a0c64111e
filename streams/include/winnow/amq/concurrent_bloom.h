// A Bloom filter that many threads add to at once, in fixed memory: for a memtable.

#ifndef WINNOW_AMQ_CONCURRENT_BLOOM_H_
#define WINNOW_AMQ_CONCURRENT_BLOOM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "winnow/amq/internal/concurrent_line.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// The lowest rate of a ConcurrentBloom, at 45 bits a key.
inline constexpr double kLowestConcurrentRate = 1e-6;

// One cache line a key: 64 bytes, of which one bit is the lock that additions take. A key has one
// or two random bits in each of 2 to 5 successive words of its line, of which the first is random;
// one that falls on the lock counts as set. All bits of a key are in one line at every rate, so
// that low rates take many: 10.2 a key at 1 %, 15.7 at 0.1 %, 22.6 at 0.01 %. Filters of 2 MiB and
// more lie in huge pages, if the system gives any (transparent_hugepage "madvise" or "always").
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

  // The same as Add, without the lock, at a fraction of its time: for a filter that only one thread
  // adds to. Not while another thread adds in any way; lookups may go on.
  bool AddAlone(KeyHash hash) noexcept;
  void AddAlone(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // Forgets all keys. Not while another thread uses the filter.
  void Clear() noexcept;

  // Bytes of the lines, a multiple of 64.
  size_t size_bytes() const noexcept { return num_lines_ * sizeof(Line); }
  // Places of bits that a key sets: 2, 4, 6, 8 or 10. Some keys have two that are the same.
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
  using Line = internal::Line;

  // Additions of a thread, or of some threads: a count for all would travel between them at each
  // addition.
  struct alignas(64) Counter {
    std::atomic<uint64_t> added;
  };

  struct FreeLines {
    WINNOW_EXPORT void operator()(Line* lines) const noexcept;
  };

  struct Access;
  WINNOW_HIDDEN void Count(uint64_t added) noexcept;
  [[gnu::always_inline]] inline internal::Place PlaceOf(KeyHash hash) const noexcept {
    return internal::PlaceIn(lines_.get(), num_lines_, hash);
  }
  void CountAlone(uint64_t added) noexcept {
    std::atomic<uint64_t>& count = counters_[0].added;
    count.store(count.load(std::memory_order_relaxed) + added, std::memory_order_relaxed);
  }

  std::unique_ptr<Line[], FreeLines> lines_;
  std::unique_ptr<Counter[]> counters_;
  uint64_t num_lines_ = 0;
  unsigned probes_ = 2;
  double planned_fpr_ = 0;
};

inline bool ConcurrentBloom::MayContain(KeyHash hash) const noexcept {
  const internal::Place place = PlaceOf(hash);
  return internal::WithShape(probes_, [&](auto shape) { return shape.HasAll(place); });
}

inline bool ConcurrentBloom::AddAlone(KeyHash hash) noexcept {
  const internal::Place place = PlaceOf(hash);
  const bool is_new = internal::WithShape(probes_, [&](auto shape) { return shape.SetAll(place); });
  CountAlone(is_new);
  return is_new;
}

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_CONCURRENT_BLOOM_H_
