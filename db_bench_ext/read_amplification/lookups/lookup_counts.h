// Counts by RocksDB on a thread while it looks keys up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_

#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// Keeps RocksDB counting on this thread, from zero, while it lives.
class CountingScope {
 public:
  CountingScope();
  ~CountingScope();
  CountingScope(const CountingScope&) = delete;
  CountingScope& operator=(const CountingScope&) = delete;

  // Counts of gets, so far. Lookups, found keys, bytes of values and hashes are left to the caller.
  inspect::WorkloadCounts OfGets() const;

  // Counts of seeks, of whose filter checks RocksDB counts the total only, not those of a level.
  // What of them is decided is the caller's to know.
  inspect::WorkloadCounts OfSeeks() const;

  // Answers of filters to seeks, so far.
  struct SeekAnswers {
    uint64_t checks = 0;
    uint64_t maybes = 0;
  };
  SeekAnswers OfFilters() const;
};

// Blocks of filters that this thread has read from files, while a scope of it lives.
inline uint64_t FilterBlocksRead() { return rocksdb::get_perf_context()->filter_block_read_count; }

// For the options of a database whose loads are counted: tickers, and nothing that takes time.
std::shared_ptr<rocksdb::Statistics> NewTickers();

// Returns what came into the block cache since the database was opened with such tickers, on all
// threads; all 0 without.
inspect::CacheLoads LoadsSoFar(const rocksdb::DB& db);

// Returns what came between the two.
inspect::CacheLoads LoadsBetween(const inspect::CacheLoads& before,
                                 const inspect::CacheLoads& after);

// Adds up what several threads counted. Hashes and loads are left alone.
void AddCounts(const inspect::WorkloadCounts& counts, inspect::WorkloadCounts* sum);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUP_COUNTS_H_
