// A point of a sweep of cache sizes: what lookups read into a block cache in its steady state.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_CACHE_POINT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_CACHE_POINT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

// Bytes inserted into the cache after which counting ends soon: lookups that each read a filter are
// slow, and a few hundred of them suffice.
inline constexpr uint64_t kMaxBytesOfPoint = uint64_t{4} << 30;

// Opens the grown tree and runs the first `reads` lookups, or all if there are fewer, at least
// three: a third fills the cache, a third is counted, and a third is timed. Filling ends soon after
// the cache was filled four times, and counting soon after kMaxBytesOfPoint; as many lookups are
// timed as were counted. Errors are those of CountLookups(). The caller adds the form and the
// filters of the files to the result.
absl::StatusOr<inspect::CachePoint> MeasureCachePoint(const TreeOptions& options,
                                                      const Policy& policy, const std::string& path,
                                                      const Lookups& lookups, uint64_t reads,
                                                      size_t threads, LookupProgress progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_CACHE_POINT_H_
