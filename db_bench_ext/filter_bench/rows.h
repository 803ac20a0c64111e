// The rows of filter_bench, by what they measure. Each function registers its rows with Google
// Benchmark. Names go from the general to the particular: what is done, how, with which keys, by
// whom, and with how many keys, as in query/hot/half/winnow_ribbon/100000, so that a row and its
// rival differ in one part. Every row that takes a time by the key has it in the counter
// per_key, in seconds.

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
  bool huge = false;       // also 10^8 keys
  bool rehearse = false;   // every filter with a thousandth of its keys: figures mean nothing
  int64_t iterations = 0;  // of the rows that build or ask one filter; 0: by the time they take

  // The keys of a row that says num_keys.
  uint64_t KeysFor(uint64_t num_keys) const {
    return rehearse ? std::max<uint64_t>(num_keys / 1000, 32) : num_keys;
  }

  void SetIterations(benchmark::internal::Benchmark* row) const {
    if (iterations > 0) row->Iterations(iterations);
  }
};

// The names of all rows, in the order in which they were added.
inline std::vector<std::string>& RowNames() {
  static std::vector<std::string> names;
  return names;
}

// Registers a row with Google Benchmark: its function, and what that gets behind the state.
template <typename... Arguments>
auto* AddRow(const std::string& name, Arguments&&... arguments) {
  RowNames().push_back(name);
  return benchmark::RegisterBenchmark(name.c_str(), std::forward<Arguments>(arguments)...);
}

// build/SUBJECT/KEYS: a builder is made, gets the keys, finishes and is destroyed. Counters:
// bits_per_key, and of the time by key the part before Finish, collecting_per_key.
// build_phases/SUBJECT/KEYS: the same for our Ribbon with all parts of the time by key:
// collecting_per_key, sorting_per_key, elimination_per_key, back_substitution_per_key and
// rest_per_key.
void RegisterBuildRows(const RowOptions& options);

// query/hot/PRESENCE/SUBJECT/KEYS         one filter
// query/random_of_100/PRESENCE/SUBJECT/KEYS   a random one of a hundred
// multiget/…                              the same, 32 keys of one filter at a time
// multiget_of_N/hot|random_of_4|random_of_100/…   the same, N keys at a time
// query/at_OFFSET/…                       the bytes OFFSET after a multiple of 64
// keys/PRESENCE                           making the keys, which is a part of all of these
// PRESENCE: half or absent. All through MayMatch.
void RegisterQueryRows(const RowOptions& options);

// readers/random_of_100/SUBJECT/KEYS: a reader of a random one of a hundred is made and destroyed,
// by one policy; per_key is the time of that.
void RegisterReaderRows(const RowOptions& options);

// query/beyond_tlb/absent/SUBJECT/ALLOCATOR: a random one of many filters of 128 KiB to 2 MiB, in
// all 10^9 bytes, with --huge three times that. ALLOCATOR: malloc, or huge_pages
// (winnow/rocksdb_huge_pages.h). Ours only.
// query/beyond_tlb_one_by_one/…: each lookup waits for the answer of the one before.
void RegisterHugePageRows(const RowOptions& options);

// library/hot/PRESENCE/SUBJECT/KEYS: winnow::HashKey and FilterView of libwinnow.so, for our
// subjects. No rows, and a note on stderr, where the library can't be loaded.
void RegisterLibraryRows(const RowOptions& options);

// hashes/single/PRESENCE/SUBJECT/KEYS     FilterView::MayContain(hash), one after the other
// hashes/batched/PRESENCE/SUBJECT/KEYS    FilterView::MayContain(hashes, 64, results)
// hashes/build/SUBJECT/KEYS               FilterBuilder, without a hash of the key
// load/HOW/SUBJECT/KEYS                   a FilterView of a block, unverified or verified: per_byte
void RegisterHashRows(const RowOptions& options);

// segments_of_KEYS/KIND/key_BYTES/SIDE/SEGMENTS: the readers of so many filters asked one after the
// other for the same absent key, as a Get does. per_key counts all segments.
// multiget_segments_of_KEYS/…: for the same 32 keys, as a MultiGet does.
// SIDE: winnow, winnow_unshared (which hashes the key for every filter) or builtin.
void RegisterSegmentRows(const RowOptions& options);

// filter_set_of_KEYS/KIND/HOW/SEGMENTS: which of so many segments may have an absent key. HOW:
//   copies, views                   FilterSet::Candidates, with its own copies or with bytes as a
//                                   memory allocator puts them
//   batched_copies, batched_views   the same for 32 keys at once
//   listed_copies                   eight of the segments, which the caller lists
//   filter_views                    FilterViews of the copies, one after the other by one hash
//   builtin_readers                 RocksDB's Bloom readers asked one after the other
// per_key counts all segments.
void RegisterFilterSetRows(const RowOptions& options);

// space/RATE/SUBJECT/KEYS: bits_per_key with all bytes, measured_rate over at least 4*10^7 absent
// keys, percent_over_minimum: bits_per_key above log2(1 / measured_rate).
void RegisterSpaceRows(const RowOptions& options);

// memory/SUBJECT/KEYS: peak_bytes_per_key of building, by a process of its own, and
// temporary_bytes: the peak less the filter and 8 bytes a key.
void RegisterMemoryRows(const RowOptions& options);

// turnover/THREADS/ALLOCATOR: a process of its own fills a block cache of 1 GiB from so many
// threads, 15 times over: filters, 60 % of it, that stay until their file is compacted away, and
// data blocks of 4 to 16 KiB. charged_bytes: of the blocks in it; resident_bytes: by how much the
// process grew; shrunk_bytes: the same after a cut of the cache to a quarter. ALLOCATOR: malloc or
// huge_pages.
void RegisterTurnoverRows(const RowOptions& options);

// ranges/build/WHAT/KIND/KEYS   building a range filter of sorted keys, or a Bloom filter of them.
//                               WHAT: range_filter or point_bloom
// ranges/collect/KIND/KEYS      the part of it before Finish
// ranges/query/KIND/KEYS        a range close behind a key. found: the share of "may contain"
// ranges/single_keys/WHAT/KIND/KEYS   an absent key that is like a present one but for a byte.
//                               WHAT: range_filter, asked for the range of that key alone, or
//                               point_bloom, point_ribbon with the bits of that as bits_per_key
// KIND: numbers, user_and_time, db_bench or paths.
void RegisterRangeRows(const RowOptions& options);

// Does the work of such a process. `what` is "ALLOCATOR:THREADS:MIB". Returns the program's exit
// status.
int MeasureTurnover(const char* what);

// Does the work of a process of the memory rows: builds one filter and prints the peak of its
// memory less what it had before, and the filter's size, in bytes. `what` is "SUBJECT:KEYS".
// Returns the program's exit status.
int MeasurePeakMemory(const char* what);

// Says in the results what was measured: the RocksDB and its build, the kernels, the processor.
void AddContext(const RowOptions& options);

// To be called once, at the end of a row: the keys looked up or added in each iteration.
inline void ReportPerKey(benchmark::State& state, uint64_t keys) {
  state.counters["per_key"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(keys),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The same of a row that asks `filters` filters for each key; also the share of their answers that
// were "may match".
inline void ReportLookups(benchmark::State& state, uint64_t keys, uint64_t found,
                          uint64_t filters = 1) {
  ReportPerKey(state, keys);
  const double asked = static_cast<double>(state.iterations()) * static_cast<double>(keys);
  state.counters["found"] = static_cast<double>(found) / asked / static_cast<double>(filters);
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_ROWS_H_
