// A point of a sweep of caches: what lookups read into a block cache that has long been in use.

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

// Soon after so many bytes were put into the cache, counting ends: lookups that read a filter each
// take long, and a few hundred of them tell all.
inline constexpr uint64_t kMaxBytesOfPoint = uint64_t{4} << 30;

// Opens the grown tree and does the first `reads` of the lookups, or as many as there are, at least
// three: a third fills the cache, a third is counted, and a third timed. Filling ends soon after
// the cache was filled four times over, counting soon after kMaxBytesOfPoint, and as many as were
// counted are timed. Errors as those of CountLookups. The caller knows the form, and the filters of
// the files.
absl::StatusOr<inspect::CachePoint> MeasureCachePoint(const TreeOptions& options,
                                                      const Policy& policy, const std::string& path,
                                                      const Lookups& lookups, uint64_t reads,
                                                      size_t threads, LookupProgress progress);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_CACHE_POINT_H_
