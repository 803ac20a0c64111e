// The flags of what is loaded and looked up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_WORKLOAD_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_WORKLOAD_FLAGS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/key_table.h"
#include "db_bench_ext/read_amplification/lookups.h"

namespace winnow::bench {

// The file that defines them, for FlagHelp.
inline constexpr char kWorkloadFlagsFile[] = "db_bench_ext/read_amplification/workload_flags.cc";

// An error, a sentence that names the flag, for a value out of range.
absl::Status CheckWorkloadFlags();

// What the flags say, once checked.
struct WorkloadRequest {
  std::string keys_from;  // the file of --keys; empty: keys are generated
  uint64_t num = 0;       // generated keys
  uint64_t key_size = 0;  // of these
  size_t value_size = 0;
  size_t reads = 0;         // lookups of each workload
  size_t timed_reads = 0;   // of each workload and round, at most
  size_t timed_rounds = 1;  // at least 1
  uint64_t seed = 0;
};
WorkloadRequest WorkloadRequestOfFlags();

// Which of the workloads the flag names, without lookups; an error for another name.
absl::StatusOr<std::vector<Lookups>> WorkloadsOfFlags();

struct Keys {
  KeyTable present;
  KeyTable absent;
  uint64_t duplicates = 0;
};

// Generated, or those of the list with near misses of them. An error for a list that can't be used;
// what was left out of one is said on stderr.
absl::StatusOr<Keys> KeysOfFlags();

// The lookups of each workload, which refer to the keys. Absent keys are random draws already: they
// come one after the other unless some have to come more often.
void FillWorkloads(const Keys& keys, std::vector<Lookups>* workloads);

// How the lookups were drawn, for the reports.
std::string LookupsDrawn();

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_WORKLOAD_FLAGS_H_
