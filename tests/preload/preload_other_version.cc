// Preloaded before the interposer, makes the loaded RocksDB report another version.

#include <rocksdb/version.h>

#include "winnow/version.h"

namespace rocksdb {

WINNOW_EXPORT std::string GetRocksVersionAsString(bool) { return "99.1.0"; }

}  // namespace rocksdb
