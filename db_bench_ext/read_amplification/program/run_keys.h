// Keys of a run and the memory that they take.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_KEYS_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/program/workload_flags.h"
#include "src/cli/progress.h"

namespace winnow::bench {

struct RunKeys {
  // Keys of the run, except `written`, which follows from the writes, and `absent`, set by
  // AddAbsentKeys().
  KeysOfRun keys;
  std::string from;                       // origin, for the reports
  uint64_t duplicates = 0;                // number of dropped duplicates
  std::optional<uint64_t> value_size;     // mean of the source database, rounded
  std::string note;                       // sentence about other keys of the source; may be empty
  std::shared_ptr<const KeyTable> table;  // null for generated keys
};

// Returns generated keys, or those of a list or a database. Returns an error for unusable keys;
// prints to stderr what was left out of a list.
absl::StatusOr<RunKeys> MakeRunKeys(const KeysRequest& request, cli::ProgressLine* progress,
                                    const std::atomic<bool>* stop);

// Adds absent keys; returns an error if the present keys leave no room for any, or once *stop is
// set.
absl::Status AddAbsentKeys(const KeysRequest& request, RunKeys* keys, cli::ProgressLine* progress,
                           const std::atomic<bool>* stop);

// Returns the keys of --lookups; null without the flag.
absl::StatusOr<std::shared_ptr<const KeySet>> RecordedLookups(const KeysRequest& request);

// Returns the bytes of memory for `keys` keys; computed keys take none. `drawn`: writes may omit
// some keys, which takes a bit per key to record.
uint64_t KeyMemory(const KeysRequest& request, uint64_t keys, uint64_t key_bytes, bool drawn);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_KEYS_H_
