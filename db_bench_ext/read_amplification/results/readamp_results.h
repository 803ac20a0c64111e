// Results of a run of the read-amplification benchmark, as plain data for the reports.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_READAMP_RESULTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_READAMP_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "db_bench_ext/read_amplification/results/latency_percentiles.h"
#include "src/text/rate_interval.h"

namespace winnow::inspect {

// Sums over all lookups of a workload on one level.
struct LevelCounts {
  int level = 0;
  uint64_t filter_checks = 0;
  uint64_t useful = 0;                      // negative checks
  uint64_t false_positive_block_reads = 0;  // "maybe" for an absent key
  uint64_t blocks_accessed = 0;             // all types, from the cache or from files
  uint64_t blocks_read = 0;                 // blocks read from files; 0 without a block cache
};

// Block cache misses of one kind of block, and blocks inserted for them, by RocksDB's tickers.
struct BlockLoads {
  uint64_t misses = 0;
  uint64_t blocks = 0;  // inserted into the cache
  // Bytes of inserted blocks, as charged by the cache: uncompressed, including overhead.
  uint64_t bytes = 0;
};

// All 0 without a block cache, and for filters and indexes outside the cache.
struct CacheLoads {
  BlockLoads filter;
  BlockLoads index;
  BlockLoads data;
};

// Sums over all lookups of a workload.
struct WorkloadCounts {
  uint64_t lookups = 0;
  uint64_t found = 0;
  uint64_t filter_checks = 0;
  uint64_t useful = 0;
  uint64_t false_positive_block_reads = 0;  // among decided_lookups
  uint64_t data_blocks_accessed = 0;        // data blocks that would be read without a block cache
  uint64_t data_blocks_read = 0;            // data blocks read from files
  uint64_t bytes_read = 0;                  // bytes of all blocks read from files
  uint64_t value_bytes = 0;                 // total size of the returned values
  std::optional<uint64_t> hashes;           // computed for checks; unset for unknown policies
  // Number of checks that needed no hash computation; unset together with `hashes`.
  std::optional<uint64_t> hashes_shared;
  std::vector<LevelCounts> levels;
  // Lookups, and their filter checks, for which it is known whether a "maybe" was false. Unset:
  // all.
  std::optional<uint64_t> decided_lookups{};
  std::optional<uint64_t> decided_checks{};
  CacheLoads loads{};
  // Lookups that read a filter from a file; for calls with several keys, all lookups of such calls.
  uint64_t filter_reading_lookups = 0;
};

// Times of the round with the median speed.
struct WorkloadTimes {
  uint64_t lookups = 0;  // per round
  double ops_per_second = 0;
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
  std::vector<double> ops_per_second_by_round;  // chronological
  std::vector<Percentile> percentiles{};        // ascending
};

struct WorkloadResult {
  std::string name;
  std::string remark;  // notes on the results, in sentences; may be empty
  WorkloadCounts counts;
  WorkloadTimes times;
  double files_considered_per_lookup = 0;  // files whose key range contains the key
  std::map<int, double> files_considered_by_level;
};

// Lookups during an interval of a tree's growth, and the files at its end.
struct GrowthInterval {
  uint64_t written = 0;   // total writes; the keys are in files or in memory
  WorkloadCounts counts;  // levels are empty
  uint64_t keys = 0;      // keys in files
  uint64_t filter_bytes = 0;
};

// Distribution of a level's filter bits over kParts equal parts of the key range. A file's filter
// is divided among the parts in proportion to the overlap with its key range.
struct RangeOfLevel {
  int level = 0;
  std::vector<double> keys;
  std::vector<double> filter_bytes;
};
inline constexpr size_t kParts = 30;

struct LevelShape {
  int level = 0;
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  std::map<std::string, uint64_t> filters{};  // number of files by kind of filter
};

// Cost of building the filters of such a tree, measured separately: filters of each level's mean
// size, one after the other on one thread.
struct BuildCost {
  uint64_t keys = 0;      // keys added to filters in the measurement
  double ns_per_key = 0;  // mean over levels weighted by keys; includes adding the keys
};

struct PolicyResult {
  std::string policy;    // requested policy
  std::string in_force;  // name in the files' properties
  uint64_t keys = 0;
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t filter_bytes = 0;
  std::map<std::string, uint64_t> filters;  // number of files by kind of filter
  std::vector<LevelShape> tree;             // levels with files
  double load_seconds = 0;
  std::vector<WorkloadResult> workloads;
  std::optional<BuildCost> build;  // unset without filters
  // Set if lookups have a heat of key ranges: intervals of the tree's growth, and final
  // distribution of the bits.
  std::vector<GrowthInterval> growth{};
  std::vector<RangeOfLevel> range{};
};

// A setting that affects the results, by the name of its flag or option.
using SettingValue = std::variant<bool, int64_t, double, std::string>;
using Settings = std::vector<std::pair<std::string, SettingValue>>;

struct ReadAmplification {
  std::string database;  // folder of the measured existing database; empty: trees were grown
  std::string command;
  std::string keys_from;
  uint64_t keys = 0;
  uint64_t duplicates = 0;  // number dropped from the list of keys
  uint64_t key_bytes = 0;
  uint64_t value_size = 0;
  uint64_t cache_size = 0;
  std::vector<std::string> notes;  // notes for readers of the results, in sentences
  std::vector<PolicyResult> policies;
  Settings settings;
  uint64_t seed = 0;
  std::string date;           // start of the run in UTC, "2024-02-29T13:05:00Z"
  std::string lookups_drawn;  // sentence on how lookups are drawn; empty: unknown
  // Share of the final lookups in each of kParts; empty without heat of key ranges.
  std::vector<double> heat{};
};

// Returns a / b, or 0 if b is 0.
inline double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// Returns bits per key in the filters of a tree, a level or an interval of growth.
template <typename Part>
double FilterBitsPerKey(const Part& part) {
  return 8 * Ratio(part.filter_bytes, part.keys);
}

// Returns whether all keys that were looked up are absent, so that every block read was a false
// read.
inline bool AllAbsent(const WorkloadCounts& counts) {
  return counts.lookups > 0 && counts.found == 0;
}

// Denominators of the rates of false reads.
inline uint64_t DecidedLookups(const WorkloadCounts& counts) {
  return counts.decided_lookups.value_or(counts.lookups);
}
inline uint64_t DecidedChecks(const WorkloadCounts& counts) {
  return counts.decided_checks.value_or(counts.filter_checks);
}

// False reads per lookup, with their 95 % interval, and per filter check.
inline double FalseReads(const WorkloadCounts& counts) {
  return Ratio(counts.false_positive_block_reads, DecidedLookups(counts));
}
inline Interval FalseReadsInterval(const WorkloadCounts& counts) {
  return PoissonInterval(counts.false_positive_block_reads, DecidedLookups(counts));
}

// Returns the false reads of headlines and summaries. If no filter was checked, as without filters
// or in scans without a prefix extractor, and all keys are absent, every data block read is a false
// read.
inline uint64_t ReadsForAbsentKeys(const WorkloadCounts& counts) {
  return DecidedChecks(counts) == 0 && AllAbsent(counts) ? counts.data_blocks_accessed
                                                         : counts.false_positive_block_reads;
}
inline double ReadsForAbsentKeysPerLookup(const WorkloadCounts& counts) {
  return Ratio(ReadsForAbsentKeys(counts), DecidedLookups(counts));
}
inline double FalsePositiveRate(const WorkloadCounts& counts) {
  return Ratio(counts.false_positive_block_reads, DecidedChecks(counts));
}

inline uint64_t LoadedBytes(const CacheLoads& loads) {
  return loads.filter.bytes + loads.index.bytes + loads.data.bytes;
}

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_RESULTS_READAMP_RESULTS_H_
