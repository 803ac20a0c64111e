// Headers of RocksDB with default visibility. Included before every file of this folder that is
// compiled in RocksDB's own tree (winnow.mk, in_tree.cmake), or for archives of RocksDB
// (WINNOW_ADOPTED, src/preload/adopted/).
//
// Winnow's files are compiled with hidden visibility there, so that RocksDB's library exports none
// of Winnow's names. If an inline function or a vtable exists in two object files, the linker gives
// both the stricter visibility, and functions of RocksDB's headers would vanish from its library.
// Including the headers here first, with default visibility, prevents this.
// tests/repo/in_tree_test.sh finds headers of RocksDB that are missing here.

#ifndef WINNOW_SRC_ROCKSDB_IN_TREE_H_
#define WINNOW_SRC_ROCKSDB_IN_TREE_H_

#pragma GCC visibility push(default)

#if __has_include(<rocksdb/advanced_cache.h>)  // RocksDB 8.0 and later
#include <rocksdb/advanced_cache.h>
#endif
#include <rocksdb/advanced_options.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/types.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_type.h>
#include <rocksdb/version.h>

#include "third_party/rocksdb_abi/filter_bits.h"
#if defined(WINNOW_ADOPTED)
#include <rocksdb/utilities/transaction_db.h>

#include "third_party/rocksdb_abi/db_impl.h"
#endif

#pragma GCC visibility pop

#endif  // WINNOW_SRC_ROCKSDB_IN_TREE_H_
