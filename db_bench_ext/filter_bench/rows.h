// Rows of filter_bench, by the measured operation. Each function registers its rows with Google
// Benchmark. Names go from the general to the specific: operation, method, keys, subject and number
// of keys, as in query/hot/half/winnow_ribbon/100000, so that a row and its rival differ in one
// part. Every row that measures a time per key has it in the counter per_key, in seconds.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROWS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROWS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow::bench {

struct RowOptions {
  bool huge = false;       // includes 10^8 keys
  bool rehearse = false;   // uses a thousandth of the keys: results are meaningless
  int64_t iterations = 0;  // iterations of build and query rows; 0: automatic

  // Returns the actual number of keys of a row for num_keys.
  uint64_t KeysFor(uint64_t num_keys) const {
    return rehearse ? std::max<uint64_t>(num_keys / 1000, 32) : num_keys;
  }

  void SetIterations(benchmark::internal::Benchmark* row) const {
    if (iterations > 0) row->Iterations(iterations);
  }
};

// Returns the names of all rows, in the order of registration.
inline std::vector<std::string>& RowNames() {
  static std::vector<std::string> names;
  return names;
}

// Registers a row with Google Benchmark: its function, and the arguments that follow the state.
template <typename... Arguments>
auto* AddRow(const std::string& name, Arguments&&... arguments) {
  RowNames().push_back(name);
  return benchmark::RegisterBenchmark(name.c_str(), std::forward<Arguments>(arguments)...);
}

// build/SUBJECT/KEYS: creates a builder, adds the keys, finishes and destroys the builder.
// Counters: bits_per_key, and collecting_per_key, the part of the time before Finish().
// build_phases/SUBJECT/KEYS: measures building Winnow's Ribbon with all parts of the time per key:
// collecting_per_key, sorting_per_key, elimination_per_key, back_substitution_per_key and
// rest_per_key.
void RegisterBuildRows(const RowOptions& options);

//   query/hot/PRESENCE/SUBJECT/KEYS         one filter
//   query/random_of_100/PRESENCE/SUBJECT/KEYS   a random one of a hundred
//   multiget/…                              likewise, 32 keys of one filter at a time
//   multiget_of_N/hot|random_of_4|random_of_100/…   likewise, N keys at a time
//   query/at_OFFSET/…                       bytes at OFFSET after a multiple of 64
//   keys/PRESENCE                           generation of the keys, a part of all of these
//   files/get_N/…, files/multiget_N/…/keys_of_LENGTH    all of N filters of 10^5 keys, for each key
// PRESENCE: half or absent. All rows use MayMatch().
void RegisterFileRows(const RowOptions& options);
void RegisterQueryRows(const RowOptions& options);

// readers/random_of_100/SUBJECT/KEYS: creates and destroys a reader of a random one of a hundred
// filters, by one policy; per_key is the time of that.
void RegisterReaderRows(const RowOptions& options);

// query/beyond_tlb/absent/SUBJECT/ALLOCATOR: a random one of many filters of 128 KiB to 2 MiB, 10^9
// bytes in total, three times as many with --huge. ALLOCATOR is malloc or huge_pages
// (winnow/rocksdb_huge_pages.h). Only for Winnow's filters.
// query/beyond_tlb_one_by_one/…: each lookup waits for the preceding answer.
void RegisterHugePageRows(const RowOptions& options);

// library/hot/PRESENCE/SUBJECT/KEYS: winnow::HashKey and FilterView of libwinnow.so, for Winnow's
// filters. Registers no rows, with a note on stderr, if the library cannot be loaded.
void RegisterLibraryRows(const RowOptions& options);

// filter_set_of_KEYS/KIND/HOW/SEGMENTS: which of SEGMENTS segments may have an absent key. HOW:
//   copies, views                   FilterSet::Candidates, with its own copies or with separately
//                                   allocated bytes
//   batched_copies, batched_views   likewise for 32 keys at once
//   listed_copies                   eight of the segments, listed by the caller
//   filter_views                    FilterViews of the copies, one after the other by one hash
//   builtin_readers                 RocksDB's Bloom readers, one after the other
// per_key is the time for all segments.
void RegisterFilterSetRows(const RowOptions& options);

// space/RATE/SUBJECT/KEYS: bits_per_key of all bytes, measured_rate from at least 4*10^7 absent
// keys, percent_over_minimum: bits_per_key above log2(1 / measured_rate).
void RegisterSpaceRows(const RowOptions& options);

//   ranges/build/WHAT/KIND/KEYS   builds a range filter or a Bloom filter of sorted keys.
//                                 WHAT: range_filter or point_bloom
//   ranges/collect/KIND/KEYS      the part before Finish()
//   ranges/query/KIND/KEYS        a range close behind a key. found: the share of "may contain"
//   ranges/single_keys/WHAT/KIND/KEYS   an absent key that differs from a present one in one byte.
//                                 WHAT: range_filter, as range_kind=single asks positions; or
//                                 point_bloom, point_ribbon with its bits as bits_per_key
// KIND: numbers, user_and_time, decimals, dense, db_bench or paths, which have no single_keys.
void RegisterRangeRows(const RowOptions& options);

// Adds to the results what was measured: RocksDB and its build, the kernels, the processor.
void AddContext(const RowOptions& options);

// Sets per_key. Call once at the end of a row, with the keys looked up or added in each iteration.
inline void ReportPerKey(benchmark::State& state, uint64_t keys) {
  state.counters["per_key"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(keys),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Sets per_key of a row that checks `filters` filters for each key, and the share of "may match"
// answers.
inline void ReportLookups(benchmark::State& state, uint64_t keys, uint64_t found,
                          uint64_t filters = 1) {
  ReportPerKey(state, keys);
  const double asked = static_cast<double>(state.iterations()) * static_cast<double>(keys);
  state.counters["found"] = static_cast<double>(found) / asked / static_cast<double>(filters);
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROWS_H_
