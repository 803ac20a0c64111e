// RocksDB's own block cache, of entries that are a charge and nothing else: it decides what stays.

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

// How a cache is made. RocksDB's defaults, but for the capacity.
struct CacheShape {
  uint64_t capacity = 0;  // bytes
  bool hyper_clock = false;
  uint64_t entry_charge = 0;  // of a HyperClockCache: bytes an entry, 0: it sees for itself
  int shard_bits = -1;        // below 0: by the capacity
  double high_priority_share = 0.5;
  bool strict = false;  // strict_capacity_limit
};

// Returns whether the RocksDB that this is built with has such a cache. Else it is taken for an LRU
// cache.
bool HasCacheOf(const CacheShape& shape);

// Returns whether the RocksDB that this is built with was seen to read partitions more often than a
// replay does, up to twice; why is not known.
bool ReadsPartitionsMoreOften();

// Bytes of one shard, as RocksDB parts the capacity where shard_bits leave it to the cache: a block
// that is larger never stays.
uint64_t ShardBytes(const CacheShape& shape);

// Returns the charge of a block of so many bytes, as RocksDB counts it in tickers and in the cache:
// its memory as glibc's malloc gives it, the trailer with it, and the object that holds it. The
// entry itself is charged by the cache.
uint64_t ChargeOfFilter(uint64_t bytes);
uint64_t ChargeOfBlock(uint64_t bytes);

// One block among all that a cache may hold.
struct CachedBlock {
  uint32_t file = 0;
  uint32_t kind = 0;
  uint64_t number = 0;
};

// How long a block is in use, and can't leave the cache: until the next call of Release, or of
// ReleaseAll.
enum class Hold { kNot, kToRelease, kToReleaseAll };

// Not for several threads at once.
class TrialCache {
 public:
  // `salt` chooses which blocks share a shard, as the identities of files do.
  TrialCache(const CacheShape& shape, uint64_t salt);
  ~TrialCache();
  TrialCache(const TrialCache&) = delete;
  TrialCache& operator=(const TrialCache&) = delete;

  // A lookup's use of a block: true if it was there; else it is read and put in. *has_room, unless
  // null: a strict limit left room for it.
  bool Touch(const CachedBlock& block, uint64_t charge, bool high_priority, Hold hold,
             bool* has_room = nullptr);

  // Let go of what Touch holds.
  void Release();
  void ReleaseAll();

  // Puts the block in for good. False where a strict limit leaves no room for it.
  bool Pin(const CachedBlock& block, uint64_t charge, bool high_priority);

  // Bytes of all charges, those of the entries too.
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
