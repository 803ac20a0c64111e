// Reader of the keys in an existing database or in SST files.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "src/cli/progress.h"

namespace winnow::bench {

struct DatabaseKeys {
  KeyTable keys;             // distinct, in ascending bytewise order
  uint64_t value_bytes = 0;  // total
  uint64_t duplicates = 0;   // keys that occur in several files
  std::string note;          // sentence about keys that were not read; may be empty
};

// Reads the keys of the default column family of the database in a folder, or of SST files given as
// a comma-separated list. Everything is opened read-only, and the folders stay unchanged. Returns
// an error if keys are not in bytewise order, which the benchmark's databases require, if there are
// none, or if they exceed the free memory. Ends early, with an error, soon after *stop is set.
absl::StatusOr<DatabaseKeys> ReadDatabaseKeys(const std::string& from, cli::ProgressLine* progress,
                                              const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_
