// How large a filter is that no cache holds.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace winnow::bench {

// The keys at 10 bits a key of a filter more than twice as large as the last-level cache.
// is_small: it takes 6.8 bits instead.
inline uint64_t KeysBeyondCache(bool is_small) {
  constexpr int64_t kMin = 32 << 20;  // where the system does not know
  const auto cache = std::max<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), kMin);
  return static_cast<uint64_t>(cache) * 12 / 5 * (is_small ? 118 : 80) / 100;
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_BEYOND_CACHE_H_
