// Preloaded before the interposer, it makes the RocksDB that is loaded look like one of another
// version.

#include <rocksdb/version.h>

#include "winnow/version.h"

namespace rocksdb {

WINNOW_EXPORT std::string GetRocksVersionAsString(bool) { return "99.1.0"; }

}  // namespace rocksdb
