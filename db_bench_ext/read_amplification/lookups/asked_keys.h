// Which keys are looked up, in which order, and how.

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
  std::string_view bound{};  // kScan: where it ends; behind the key in the same room
};

// Which key is asked for at a position, the same each time; it may be made in *room, and is valid
// until that changes. Called by several threads at a time.
using LookupAt = std::function<Asked(uint64_t position, std::string* room)>;

// A workload.
struct Lookups {
  std::string name;  // of --benchmarks
  LookupKind kind = LookupKind::kGet;
  LookupAt at;           // of positions below `count`
  uint64_t count = 0;    // lookups of a counting pass; a timed round that lasts longer begins again
  size_t batch = 1;      // kMultiGet: keys of a call
  bool batched = false;  // kMultiGet: RocksDB's call with arrays, not that with vectors
  uint64_t nexts = 0;    // kSeek: steps after each
  bool beside_writes = false;  // while another thread writes
  std::string remark;          // what to know of its figures, in sentences; empty: nothing
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_ASKED_KEYS_H_
