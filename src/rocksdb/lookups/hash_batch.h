// Keys that a thread looked up last in batches (MultiGet), with their hashes. RocksDB looks up a
// part of them in files of lower levels, in the same order. Threads that share hashes have one: see
// shared_hash.h.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>

#include "winnow/hash.h"

namespace winnow::plugin {

// Ring buffer of keys and hashes. It keeps twice as many keys as RocksDB looks up at once: the
// files of a level may be searched for different parts of a batch, and the next level for all of it
// again.
class HashBatch {
 public:
  static constexpr size_t kKeys = 64;

  HashBatch() = default;
  ~HashBatch();
  HashBatch(const HashBatch&) = delete;
  HashBatch& operator=(const HashBatch&) = delete;

  // Sets hashes[i] to the hash of *keys[i], i < n, n <= kKeys / 2. Returns the number of hashes
  // that were computed. Keys longer than kMaxSharedBytes are not kept, nor are keys if out of
  // memory.
  size_t Hash(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes) noexcept;

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  static bool IsSame(const char* kept, const ROCKSDB_NAMESPACE::Slice& key) noexcept;
  size_t CountInRow(uint32_t slot, const ROCKSDB_NAMESPACE::Slice* const* keys,
                    size_t n) const noexcept;
  bool IsAt(uint32_t slot, const ROCKSDB_NAMESPACE::Slice& key) const noexcept;
  // Returns the key's slot, or kNowhere.
  uint32_t Find(const ROCKSDB_NAMESPACE::Slice& key) const noexcept;
  void Keep(const ROCKSDB_NAMESPACE::Slice& key, KeyHash hash) noexcept;
  bool MakeRoom(size_t size) noexcept;

  static constexpr uint16_t kNoKey = 0;  // length of an empty slot

  // Arrays by slot.
  alignas(16) uint16_t tags_[kKeys] = {};
  uint16_t lengths_[kKeys] = {};
  KeyHash hashes_[kKeys] = {};
  char* bytes_ = nullptr;  // slot_bytes_ bytes per slot
  size_t slot_bytes_ = 0;
  uint32_t next_ = 0;   // slot that is written next, and holds the oldest key
  uint32_t begin_ = 0;  // first slot of the last call's keys
  uint32_t end_ = 0;    // slot after the last call's keys
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_
