// Process-wide counters of what the plugin did, over all policies and databases.

#ifndef WINNOW_SRC_ROCKSDB_COUNTERS_H_
#define WINNOW_SRC_ROCKSDB_COUNTERS_H_

#include <cstddef>
#include <cstdint>

#include "winnow/options.h"

namespace winnow::plugin {

struct Counters {
  uint64_t empty_filters = 0;  // built, by kind
  uint64_t bloom_filters = 0;
  uint64_t ribbon_filters = 0;
  uint64_t unbuilt_filters = 0;  // that memory was too short for: every key may match
  uint64_t keys = 0;             // kept in filters built
  uint64_t bytes = 0;            // of filters built

  // For Bloom filters only: their bytes, and those that Ribbon filters of the same rates would
  // take.
  uint64_t bloom_bytes = 0;
  uint64_t bloom_bytes_as_ribbons = 0;

  // Filter blocks that were loaded for lookups; a block counts each time.
  uint64_t loaded_winnow = 0;
  uint64_t loaded_builtin = 0;   // RocksDB's own
  uint64_t loaded_unusable = 0;  // Winnow's by their marks, with a fault: every key may match

  uint64_t lookups = 0;        // keys asked of Winnow filters, once for each filter
  uint64_t hashes = 0;         // computed for these lookups
  uint64_t hashes_shared = 0;  // lookups that needed none: lookups = hashes + hashes_shared

  uint64_t ranges_asked = 0;   // seeks that range filters were asked for, once for each filter
  uint64_t ranges_denied = 0;  // of these, in whose range there is no key
};

// The sums over all threads, also those that ended. While other threads count, each number is one
// that it had during the call. Safe from any thread, also after main().
Counters CurrentCounters() noexcept;

// A filter was finished; `rate` is the false-positive rate that it was built for, 0 to 1. Safe from
// any thread.
void CountFilter(FilterKind kind, uint64_t keys, size_t bytes, double rate) noexcept;
void CountUnbuiltFilter() noexcept;

// A filter block was loaded for lookups. Safe from any thread.
enum class LoadedFilter : uint8_t { kWinnow, kBuiltin, kUnusable };
void CountLoadedFilter(LoadedFilter which) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_COUNTERS_H_
