// RocksDB's own block cache, with entries that are only charges: it decides which blocks stay.

#ifndef WINNOW_SRC_CACHE_TRIAL_TRIAL_CACHE_H_
#define WINNOW_SRC_CACHE_TRIAL_TRIAL_CACHE_H_

#include <rocksdb/cache.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "third_party/rocksdb_abi/cache_entry.h"

namespace winnow::inspect {

// Options of a cache: RocksDB's defaults, except for the capacity.
struct CacheShape {
  uint64_t capacity = 0;  // bytes
  bool hyper_clock = false;
  uint64_t entry_charge = 0;  // HyperClockCache: bytes per entry; 0 if estimated
  int shard_bits = -1;        // below 0: derived from the capacity
  double high_priority_share = 0.5;
  bool strict = false;  // strict_capacity_limit
};

// Returns whether the RocksDB that this is built with has such a cache. If not, an LRU cache is
// used.
bool HasCacheOf(const CacheShape& shape);

// Returns whether the RocksDB that this is built with was observed to read partitions more often
// than a replay, up to twice, for unknown reasons.
bool ReadsPartitionsMoreOften();

// Returns the bytes of one shard, by RocksDB's division of the capacity if shard_bits is negative:
// a larger block never stays.
uint64_t ShardBytes(const CacheShape& shape);

// Return the charge of a block of `bytes` bytes, as RocksDB counts it in tickers and in the cache:
// its memory from glibc's malloc, including the trailer, and the object that holds it. The cache
// itself charges the entry.
uint64_t ChargeOfFilter(uint64_t bytes);
uint64_t ChargeOfBlock(uint64_t bytes);

// Identity of a block in the cache.
struct CachedBlock {
  uint32_t file = 0;
  uint32_t kind = 0;
  uint64_t number = 0;
};

// Time for which a block is in use, and can't be evicted: until the next call of Release, or of
// ReleaseAll.
enum class Hold { kNot, kToRelease, kToReleaseAll };

// A cache for trials. Not thread-safe.
class TrialCache {
 public:
  // `salt` determines which blocks share a shard, as the identities of files do.
  TrialCache(const CacheShape& shape, uint64_t salt);
  ~TrialCache();
  TrialCache(const TrialCache&) = delete;
  TrialCache& operator=(const TrialCache&) = delete;

  // Uses a block for a lookup. Returns true if it was in the cache; else inserts it. Sets
  // *has_room, unless null, to whether a strict limit left room for it.
  bool Touch(const CachedBlock& block, uint64_t charge, bool high_priority, Hold hold,
             bool* has_room = nullptr);

  // Release the blocks that Touch holds.
  void Release();
  void ReleaseAll();

  // Inserts the block and keeps it. Returns false if a strict limit leaves no room for it.
  bool Pin(const CachedBlock& block, uint64_t charge, bool high_priority);

  // Returns the bytes of all charges, including those of the entries.
  uint64_t usage() const;

 private:
  void Release(std::vector<rocksdb_abi::CacheHandle*>* handles);

  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache_;
  const uint64_t salt_;
  std::vector<rocksdb_abi::CacheHandle*> held_;
  std::vector<rocksdb_abi::CacheHandle*> held_longer_;
  std::vector<rocksdb_abi::CacheHandle*> pinned_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_CACHE_TRIAL_TRIAL_CACHE_H_
