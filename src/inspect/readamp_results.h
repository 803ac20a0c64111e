// What a run of the read-amplification benchmark found out, as plain data: what its reports print.

#ifndef WINNOW_SRC_INSPECT_READAMP_RESULTS_H_
#define WINNOW_SRC_INSPECT_READAMP_RESULTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Sums over all lookups of a workload, on one level.
struct LevelCounts {
  int level = 0;
  uint64_t filter_checks = 0;
  uint64_t useful = 0;                      // checks that said no
  uint64_t false_positive_block_reads = 0;  // checks that said "maybe" where the key was not
  uint64_t blocks_accessed = 0;             // of any type, from the cache or from the file
};

// Sums over all lookups of a workload.
struct WorkloadCounts {
  uint64_t lookups = 0;
  uint64_t found = 0;
  uint64_t filter_checks = 0;
  uint64_t useful = 0;
  uint64_t false_positive_block_reads = 0;
  uint64_t data_blocks_accessed = 0;  // what would be read without a block cache
  uint64_t data_blocks_read = 0;      // from files
  uint64_t bytes_read = 0;            // from files, blocks of any type
  uint64_t value_bytes = 0;           // of the values returned
  std::optional<uint64_t> hashes;     // computed for checks; unset for a policy that is not known
  std::optional<uint64_t> hashes_shared;  // checks that needed none; unset with `hashes`
  std::vector<LevelCounts> levels;
};

// Of the round of lookups whose speed is the median of all rounds.
struct WorkloadTimes {
  uint64_t lookups = 0;  // of a round
  double ops_per_second = 0;
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
  std::vector<double> ops_per_second_by_round;  // in the order of time
};

struct WorkloadResult {
  std::string name;
  bool present = false;  // whether the keys were there
  WorkloadCounts counts;
  WorkloadTimes times;
  double files_considered_per_lookup = 0;  // files whose key range holds the key
};

struct LevelShape {
  int level = 0;
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
};

struct PolicyResult {
  std::string policy;    // as asked for
  std::string in_force;  // the name in the files' properties
  uint64_t keys = 0;
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t filter_bytes = 0;
  std::map<std::string, uint64_t> filters;  // files by kind of filter
  std::vector<LevelShape> tree;             // levels that have files
  double load_seconds = 0;
  std::vector<WorkloadResult> workloads;
};

struct ReadAmplification {
  std::string command;
  std::string keys_from;
  uint64_t keys = 0;
  uint64_t duplicates = 0;  // dropped from the list of keys
  uint64_t key_bytes = 0;
  uint64_t value_size = 0;
  uint64_t cache_size = 0;
  std::vector<std::string> notes;  // what to know before the figures are read, in sentences
  std::vector<PolicyResult> policies;
};

// a / b, and 0 when b is 0.
inline double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_READAMP_RESULTS_H_
