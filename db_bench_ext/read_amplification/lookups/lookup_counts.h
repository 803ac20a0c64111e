// What RocksDB counts on a thread while it looks keys up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_

#include <rocksdb/perf_context.h>

#include "src/inspect/readamp_results.h"

namespace winnow::bench {

// Keeps RocksDB counting on this thread, from zero, while it lives.
class CountingScope {
 public:
  CountingScope();
  ~CountingScope();
  CountingScope(const CountingScope&) = delete;
  CountingScope& operator=(const CountingScope&) = delete;

  // Of gets, so far. Lookups, found keys, bytes of values and hashes are left to the caller.
  inspect::WorkloadCounts OfGets() const;

  // Of seeks, of whose filter checks RocksDB counts the total only, not those of a level.
  // `false_maybes` are the caller's, who knows what was found.
  inspect::WorkloadCounts OfSeeks(uint64_t false_maybes) const;

  // Filters that a seek asked and that said "maybe", so far.
  uint64_t SeekMaybes() const;
};

// Adds up what several threads counted. Hashes are left alone.
void AddCounts(const inspect::WorkloadCounts& counts, inspect::WorkloadCounts* sum);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
