// Entries of RocksDB's block cache that are only a key and a charge.
//
// RocksDB        deleter of an entry's object
// 7.1 – 7.10     a function; cache.h has the class Cache
// 8.0            a CacheItemHelper, which outlives the entry; advanced_cache.h has the class
//
// HyperClockCacheOptions exist from 7.8 on, without an estimated charge from 8.7 on.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_CACHE_ENTRY_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_CACHE_ENTRY_H_

#include <rocksdb/cache.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "third_party/rocksdb_abi/version_at_least.h"
#if WINNOW_ROCKSDB_AT_LEAST(8, 0)
#include <rocksdb/advanced_cache.h>
#endif

namespace winnow::rocksdb_abi {

using CacheHandle = ROCKSDB_NAMESPACE::Cache::Handle;

// Inserts an entry as the block cache inserts its own: with a handle, so that an entry that is too
// large for its shard is evicted when it is released. The caller must release *handle. The key must
// have 16 bytes, like all keys of the block cache.
inline ROCKSDB_NAMESPACE::Status InsertCharge(ROCKSDB_NAMESPACE::Cache* cache,
                                              const ROCKSDB_NAMESPACE::Slice& key, size_t charge,
                                              ROCKSDB_NAMESPACE::Cache::Priority priority,
                                              CacheHandle** handle) {
  static char object = 0;  // shared by all entries
#if WINNOW_ROCKSDB_AT_LEAST(8, 0)
  static const ROCKSDB_NAMESPACE::Cache::CacheItemHelper helper(
      ROCKSDB_NAMESPACE::CacheEntryRole::kMisc);
  return cache->Insert(key, &object, &helper, charge, handle, priority);
#else
  return cache->Insert(
      key, &object, charge, [](const ROCKSDB_NAMESPACE::Slice&, void*) {}, handle, priority);
#endif
}

// Returns whether this version has a HyperClockCache with this estimated entry charge, in bytes; 0
// if the cache is to estimate it.
inline bool HasHyperClockCache(size_t entry_charge) {
#if WINNOW_ROCKSDB_AT_LEAST(8, 7)
  (void)entry_charge;
  return true;
#elif WINNOW_ROCKSDB_AT_LEAST(7, 8)
  return entry_charge > 0;
#else
  (void)entry_charge;
  return false;
#endif
}

// Returns null if this version has no such cache.
inline std::shared_ptr<ROCKSDB_NAMESPACE::Cache> NewHyperClockCache(size_t capacity,
                                                                    size_t entry_charge,
                                                                    int shard_bits, bool strict) {
#if WINNOW_ROCKSDB_AT_LEAST(7, 8)
  return HasHyperClockCache(entry_charge)
             ? ROCKSDB_NAMESPACE::HyperClockCacheOptions(capacity, entry_charge, shard_bits, strict)
                   .MakeSharedCache()
             : nullptr;
#else
  (void)capacity, (void)entry_charge, (void)shard_bits, (void)strict;
  return nullptr;
#endif
}

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_CACHE_ENTRY_H_
