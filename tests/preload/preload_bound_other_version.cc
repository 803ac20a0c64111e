// The part of the plugin that knows which RocksDB it was compiled for, as if that were another one.

#include <rocksdb/version.h>
#undef ROCKSDB_MINOR
#define ROCKSDB_MINOR 99
#include "src/rocksdb/version_guard.cc"
