// Part of the plugin that depends on the RocksDB version that it is compiled for, with another
// version.

#include <rocksdb/version.h>
#undef ROCKSDB_MINOR
#define ROCKSDB_MINOR 99
#include "src/rocksdb/version_guard.cc"
