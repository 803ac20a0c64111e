// Measuring a database as it is: what lookups of its own keys read, and which filters its files
// have.

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
#include "db_bench_ext/read_amplification/system/progress.h"

namespace winnow::bench {

// Text that stands for the policy in the results.
inline constexpr char kAsItIs[] = "as it is";

// Said, behind the name of a workload, where its seeks find no filter to ask.
inline constexpr char kSeeksAskNothing[] =
    " asked no filter: without a prefix extractor filters hold whole keys only, which a "
    "seek has no use for.";

struct ExistingOptions {
  std::vector<Benchmark> workloads;  // lookups
  LookupChoices choices;
  std::shared_ptr<const KeySet> recorded;  // a list of lookups; null without
  std::string record_lookups;              // file for RecordLookups; empty: none
  uint64_t timed_reads = 0;                // of each workload and round, at most
  double timed_seconds = 0;                // above 0: of a round, instead
  size_t timed_rounds = 1;                 // at least 1
  size_t threads = 1;                      // that look keys up at a time
  uint64_t cache_size = 0;                 // 0: no block cache
};

// Opens the database in the folder for reading only: nothing in it is written, renamed, locked or
// made, so that it may be in use meanwhile. What is in its write-ahead log alone is not seen.
// Lookups ask the default column family, and a note says so where there are others, for keys drawn
// from it, at most 200,000 different ones or 64 MiB of them, and for near misses of these that it
// does not have. Filters are read by Winnow's policy, which knows its own and RocksDB's. The
// results have one policy, kAsItIs, whose `in_force` are the names in the files' properties. An
// error if the folder has no database that RocksDB can open, or one without keys.
absl::StatusOr<inspect::ReadAmplification> MeasureExisting(const std::string& path,
                                                           const ExistingOptions& options,
                                                           Progress* progress,
                                                           const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_EXISTING_DATABASE_H_
