// Scans of a range of keys, with an upper bound: which ones a workload asks for.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_

#include <cstdint>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"

namespace winnow::bench {

// All written keys in their order: KeysOfRun::in_order, one for all workloads.
KeyTable KeysInOrder(const KeysOfRun& keys);

// Where a scan begins.
enum class ScanBegin {
  kBehindKey,    // right behind a key; finds nothing
  kBetweenKeys,  // anywhere between two keys that are neighbours; finds nothing
  kAtKey         // at a key, which it finds
};

// Scans of `length` positions: the last eight bytes of a key are a number, the high byte first, and
// a scan ends so many above its begin. Where so long an empty scan was not found in many tries, one
// that finds something is asked for, and expects either. Takes the keys from `in_order`.
LookupAt MakeScans(ScanBegin begin, uint64_t length, const KeysOfRun& keys, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_SCANS_H_
