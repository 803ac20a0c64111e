// The keys that a thread asked for last in batches, with their hashes: those of one MultiGet.
// RocksDB asks a file of a lower level for a part of them, in the same order. A part of what a
// thread keeps that shares hashes: shared_hash.h says when one does.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>

#include "winnow/hash.h"

namespace winnow::plugin {

// Twice what RocksDB asks for at once is kept: the files of a level may be asked for different
// parts of a batch, and the next level for all of them again.
class HashBatch {
 public:
  static constexpr size_t kKeys = 64;

  HashBatch() = default;
  ~HashBatch();
  HashBatch(const HashBatch&) = delete;
  HashBatch& operator=(const HashBatch&) = delete;

  // The hash of *keys[i] to hashes[i], i < n, n <= kKeys / 2; how many of them had to be computed.
  // Keys longer than kMaxSharedBytes are not kept, nor any for which memory is short.
  size_t Hash(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes) noexcept;

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  static bool IsSame(const char* kept, const ROCKSDB_NAMESPACE::Slice& key) noexcept;
  size_t CountInRow(uint32_t slot, const ROCKSDB_NAMESPACE::Slice* const* keys,
                    size_t n) const noexcept;
  bool IsAt(uint32_t slot, const ROCKSDB_NAMESPACE::Slice& key) const noexcept;
  // Its slot, or kNowhere.
  uint32_t Find(const ROCKSDB_NAMESPACE::Slice& key) const noexcept;
  void Keep(const ROCKSDB_NAMESPACE::Slice& key, KeyHash hash) noexcept;
  bool MakeRoom(size_t size) noexcept;

  static constexpr uint16_t kNoKey = 0;  // as a length: nothing is kept there

  // By slot.
  alignas(16) uint16_t tags_[kKeys] = {};
  uint16_t lengths_[kKeys] = {};
  KeyHash hashes_[kKeys] = {};
  char* bytes_ = nullptr;  // slot_bytes_ for each slot
  size_t slot_bytes_ = 0;
  uint32_t next_ = 0;   // the slot that is written next, and holds the oldest key
  uint32_t begin_ = 0;  // where the keys of the last call begin,
  uint32_t end_ = 0;    // and where they end
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_HASH_BATCH_H_
