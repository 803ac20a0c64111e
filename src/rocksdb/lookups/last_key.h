// Key that a thread hashed last, with its hash. Used by lookups (shared_hash.h); part of the
// thread's state (thread_hashes.h).

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

// Maximum length of keys that a reader hashes inline, without a look at the kept key. This one
// comparison on the common path of a lookup also tests the thread's state. An empty key fails the
// comparison in each state.
enum class HashedInLine : size_t {
  kNoKey = 0,                           // new, sharing
  kShortKeys = core::kMaxShortKeyBytes  // watching, surplus, ended
};

// A key with its hash, and the other state that a lookup needs: two cache lines, used by one
// thread.
struct alignas(64) LastKey {
  static constexpr size_t kNone = SIZE_MAX;

  static constexpr uint32_t kNoLong = UINT32_MAX;

  size_t length;         // size of the key in `bytes`, 1 to 64, or kNone
  uint32_t long_length;  // size of the long key, up to kMaxSharedBytes, or kNoLong
  uint32_t not_watched;  // mask: a hash is watched if these bits equal the salt's
  uint64_t hash;         // hash of the kept key
  HashedInLine hashed_in_line;
  AskCount computed;     // computed hashes
  AskCount shared;       // lookups that reused a hash
  uint64_t kept;         // keys kept by single lookups
  ThreadHashes* thread;  // null if new, surplus or ended
  alignas(64) char bytes[kMaxShortBytes];
};
static_assert(sizeof(LastKey) == 128);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LAST_KEY_H_
