// Sizes of --cache_sweep.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace winnow::bench {

// Size of the block cache: a share of all keys and values, or bytes.
struct CacheSize {
  double share = 0;    // used if above 0; at most 10
  uint64_t bytes = 0;  // used if above 0
};

// Parses a comma-separated list of "5%", "64MiB" (or KiB, GiB), or bytes; empty for "". Returns an
// error that names the flag for other input.
absl::StatusOr<std::vector<CacheSize>> ParseCacheSweep(std::string_view list);

// Returns the distinct sizes in bytes, ascending, for data_bytes of keys and values.
std::vector<uint64_t> CacheSizesInBytes(const std::vector<CacheSize>& sizes, uint64_t data_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_
