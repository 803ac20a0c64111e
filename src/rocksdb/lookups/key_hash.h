// Hash of a key in filters, for RocksDB's slices.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_HASH_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_HASH_H_

#include <rocksdb/slice.h>

#include "src/core/hash_inline.h"
#include "winnow/hash.h"

namespace winnow::plugin {

inline KeyHash HashOf(const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return KeyHash{core::HashKeyInline(key.data(), key.size())};
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_HASH_H_
