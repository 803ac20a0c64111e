// Bloom filter of fixed size with concurrent additions, for example for a memtable.

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

// Lowest false-positive rate of a ConcurrentBloom, at 45 bits per key.
inline constexpr double kLowestConcurrentRate = 1e-6;

// A filter with one cache line per key: 64 bytes, of which one bit is the lock of additions. A key
// has one or two random bits in each of 2 to 5 consecutive words of its line, from a random word
// on; a bit on the position of the lock counts as set. All bits of a key are in one line at every
// rate, so that low rates take many bits: 10.2 per key at 1 %, 15.7 at 0.1 %, 22.6 at 0.01 %.
// Filters of 2 MiB and more are in huge pages, if the system provides them (transparent_hugepage
// "madvise" or "always").
//
// Add() and MayContain() are thread-safe. Of racing additions of one key, at most one returns true;
// exactly one does, unless the key was a false positive before. A lookup finds a key whose addition
// happened before it (as in C++'s happens-before). Lookups take no lock and never wait. Additions
// wait for each other only if their keys share a line, while one of them sets its bits. A signal
// handler that may interrupt an addition must not add keys.
class WINNOW_EXPORT ConcurrentBloom {
 public:
  // Creates an empty filter; see CheckPlan(). Rates below kLowestConcurrentRate count as
  // kLowestConcurrentRate.
  explicit ConcurrentBloom(const Plan& plan);

  // Adds a key. Returns false if the filter already contained it or a false positive.
  bool Add(KeyHash hash) noexcept;

  // Adds n keys in order; sets each of the n results. Several times faster than single additions in
  // filters larger than the caches, since the cache misses overlap.
  void Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // Returns false only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Adds keys without the lock, in a fraction of the time of Add(). No other thread may add keys at
  // the same time in any way; concurrent lookups are allowed.
  bool AddAlone(KeyHash hash) noexcept;
  void AddAlone(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // Removes all keys. No other thread may use the filter during the call.
  void Clear() noexcept;

  // Size of the lines in bytes, a multiple of 64.
  size_t size_bytes() const noexcept { return num_lines_ * sizeof(Line); }
  // Number of bit positions per key: 2, 4, 6, 8 or 10. Some keys have two equal positions.
  unsigned probes() const noexcept { return probes_; }

  // Number of additions that returned true. Additions in progress on other threads may be missing.
  uint64_t num_added() const noexcept;

  // Share of set bits, 0 to 1, and the expected false-positive rate of the current content, from
  // the set bits. Both read all lines. If other threads add keys during the call, each line counts
  // in its state at the time of the read.
  double fill_ratio() const noexcept;
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

 private:
  using Line = internal::Line;

  // Number of additions of one or some threads. A single counter for all threads would bounce
  // between their caches.
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
