// Filter readers for RocksDB, for Winnow's and for built-in filters.

#ifndef WINNOW_SRC_ROCKSDB_BITS_READER_H_
#define WINNOW_SRC_ROCKSDB_BITS_READER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <memory>

#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/use/use_meter.h"

namespace winnow::plugin {

// Returns a new reader of a filter block, which the caller owns. The reader refers to `contents`,
// which must outlive it. Returns null, which RocksDB takes as "may match", if out of memory, and
// for Winnow's blocks if there is a HashProblem.
//
// A block is Winnow's if its marker, its magic number or its checksum says so; if it is damaged, it
// may contain every key. Any other block goes to `builtin`, a policy that reads RocksDB's own
// filters; `builtin` need not outlive the call.
//
// If `owned` names a file, the reader keeps it and counts in it keys that it denies, at random. The
// reader checks a block's range filter for the bounds of a seek; its writer made sure that the
// file's keys are in bytewise order.
//
// The reader is thread-safe. Lookups in Winnow's blocks are added to the counters (counters.h), and
// to `use` by the level that the block states. `use` may be null and need not outlive the call.
ROCKSDB_NAMESPACE::FilterBitsReader* NewBitsReader(const ROCKSDB_NAMESPACE::Slice& contents,
                                                   const ROCKSDB_NAMESPACE::FilterPolicy& builtin,
                                                   OwnedReader owned = {},
                                                   NamedUse* use = nullptr) noexcept;

// Makes the policy for `builtin`: RocksDB's read-only one, found by name. Returns NotSupported and
// leaves *policy unchanged if this RocksDB has none.
ROCKSDB_NAMESPACE::Status NewBuiltinReader(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BITS_READER_H_
