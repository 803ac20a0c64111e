// What RocksDB counts on a thread while it looks keys up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_

#include <rocksdb/perf_context.h>

#include "db_bench_ext/read_amplification/measured/readamp_results.h"

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

  // Of seeks, of whose filter checks RocksDB counts the total only, not those of a level. What of
  // them is decided is the caller's to know.
  inspect::WorkloadCounts OfSeeks() const;

  // What filters answered to seeks, so far.
  struct SeekAnswers {
    uint64_t checks = 0;
    uint64_t maybes = 0;
  };
  SeekAnswers OfFilters() const;
};

// Adds up what several threads counted. Hashes are left alone.
void AddCounts(const inspect::WorkloadCounts& counts, inspect::WorkloadCounts* sum);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
