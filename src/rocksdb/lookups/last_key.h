// The key that a thread hashed last, with its hash: what is common to a lookup (shared_hash.h) and
// to all that a thread keeps (thread_hashes.h).

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/key_bytes.h"

namespace winnow::plugin {

struct ThreadHashes;

// Keys that a reader hashes by itself, without a look at what is kept, by the most bytes they have.
// With it the common path of a lookup knows the thread's state by one comparison, which a key of no
// bytes passes in none.
enum class HashedInLine : size_t {
  kNoKey = 0,                           // new, sharing
  kShortKeys = core::kMaxShortKeyBytes  // watching, surplus, ended
};

// A key with its hash, and what a lookup needs besides: two cache lines, of one thread.
struct alignas(64) LastKey {
  static constexpr size_t kNone = SIZE_MAX;

  size_t length;       // of the key in `bytes`, 1 to 64, or kNone
  size_t long_length;  // of the key that is kept elsewhere, 65 to kMaxSharedBytes, or kNone
  uint64_t hash;       // of the key that is kept
  HashedInLine hashed_in_line;
  uint64_t not_watched;  // a hash is watched that has the salt's bits where these are ones
  std::atomic<uint64_t> computed;  // hashes, for lookups
  std::atomic<uint64_t> shared;    // lookups that needed none
  ThreadHashes* thread;            // null: new, surplus or ended
  alignas(64) char bytes[kMaxShortBytes];
};
static_assert(sizeof(LastKey) == 128);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_
