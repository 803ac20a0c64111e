// Number of files that a lookup may have to read.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_

#include <cstdint>

#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

namespace winnow::bench {

// Returns the mean number of files whose key range contains the key of a lookup, over at most the
// first `sample` lookups; 0 without lookups.
double FilesConsideredPerLookup(const LevelFiles& levels, const Lookups& lookups,
                                uint64_t sample = 100'000);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_FILES_CONSIDERED_H_
