// The keys of somebody's database or SST files.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/system/progress.h"

namespace winnow::bench {

struct DatabaseKeys {
  KeyTable keys;             // each once, in ascending order of bytes
  uint64_t value_bytes = 0;  // of all of them
  uint64_t duplicates = 0;   // keys that several of the files have
  std::string note;          // that the database has other keys: a sentence, or empty
};

// Reads the keys of the default column family of the database in a folder, or of SST files, whose
// paths stand between commas. All is opened for reading only, and nothing in the folders changes.
// An error if keys are not ordered by their bytes, as the databases are that will be made of them,
// if there are none, or if they need more memory than is free. Ends early, with an error, soon
// after *stop is set.
absl::StatusOr<DatabaseKeys> ReadDatabaseKeys(const std::string& from, Progress* progress,
                                              const std::atomic<bool>* stop);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_DATABASE_KEYS_H_
