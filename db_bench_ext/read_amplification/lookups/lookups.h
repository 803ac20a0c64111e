// Execution of lookups: counting passes measure the cost of a lookup, and timed passes its
// duration.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUPS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUPS_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/asked_keys.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// Options of a pass.
struct PassOptions {
  size_t threads = 1;  // threads that share the lookups
  // Number of lookups, from the first one on; at most Lookups::count in a counting pass.
  uint64_t lookups = 0;
  double seconds = 0;  // duration of a timed round if above 0
};

// Called occasionally with the number of completed lookups; returning false ends the pass.
using LookupProgress = absl::FunctionRef<bool(uint64_t done)>;

// Counts without timing. Block loads are counted if the database was opened with NewTickers(),
// including those of concurrent users. Returns an error if a lookup does not have its expected
// result. Seeks: a maybe of a filter is a false positive if the seek found no key with the same
// prefix from its own key on.
absl::StatusOr<inspect::WorkloadCounts> CountLookups(rocksdb::DB* db, const Lookups& lookups,
                                                     const PassOptions& options,
                                                     LookupProgress progress);

// Times one round, without counting, which takes time itself. Percentiles are of calls: a kMultiGet
// call has as many lookups as a batch.
absl::StatusOr<inspect::WorkloadTimes> TimeLookups(rocksdb::DB* db, const Lookups& lookups,
                                                   const PassOptions& options,
                                                   LookupProgress progress);

// Returns the round with the median speed among at least one round of the same lookups, the slower
// of two middle ones, with the speeds of all.
inspect::WorkloadTimes MedianRound(const std::vector<inspect::WorkloadTimes>& rounds);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUPS_H_
