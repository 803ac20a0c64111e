// Bounded scans of key ranges, as drawn for a workload.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_

#include <cstdint>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"

namespace winnow::bench {

// Returns all written keys, sorted: KeysOfRun::in_order, shared by all workloads.
KeyTable KeysInOrder(const KeysOfRun& keys);

// Position at which a scan begins.
enum class ScanBegin {
  kBehindKey,    // right behind a key; finds nothing
  kBetweenKeys,  // anywhere between two adjacent keys; finds nothing
  kAtKey         // exactly at a key, which is found
};

// Returns scans of `length` positions: the last eight bytes of a key are a big-endian number, and a
// scan ends `length` above its begin. If no empty scan of that length is found in many tries, the
// scan may find a key and expects either result. Takes the keys from `in_order`.
LookupAt MakeScans(ScanBegin begin, uint64_t length, const KeysOfRun& keys, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_
