// Findings of a run of the read-amplification benchmark, as plain data: what its reports print.

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

// Sums over all lookups of a workload, on one level.
struct LevelCounts {
  int level = 0;
  uint64_t filter_checks = 0;
  uint64_t useful = 0;                      // checks that said no
  uint64_t false_positive_block_reads = 0;  // checks that said "maybe" where the key was not
  uint64_t blocks_accessed = 0;             // of any type, from the cache or from the file
  uint64_t blocks_read = 0;                 // of these from the file; 0 without a block cache
};

// Blocks of a kind that the block cache did not have, and what was put into it for them, as
// RocksDB's tickers count it.
struct BlockLoads {
  uint64_t misses = 0;
  uint64_t blocks = 0;  // put into the cache
  uint64_t bytes =
      0;  // of these, as the cache charges them: uncompressed, with what belongs to them
};

// All 0 without a block cache, and of filters and indexes that are kept beside it.
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
  uint64_t false_positive_block_reads = 0;  // in decided_lookups
  uint64_t data_blocks_accessed = 0;        // what would be read without a block cache
  uint64_t data_blocks_read = 0;            // from files
  uint64_t bytes_read = 0;                  // from files, blocks of any type
  uint64_t value_bytes = 0;                 // of the values returned
  std::optional<uint64_t> hashes;  // computed for checks; unset for a policy that is not known
  std::optional<uint64_t> hashes_shared;  // checks that needed none; unset with `hashes`
  std::vector<LevelCounts> levels;
  // Lookups, and their filter checks, of which it is known whether a "maybe" was false. Unset: all.
  std::optional<uint64_t> decided_lookups{};
  std::optional<uint64_t> decided_checks{};
  CacheLoads loads{};
  // Lookups that had to read a filter from a file; of several keys in a call, all of that call.
  uint64_t filter_reading_lookups = 0;
};

// Times of the round of lookups whose speed is the median of all rounds.
struct WorkloadTimes {
  uint64_t lookups = 0;  // of a round
  double ops_per_second = 0;
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
  std::vector<double> ops_per_second_by_round;  // in the order of time
  std::vector<Percentile> percentiles{};        // ascending
};

struct WorkloadResult {
  std::string name;
  std::string remark;  // what to know of its figures, in sentences; empty: nothing
  WorkloadCounts counts;
  WorkloadTimes times;
  std::optional<uint64_t> keys_written_meanwhile{};  // beside the counted lookups, where any are
  double files_considered_per_lookup = 0;            // files whose key range holds the key
  std::map<int, double> files_considered_by_level;
};

// Lookups while a tree grew, from the interval before to its end, and the files at its end.
struct GrowthInterval {
  uint64_t written = 0;   // writes, of keys that are in files or in memory
  WorkloadCounts counts;  // without levels
  uint64_t keys = 0;      // in files
  uint64_t filter_bytes = 0;
};

// Where the filters of a level have their bits: by equal parts of the range of keys, of which there
// are kParts. A file's filter is shared out among parts as its range of keys is.
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
  std::map<std::string, uint64_t> filters{};  // files by kind of filter
};

// The memory that building one filter takes, of the mean size of the largest files but of at least
// a million keys, beyond what the process has before. The filter itself is in it.
struct BuildPeak {
  uint64_t keys = 0;
  uint64_t bytes = 0;  // good to a few hundred kilobytes
};

// Cost of building the filters of a tree like this one, measured apart: filters of the mean size of
// each level, one after the other on one thread.
struct BuildCost {
  uint64_t keys = 0;                // that were put into filters for it
  double ns_per_key = 0;            // the levels weighed by their keys; with adding the keys
  std::optional<BuildPeak> peak{};  // unset where it was not measured
};

// How filters and indexes lie in the block cache: as a block each of a file, which comes and goes;
// cut into partitions, which come and go; or as a block that stays while its file is open.
enum class FilterForm { kWhole, kPartitioned, kPinned };
inline constexpr FilterForm kFilterForms[] = {FilterForm::kWhole, FilterForm::kPartitioned,
                                              FilterForm::kPinned};

