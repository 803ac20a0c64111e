// The sizes of --cache_sweep.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace winnow::bench {

// A size of the block cache: a share of all keys and values, or bytes.
struct CacheSize {
  double share = 0;    // above 0: this; at most 10
  uint64_t bytes = 0;  // above 0: these
};

// The sizes between the commas: "5%", "64MiB" (or KiB, GiB), or bytes. An error, which names the
// flag, for what is neither. Empty for "".
absl::StatusOr<std::vector<CacheSize>> ParseCacheSweep(std::string_view list);

// In bytes, each once and ascending, of so many bytes of keys and values.
std::vector<uint64_t> CacheSizesInBytes(const std::vector<CacheSize>& sizes, uint64_t data_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CACHE_SIZES_H_
