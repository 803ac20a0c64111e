// RocksDB's counters of a thread during lookups.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_

#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// Enables RocksDB's counters on this thread, starting at zero, until destruction.
class CountingScope {
 public:
  CountingScope();
  ~CountingScope();
  CountingScope(const CountingScope&) = delete;
  CountingScope& operator=(const CountingScope&) = delete;

  // Returns the counts of gets so far. The caller sets lookups, found keys, bytes of values and
  // hashes.
  inspect::WorkloadCounts OfGets() const;

  // Returns the counts of seeks. RocksDB counts filter checks of seeks only in total, not per
  // level. The caller has to determine which answers were false positives.
  inspect::WorkloadCounts OfSeeks() const;

  // Answers of filters to seeks so far.
  struct SeekAnswers {
    uint64_t checks = 0;
    uint64_t maybes = 0;
  };
  SeekAnswers OfFilters() const;
};

// Returns the number of filter blocks that this thread has read from files during a CountingScope.
inline uint64_t FilterBlocksRead() { return rocksdb::get_perf_context()->filter_block_read_count; }

// Returns statistics for a database whose block loads are counted: tickers only, without timers.
std::shared_ptr<rocksdb::Statistics> NewTickers();

// Returns what all threads have loaded into the block cache since the database was opened with such
// statistics; zeros without them.
inspect::CacheLoads LoadsSoFar(const rocksdb::DB& db);

// Returns the difference of two counts.
inspect::CacheLoads LoadsBetween(const inspect::CacheLoads& before,
                                 const inspect::CacheLoads& after);

// Adds the counts of a thread to *sum, except hashes and loads.
void AddCounts(const inspect::WorkloadCounts& counts, inspect::WorkloadCounts* sum);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
