// Looking keys up: once to count what a lookup costs, once to see how long it takes.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/key_table.h"
#include "src/inspect/readamp_results.h"

namespace winnow::bench {

// A workload: which keys are looked up, in which order.
struct Lookups {
  std::string name;  // db_bench's name of the same workload
  const KeyTable* keys = nullptr;
  std::vector<uint32_t> order;  // of keys; may repeat
  bool present = false;         // whether the tree has every key, or none
};

// Called now and then with the number of lookups done; false ends the pass.
using LookupProgress = absl::FunctionRef<bool(uint64_t done)>;

// Counts; no times. An error if a present key is not found, or an absent one is.
absl::StatusOr<inspect::WorkloadCounts> CountLookups(rocksdb::DB* db, const Lookups& lookups,
                                                     LookupProgress progress);

// Times, of the first `n` lookups at most, as the only round. Nothing is counted, since that takes
// time.
absl::StatusOr<inspect::WorkloadTimes> TimeLookups(rocksdb::DB* db, const Lookups& lookups,
                                                   size_t n, LookupProgress progress);

// Of at least one round of the same lookups: the one of median speed, the slower of two such, with
// the speeds of all.
inspect::WorkloadTimes MedianRound(const std::vector<inspect::WorkloadTimes>& rounds);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_H_
