// Measurement of an existing database: what lookups of its own keys read, and which filters its
// files have.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_EXISTING_DATABASE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_EXISTING_DATABASE_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/lookups/benchmarks.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/cli/progress.h"

namespace winnow::bench {

// Name of the policy in the results.
inline constexpr char kAsItIs[] = "as it is";

// Note, behind a workload's name, if its seeks checked no filter.
inline constexpr char kSeeksAskNothing[] =
    " asked no filter: without a prefix extractor filters hold whole keys only, which a "
    "seek has no use for.";

struct ExistingOptions {
  std::vector<Benchmark> workloads;  // lookups
  LookupChoices choices;
  std::shared_ptr<const KeySet> recorded;  // keys of recorded lookups; null: none
  std::string record_lookups;              // output file of RecordLookups; empty: none
  uint64_t timed_reads = 0;                // limit per workload and round
  double timed_seconds = 0;                // duration of a round if above 0
  size_t timed_rounds = 1;                 // minimum 1
  size_t threads = 1;                      // concurrent lookup threads
  uint64_t cache_size = 0;                 // 0: no block cache
};

// Measures the database in the folder. Opens it read-only, without writing, renaming, locking or
// creating files, so that it may be in use meanwhile; data that is only in the write-ahead log is
// not seen. Lookups use the default column family; a note says so if there are others. Keys are
// drawn from it, at most 200,000 distinct ones or 64 MiB, and near misses of them that it does not
// have. Winnow's policy, which supports its own and RocksDB's formats, reads the filters. The
// results have one policy, kAsItIs, whose `in_force` has the names in the files' properties.
// Returns an error if the folder has no database that RocksDB can open, or one without keys.
absl::StatusOr<inspect::ReadAmplification> MeasureExisting(const std::string& path,
                                                           const ExistingOptions& options,
                                                           cli::ProgressLine* progress,
                                                           const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_EXISTING_DATABASE_H_
