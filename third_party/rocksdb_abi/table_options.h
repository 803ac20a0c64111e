// Options of block-based tables that not all versions of RocksDB have.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_OPTIONS_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_OPTIONS_H_

#include <rocksdb/table.h>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::rocksdb_abi {

// Returns decouple_partitioned_filters, which exists from 9.6 on: true if filter partitions are cut
// by their own size alone. False in older versions.
inline bool DecouplesPartitionedFilters(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  return table.decouple_partitioned_filters;
#else
  (void)table;
  return false;
#endif
}

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_OPTIONS_H_
