// Flags of what is written and looked up.

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
#include "db_bench_ext/read_amplification/program/flag_rules.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/text/key_list.h"

namespace winnow::bench {

// Source of a run's keys: a list, a database, or generated keys.
struct KeysRequest {
  std::string list;                                       // file of --keys; empty: none
  std::string from_db;                                    // --from_db; empty: none
  inspect::KeyFormat format = inspect::KeyFormat::kLine;  // format of lists
  uint64_t num = 0;                                       // number of generated keys
  uint64_t key_size = 0;                                  // size of generated keys
  KeyShape shape = KeyShape::kNumbers;                    // shape of generated keys
  bool ordered = false;       // sort a list, since it is written in order
  uint64_t absent_draws = 0;  // near misses to draw if keys are not generated
  uint64_t seed = 0;
  std::string lookups;  // file of --lookups; empty: none
};

struct WorkloadRequest {
  KeysRequest keys;
  BenchmarkList benchmarks;
  std::vector<WriteStep> writes;  // filluniquerandom if the list has none
  LookupChoices choices;
  std::vector<uint64_t> scan_lengths;  // each scan of --benchmarks becomes one workload per length
  std::string record_lookups;          // output file for the lookups; empty: none
  size_t value_size = 0;
  bool value_size_given = false;
  uint64_t timed_reads = 0;  // limit per workload and round
  double timed_seconds = 0;  // duration of a round if above 0
  size_t timed_rounds = 1;   // minimum 1
  size_t threads = 1;        // concurrent lookup threads per tree
};

// Checks the flags, separately and in combination; returns an error that names the flag for
// requests that are impossible or have no effect.
absl::StatusOr<WorkloadRequest> WorkloadRequestOfFlags(const GivenFlags& given);

// Returns the lookups of all workloads, in the order of --benchmarks.
std::vector<Lookups> MakeWorkloads(const WorkloadRequest& request, KeysOfRun keys);

// Returns how the lookups are drawn, for the reports.
std::string LookupsDrawn(const WorkloadRequest& request);

// Returns the settings that are not of the tree, for the reports; `existing`: an existing database
// is measured.
inspect::Settings WorkloadSettings(const WorkloadRequest& request, bool existing);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_WORKLOAD_FLAGS_H_
