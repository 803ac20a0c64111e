// Asking the filter of a file, ours or a built-in one, for RocksDB.

#ifndef WINNOW_SRC_ROCKSDB_BITS_READER_H_
#define WINNOW_SRC_ROCKSDB_BITS_READER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <memory>

#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/use/use_meter.h"

namespace winnow::plugin {

// A reader of a filter block, which the caller owns. It reads `contents` in place, so these must
// outlive it. Null, which RocksDB takes as "may match", if memory is short, and for our blocks if
// there is a HashProblem.
//
// A block is ours if its marker, its magic number or its checksum says so; if it is damaged, it may
// contain every key. Any other block goes to `builtin`, a policy that reads RocksDB's own filters;
// it is not needed after the call.
//
// If `owned` is of a file, the reader keeps it, and tells it what is said of sampled keys. It asks
// a block's range filter for the bounds of a seek: who wrote it knew the order of the file's keys.
//
// Safe from any number of threads. Lookups in our blocks are added to the counters (counters.h),
// and to `use`, which may be null, by the level that the block states; it is not needed after the
// call.
ROCKSDB_NAMESPACE::FilterBitsReader* NewBitsReader(const ROCKSDB_NAMESPACE::Slice& contents,
                                                   const ROCKSDB_NAMESPACE::FilterPolicy& builtin,
                                                   OwnedReader owned = {},
                                                   UseMeter* use = nullptr) noexcept;

// Makes the policy for `builtin`: RocksDB's read-only one, by its name. NotSupported if this
// RocksDB has none; *policy is then unchanged.
ROCKSDB_NAMESPACE::Status NewBuiltinReader(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BITS_READER_H_
