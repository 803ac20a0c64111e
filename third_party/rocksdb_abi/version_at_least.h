// Version of the RocksDB headers that are compiled with, and a check that it is supported.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSION_AT_LEAST_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSION_AT_LEAST_H_

#include <rocksdb/version.h>

#define WINNOW_ROCKSDB_AT_LEAST(major, minor) \
  (ROCKSDB_MAJOR > (major) || (ROCKSDB_MAJOR == (major) && ROCKSDB_MINOR >= (minor)))

// True if DB::OpenAndCompact has an overload with options of its own, which the other one calls.
#define WINNOW_ROCKSDB_CANCELS_COMPACTIONS WINNOW_ROCKSDB_AT_LEAST(7, 2)

// True if there is DB::OpenAsFollower.
#define WINNOW_ROCKSDB_HAS_FOLLOWERS WINNOW_ROCKSDB_AT_LEAST(9, 2)

// True if DB::GetDBOptions returns the compaction_service that the database was opened with; else
// it is always null.
#define WINNOW_ROCKSDB_SHOWS_COMPACTION_SERVICE WINNOW_ROCKSDB_AT_LEAST(9, 8)

// third_party/rocksdb_abi/find.cmake refuses these versions, too, for these reasons. Both must be
// changed for a newer version.
#if !WINNOW_ROCKSDB_AT_LEAST(7, 1)
#error \
    "Winnow needs RocksDB 7.1 or later: in 7.0 no other policy can read the filters on disk, and \
earlier ones have another way to build filters."
#elif WINNOW_ROCKSDB_AT_LEAST(11, 10) && !defined(WINNOW_ALLOW_NEWER) && !defined(WINNOW_IN_TREE)
#error \
    "This RocksDB is newer than 11.9, the newest whose filter classes are known to Winnow. \
Compare the classes in its table/block_based/filter_policy_internal.h with those in filter_bits.h, \
then raise this limit; -DWINNOW_ALLOW_NEWER=ON tries without."
#endif

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSION_AT_LEAST_H_
