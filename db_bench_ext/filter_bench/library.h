// The part of filter_bench that uses libwinnow.so as a program without RocksDB does, by contract
// headers only. It is a shared object of its own, loaded at run time: filter_bench has the same
// functions linked in, and would use those.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_

#include <cstddef>
#include <cstdint>

#include "db_bench_ext/filter_bench/keys.h"

namespace winnow::bench {

inline constexpr char kLibraryObject[] = "libfilter_bench_library.so";
inline constexpr char kAskFunction[] = "winnow_filter_bench_ask";

// Looks `groups` times KeyGroup::kKeys keys up in the filter with these bytes, and returns how many
// may be there.
using AskFunction = uint64_t (*)(const char* bytes, size_t size, LookupIndices* indices,
                                 KeyGroup* keys, uint64_t groups);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_
