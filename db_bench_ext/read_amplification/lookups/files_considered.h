// How many files a lookup may have to look into.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_

#include <cstdint>

#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

namespace winnow::bench {

// The mean number of files whose range of keys holds the key of a lookup, by looking at the first
// `sample` lookups at most. 0 without lookups.
double FilesConsideredPerLookup(const LevelFiles& levels, const Lookups& lookups,
                                uint64_t sample = 100'000);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_
