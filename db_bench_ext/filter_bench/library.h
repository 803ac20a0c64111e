// The part of filter_bench that uses libwinnow.so through its public headers, like a program
// without RocksDB. It is a shared object loaded at run time: filter_bench itself links functions of
// the same names, which it would use instead.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_

#include <cstddef>
#include <cstdint>

#include "db_bench_ext/filter_bench/keys.h"

namespace winnow::bench {

inline constexpr char kLibraryObject[] = "libfilter_bench_library.so";
inline constexpr char kAskFunction[] = "winnow_filter_bench_ask";

// Looks up `groups` times KeyGroup::kKeys keys in the filter with these bytes; returns how many the
// filter may contain.
using AskFunction = uint64_t (*)(const char* bytes, size_t size, LookupIndices* indices,
                                 KeyGroup* keys, uint64_t groups);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_LIBRARY_H_
