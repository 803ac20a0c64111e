// Looking keys up: once to count what a lookup costs, once to see how long it takes.

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

// `count` of these lookups, from the one at position `first` on. There are as many.
Lookups PartOf(const Lookups& lookups, uint64_t first, uint64_t count);

// How a pass is done.
struct PassOptions {
  size_t threads = 1;    // which share the lookups
  uint64_t lookups = 0;  // to do, from the first one; Lookups::count at most in a counting pass
  double seconds = 0;    // above 0: a timed round lasts so long instead
};

// Called now and then with the number of lookups done; false ends the pass.
using LookupProgress = absl::FunctionRef<bool(uint64_t done)>;

// Counts; no times. What came into the block cache is counted of a database that was opened with
// NewTickers, with what others did in it meanwhile. An error if a key is not what it has to be.
// Seeks: a maybe of a filter is a false one if the seek found no key from its own on with the same
// prefix.
absl::StatusOr<inspect::WorkloadCounts> CountLookups(rocksdb::DB* db, const Lookups& lookups,
                                                     const PassOptions& options,
                                                     LookupProgress progress);

// Times, as the only round. Nothing is counted, since that takes time. Percentiles are of calls:
// one of kMultiGet has as many lookups as a batch.
absl::StatusOr<inspect::WorkloadTimes> TimeLookups(rocksdb::DB* db, const Lookups& lookups,
                                                   const PassOptions& options,
                                                   LookupProgress progress);

// Returns the round of median speed of at least one round of the same lookups, the slower of two
// such, with the speeds of all.
inspect::WorkloadTimes MedianRound(const std::vector<inspect::WorkloadTimes>& rounds);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_LOOKUPS_H_
