// Keys of a workload's lookups, their order, and the kind of lookup.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_ASKED_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_ASKED_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

namespace winnow::bench {

// Expected result of a lookup.
enum class Expected { kPresent, kAbsent, kEither };

struct Asked {
  std::string_view key;
  Expected expected = Expected::kEither;
  std::string_view bound{};  // kScan: upper bound; stored behind the key in the same room
};

// Returns the lookup at a position, deterministically. The key may be stored in *room and is valid
// until that changes. Must be thread-safe.
using LookupAt = std::function<Asked(uint64_t position, std::string* room)>;

// A workload.
struct Lookups {
  std::string name;  // name in --benchmarks
  LookupKind kind = LookupKind::kGet;
  LookupAt at;           // positions are below `count`
  uint64_t count = 0;    // lookups of a counting pass; longer timed rounds start over
  size_t batch = 1;      // kMultiGet: keys per call
  bool batched = false;  // kMultiGet: RocksDB's call with arrays instead of vectors
  uint64_t nexts = 0;    // kSeek: Next() calls after each seek
  std::string remark;    // notes on the results, in sentences; may be empty
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_ASKED_KEYS_H_
