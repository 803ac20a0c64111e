// The key that a thread hashed last, with its hash. Lookups (shared_hash.h) use it, and what a
// thread keeps (thread_hashes.h) consists of it.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/key_bytes.h"

namespace winnow::plugin {

struct ThreadHashes;

// The most bytes of keys that a reader hashes in line, without a look at what is kept. By one
// comparison with it the common path of a lookup knows the thread's state. An empty key fails this
// comparison in each state.
enum class HashedInLine : size_t {
  kNoKey = 0,                           // new, sharing
  kShortKeys = core::kMaxShortKeyBytes  // watching, surplus, ended
};

// A key with its hash, and what else a lookup needs: two cache lines, which one thread uses.
struct alignas(64) LastKey {
  static constexpr size_t kNone = SIZE_MAX;

  static constexpr uint32_t kNoLong = UINT32_MAX;

  size_t length;         // of the key in `bytes`, 1 to 64, or kNone
  uint32_t long_length;  // of the key that is kept elsewhere, 65 to kMaxSharedBytes, or kNoLong
  uint32_t not_watched;  // a hash is watched that has the salt's bits where these are ones
  uint64_t hash;         // of the key that is kept
  HashedInLine hashed_in_line;
  AskCount computed;     // hashes, for lookups
  AskCount shared;       // lookups that needed none
  uint64_t kept;         // keys, by lookups of single ones
  ThreadHashes* thread;  // null: new, surplus or ended
  alignas(64) char bytes[kMaxShortBytes];
};
static_assert(sizeof(LastKey) == 128);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_