inline const char* NameOf(FilterForm form) {
  return form == FilterForm::kWhole         ? "whole"
         : form == FilterForm::kPartitioned ? "partitioned"
                                            : "pinned";
}

// Lookups on the same tree with one size of the block cache and one form of filters, after other
// lookups that filled the cache.
struct CachePoint {
  std::string workload;
  FilterForm form = FilterForm::kWhole;
  uint64_t cache_size = 0;
  uint64_t cache_used = 0;     // after the counted lookups; above the size if pinned blocks are
  uint64_t cache_pinned = 0;   // of this, what can't leave
  uint64_t filter_bytes = 0;   // of all files, in this form
  double tree_difference = 0;  // of its levels' keys to those of the policy's own tree
  WorkloadCounts counts;       // without hashes
  double ops_per_second = 0;   // of more lookups, timed without counting
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
  std::optional<BuildCost> build;  // unset without filters
  // Where lookups have the heat of key ranges: while the tree grew, and where the bits then are.
  std::vector<GrowthInterval> growth{};
  std::vector<RangeOfLevel> range{};
  std::vector<CachePoint> cache_sweep{};  // by workload, size and form; empty without
};

// One of the runs on the same tree that vary the bits of a policy that was asked for.
struct FrontierPoint {
  std::string varied;       // the policy as asked for
  double bits_per_key = 0;  // what the policy of the result asks for instead
  PolicyResult result;      // without times
};

// A choice that decides the figures, by the name of its flag or option.
using SettingValue = std::variant<bool, int64_t, double, std::string>;
using Settings = std::vector<std::pair<std::string, SettingValue>>;

struct ReadAmplification {
  std::string database;  // folder of the one that was measured as it is; empty: trees were made
  std::string command;
  std::string keys_from;
  uint64_t keys = 0;
  uint64_t duplicates = 0;  // dropped from the list of keys
  uint64_t key_bytes = 0;
  uint64_t value_size = 0;
  uint64_t cache_size = 0;
  std::vector<std::string> notes;  // what to know before the figures are read, in sentences
  std::vector<PolicyResult> policies;
  Settings settings;
  uint64_t seed = 0;
  std::string date;  // UTC, "2024-02-29T13:05:00Z"; when the run began
  std::vector<FrontierPoint> frontier;
  std::string lookups_drawn;  // a sentence: which keys are asked how often; empty: not known
  // Share of the lookups at rest for each of kParts; empty where key ranges have no heat.
  std::vector<double> heat{};
};

// a / b, and 0 when b is 0.
inline double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// Bits per key in the filters of a tree, a level or an interval of growth.
template <typename Part>
double FilterBitsPerKey(const Part& part) {
  return 8 * Ratio(part.filter_bytes, part.keys);
}

// True if every key that was looked up is missing, so that every block read was a false read.
inline bool AllAbsent(const WorkloadCounts& counts) {
  return counts.lookups > 0 && counts.found == 0;
}

// Denominators of the shares of false reads.
inline uint64_t DecidedLookups(const WorkloadCounts& counts) {
  return counts.decided_lookups.value_or(counts.lookups);
}
inline uint64_t DecidedChecks(const WorkloadCounts& counts) {
  return counts.decided_checks.value_or(counts.filter_checks);
}

// False reads a lookup, with their 95 % interval, and a filter check.
inline double FalseReads(const WorkloadCounts& counts) {
  return Ratio(counts.false_positive_block_reads, DecidedLookups(counts));
}
inline Interval FalseReadsInterval(const WorkloadCounts& counts) {
  return PoissonInterval(counts.false_positive_block_reads, DecidedLookups(counts));
}

// The same as headlines and summaries count them, also where no filter was asked, as without
// filters, or by scans without an extractor of prefixes: if all keys are absent, every data block
// is read for one.
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
