// What is read before every file of this folder that is compiled in RocksDB's own tree
// (winnow.mk, in_tree.cmake).
//
// Our files are compiled with hidden visibility there, so that RocksDB's library shows none of our
// names. Of two copies of an inline function or of a class's tables the linker gives the stricter
// visibility to both: RocksDB's own would vanish from its library, if its headers were read with
// ours. So they are read here, first, with the visibility that RocksDB gives them; a header of
// RocksDB that a file includes and that is missing here is found by tests/repo/in_tree_test.sh.

#ifndef WINNOW_SRC_ROCKSDB_IN_TREE_H_
#define WINNOW_SRC_ROCKSDB_IN_TREE_H_

#pragma GCC visibility push(default)

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
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/types.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_type.h>
#include <rocksdb/version.h>

#include "third_party/rocksdb_abi/filter_bits.h"

#pragma GCC visibility pop

#endif  // WINNOW_SRC_ROCKSDB_IN_TREE_H_
