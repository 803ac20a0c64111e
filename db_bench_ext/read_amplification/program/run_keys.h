// The keys of a run, and what it takes to have them.

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
#include "db_bench_ext/read_amplification/system/progress.h"

namespace winnow::bench {

struct RunKeys {
  KeysOfRun keys;           // `written` is left to who knows the writes, `absent` to AddAbsentKeys
  std::string from;         // for the reports
  uint64_t duplicates = 0;  // dropped
  std::optional<uint64_t> value_size;     // mean of a database's, rounded
  std::string note;                       // on other keys that it has: a sentence, or empty
  std::shared_ptr<const KeyTable> table;  // null for generated keys
};

// Generated, those of a list, or those of a database. An error for keys that can't be used; what
// was left out of a list is said on stderr.
absl::StatusOr<RunKeys> MakeRunKeys(const KeysRequest& request, Progress* progress,
                                    const std::atomic<bool>* stop);

// Keys that are not among them; an error if they leave no room for any, or once *stop is set.
absl::Status AddAbsentKeys(const KeysRequest& request, RunKeys* keys, Progress* progress,
                           const std::atomic<bool>* stop);

// The keys of --lookups; null without the flag.
absl::StatusOr<std::shared_ptr<const KeySet>> RecordedLookups(const KeysRequest& request);

// Bytes of memory for so many keys: computed ones need none. `drawn`: writes may leave some out,
// which takes a bit a key to know.
uint64_t KeyMemory(const KeysRequest& request, uint64_t keys, uint64_t key_bytes, bool drawn);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_KEYS_H_
