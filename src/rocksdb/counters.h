// Process-wide counters of what the plugin did, over all policies and databases.

#ifndef WINNOW_SRC_ROCKSDB_COUNTERS_H_
#define WINNOW_SRC_ROCKSDB_COUNTERS_H_

#include <cstddef>
#include <cstdint>

#include "winnow/options.h"

namespace winnow::plugin {

struct Counters {
  uint64_t empty_filters = 0;  // filters built, by kind
  uint64_t bloom_filters = 0;
  uint64_t ribbon_filters = 0;
  uint64_t unbuilt_filters = 0;  // filters not built, out of memory: every key may match
  uint64_t keys = 0;             // keys in built filters
  uint64_t bytes = 0;            // bytes of built filters

  // Bytes of Bloom filters, and of Ribbon filters with equal rates.
  uint64_t bloom_bytes = 0;
  uint64_t bloom_bytes_as_ribbons = 0;

  // Filter blocks that were loaded for lookups, counted at each load.
  uint64_t loaded_winnow = 0;
  uint64_t loaded_builtin = 0;   // RocksDB's own filters
  uint64_t loaded_unusable = 0;  // damaged filters of Winnow: every key may match

  uint64_t lookups = 0;        // keys looked up in Winnow's filters, once per filter
  uint64_t hashes = 0;         // hashes computed for these lookups
  uint64_t hashes_shared = 0;  // lookups that reused a hash: lookups = hashes + hashes_shared

  uint64_t ranges_asked = 0;   // seeks checked against range filters, once per filter
  uint64_t ranges_denied = 0;  // seeks among ranges_asked that a range filter denied
};

// Returns the sums over all threads, including those that ended. While other threads count, each
// number is one of the values that it had during the call. Thread-safe, also after main().
Counters CurrentCounters() noexcept;

// Counts a finished filter. `rate` is the false-positive rate that it was built for, from 0 to 1.
// Thread-safe.
void CountFilter(FilterKind kind, uint64_t keys, size_t bytes, double rate) noexcept;
void CountUnbuiltFilter() noexcept;

// Counts a filter block that was loaded for lookups by one of the counters of these.
void CountLoadedFilter(uint64_t Counters::*which) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_COUNTERS_H_
