// Size of a filter that exceeds all caches.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace winnow::bench {

// Returns the number of keys in a filter of more than twice the size of the last-level cache, at 10
// bits per key, or at 6.8 if is_small.
inline uint64_t KeysBeyondCache(bool is_small) {
  constexpr int64_t kMin = 32 << 20;  // default if the system does not report the size
  const auto cache = std::max<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), kMin);
  return static_cast<uint64_t>(cache) * 12 / 5 * (is_small ? 118 : 80) / 100;
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_
