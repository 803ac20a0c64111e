// What the plugin did in this process, over all policies and databases.

#ifndef WINNOW_SRC_ROCKSDB_COUNTERS_H_
#define WINNOW_SRC_ROCKSDB_COUNTERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "winnow/options.h"

namespace winnow::plugin {

struct Counters {
  uint64_t empty_filters = 0;  // built, by kind
  uint64_t bloom_filters = 0;
  uint64_t ribbon_filters = 0;
  uint64_t unbuilt_filters = 0;  // that memory was too short for: they match every key
  uint64_t keys = 0;             // kept in filters built
  uint64_t bytes = 0;            // of filters built
  uint64_t lookups = 0;          // keys asked of Winnow filters, once for each filter
  uint64_t hashes = 0;           // hashes computed for these lookups
};

// The sums over all threads, those that ended included. While others are counting, each number is
// one that it had during the call. Safe from any thread, and after main() too.
Counters CurrentCounters() noexcept;

// A filter was finished. Safe from any thread.
void CountFilter(FilterKind kind, uint64_t keys, size_t bytes) noexcept;
void CountUnbuiltFilter() noexcept;

// The lookups of one thread at a time, on a cache line of their own: threads that share a line wait
// for each other at every lookup.
struct alignas(64) ThreadCounters {
  std::atomic<uint64_t> lookups{0};
  std::atomic<uint64_t> hashes{0};
  std::atomic<bool> is_taken{false};  // by a thread that runs
};

// Null until the thread's first lookup. Not thread_local: a variable of another file would be
// reached through a function. Initial-exec costs one load; 8 bytes fit into what is left for
// libraries that are opened late.
extern __thread ThreadCounters* this_thread_counters __attribute__((tls_model("initial-exec")));

// Gives this thread its counters. Never null: beyond 512 threads it is a shared one, which may lose
// counts. Allocates nothing.
ThreadCounters* AttachThreadCounters() noexcept;

// Counts for this thread, whose counters they must be.
inline void CountLookups(ThreadCounters* counters, uint64_t lookups, uint64_t hashes) noexcept {
  // Only this thread writes, so that no locked instruction is needed.
  counters->lookups.store(counters->lookups.load(std::memory_order_relaxed) + lookups,
                          std::memory_order_relaxed);
  counters->hashes.store(counters->hashes.load(std::memory_order_relaxed) + hashes,
                         std::memory_order_relaxed);
}

// The same from any thread.
inline void CountLookups(uint64_t lookups, uint64_t hashes) noexcept {
  ThreadCounters* counters = this_thread_counters;
  if (__builtin_expect(counters == nullptr, 0)) {
    counters = AttachThreadCounters();
  }
  CountLookups(counters, lookups, hashes);
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_COUNTERS_H_
