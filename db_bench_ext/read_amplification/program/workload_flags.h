// The flags of what is loaded and looked up.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_WORKLOAD_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_WORKLOAD_FLAGS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/shaped_keys.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/lookups/benchmarks.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/program/flag_check.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/text/key_list.h"

namespace winnow::bench {

// The file that defines them, for FlagHelp.
inline constexpr char kWorkloadFlagsFile[] =
    "db_bench_ext/read_amplification/program/workload_flags.cc";

// Which keys a run is of: those of a list, of a database, or generated ones.
struct KeysRequest {
  std::string list;                                       // file of --keys; empty: none
  std::string from_db;                                    // --from_db; empty: none
  inspect::KeyFormat format = inspect::KeyFormat::kLine;  // of lists
  uint64_t num = 0;                                       // generated keys
  uint64_t key_size = 0;                                  // of these
  KeyShape shape = KeyShape::kNumbers;                    // of these
  bool ordered = false;       // a list is sorted, as it is written in order
  uint64_t absent_draws = 0;  // near misses to draw from keys that are not generated
  uint64_t seed = 0;
  std::string lookups;  // file of --lookups; empty: none
};

struct WorkloadRequest {
  KeysRequest keys;
  BenchmarkList benchmarks;
  std::vector<WriteStep> writes;  // filluniquerandom if the list has none
  LookupChoices choices;
  std::vector<uint64_t> scan_lengths;  // each scan of --benchmarks is one workload a length
  std::string record_lookups;          // file to write them into; empty: none
  size_t value_size = 0;
  bool value_size_given = false;
  uint64_t timed_reads = 0;  // of each workload and round, at most
  double timed_seconds = 0;  // above 0: of a round, instead
  size_t timed_rounds = 1;   // at least 1
  size_t threads = 1;        // that look keys up in a tree
  uint64_t write_rate = 0;   // of the thread that writes, bytes a second; 0: no limit
};

// Checks the flags, each and together; an error, a sentence that names the flag, for what can't be
// done or has no meaning. CheckFlagValues is called before.
absl::StatusOr<WorkloadRequest> WorkloadRequestOfFlags(const GivenFlags& given);

// The lookups of all workloads, in the order of --benchmarks.
std::vector<Lookups> MakeWorkloads(const WorkloadRequest& request, KeysOfRun keys);

// How the lookups are drawn, for the reports.
std::string LookupsDrawn(const WorkloadRequest& request);

// The choices that are no part of the tree, for the reports; `existing`: of a database that is
// measured as it is.
inspect::Settings WorkloadSettings(const WorkloadRequest& request, bool existing);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_WORKLOAD_FLAGS_H_
