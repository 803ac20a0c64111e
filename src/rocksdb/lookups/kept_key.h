// One hash per key for all files of a lookup. Each thread keeps the key that it hashed last, with
// its hash, and a lookup compares its key with that one before it hashes.
//
// Keys are compared by their bytes, not by their address: RocksDB uses one buffer for the keys of
// different lookups.
//
// Keeping and comparing costs about what it saves if a lookup checks two filters, and is lost if it
// checks one. So each thread keeps a balance of both, settled at each counted check, and stops
// keeping when it falls below zero. It then tries again for some lookups, now and then.
//
// A MultiGet hashes each key once for each file, several at a time. Keys that are long enough for
// the hash to take longer than a comparison are kept as well, up to one batch, while they come
// again (HashTogether).
//
// This is not async-signal-safe: a signal handler that interrupts a lookup of its thread may see a
// partly written key.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_KEPT_KEY_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_KEPT_KEY_H_

#include <rocksdb/slice.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/core/bloom_batch.h"
#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/lookups/recent_filters.h"
#include "winnow/hash.h"

namespace winnow::plugin {

struct KeptBatch;

// Maximum number of keys in one call of HashTogether: as many as RocksDB looks up at once.
inline constexpr size_t kMaxBatchKeys = 32;

// State of a thread that looks up keys. What each lookup needs comes first, in one cache line with
// the beginning of the key.
struct alignas(64) KeptKey {
  static constexpr size_t kNone = SIZE_MAX;
  static constexpr uint32_t kNoLong = UINT32_MAX;

  uint64_t hash = 0;               // of the kept key
  size_t length = kNone;           // of a kept key of 1 to kMaxShortBytes
  uint32_t long_length = kNoLong;  // of a longer one, up to kMaxKeptBytes
  uint32_t in_line = 0;            // keys up to this size are hashed at once: none while keeping
  int32_t left = 0;                // lookups before the next due one
  uint32_t computed = 0;           // hashes computed since the last settlement, while keeping
  char bytes[kMaxKeptBytes] = {};

  enum class State : uint8_t {
    kNew,    // of all threads before their first lookup; never written
    kEnded,  // of threads whose own state was freed; never written
    kCounting,
    kDue,  // the next lookup is counted, or ends a trial
  };
  State state = State::kNew;
  bool is_keeping = true;
  uint32_t due_long_length = kNoLong;  // kept lengths before the lookup was due
  size_t due_length = kNone;
  uint32_t slot = 0;            // CountedAsk::slot
  int32_t stretch = 0;          // `left` after the last settlement
  int32_t rest = -1;            // in a trial: lookups between its end and the counted one
  uint32_t of_batches = 0;      // lookups of batches since the last settlement
  uint32_t batch_computed = 0;  // hashes computed for them
  int32_t balance = 64;         // of hashes saved and keys kept
  uint32_t mean_gap = kFirstMeanGap;
  uint32_t set_gap = kNoSetGap;
  uint32_t of_pace = 0;  // counted checks since paced_at
  std::chrono::steady_clock::time_point paced_at{};
  uint64_t random = 1;
  RecentFilters recent{};      // filters of batches
  KeptBatch* batch = nullptr;  // null until needed
  bool is_batch_kept = false;  // long keys of batches come again
  int32_t batch_score = 0;     // of batches that came again; while kept, of hashes saved
  // Last hashes of batches' first keys that were watched, by their low bits.
  uint64_t batch_watched[8] = {};
};
static_assert(offsetof(KeptKey, bytes) == 32);

// The thread's state. Never null. Not thread_local, as such a variable of another file is accessed
// by a function call. Initial-exec TLS costs one load. It uses the static TLS that is left for
// libraries that are opened by dlopen(), and this library's variable fits. In RocksDB's own tree,
// all of RocksDB's TLS would need such space, and does not fit: a library for Java then fails to
// load. So the compiler chooses the model there, but must not be told -mtls-dialect=gnu2: glibc's
// slow path for it clobbers vector registers (BZ 31372). The compiler also chooses for an adopted
// archive of RocksDB; the crates of bindings/rust define WINNOW_THREAD_STORAGE as empty, too.
#if defined(WINNOW_IN_TREE) || defined(WINNOW_ADOPTED)
#define WINNOW_THREAD_STORAGE
#elif !defined(WINNOW_THREAD_STORAGE)
#define WINNOW_THREAD_STORAGE __attribute__((tls_model("initial-exec")))
#endif
extern __thread KeptKey* this_thread_key WINNOW_THREAD_STORAGE;

// Gives the thread a state of its own. Returns false if out of memory, or if the thread is ending.
bool AttachKeptKey() noexcept;

// Ends a stretch of lookups: the next one is due. It compares nothing, and so finds the state.
void EndStretch(KeptKey* kept) noexcept;

// Settles the balance at a lookup that is due. Returns the check that it counts, if any.
CountedAsk Settle(KeptKey* kept) noexcept;

WINNOW_KEY_INLINE uint64_t HashLongKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return key.size() <= core::kMaxMiddlingKeyBytes
             ? core::HashMiddlingKeyInline(key.data(), key.size())
             : core::HashKeyInline(key.data(), key.size());
}

// Returns whether the key is the kept one.
WINNOW_KEY_INLINE bool IsKept(const KeptKey& kept, const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  const size_t size = key.size();
  if (size == kept.length) return IsKeptShort(kept.bytes, key.data(), size);
  return size <= kMaxKeptBytes && size == kept.long_length &&
         IsKeptLong(kept.bytes, key.data(), size);
}

// Keeps a key with its computed hash, unless the thread keeps none or the key is too long.
WINNOW_KEY_INLINE void Keep(KeptKey* kept, const ROCKSDB_NAMESPACE::Slice& key,
                            uint64_t hash) noexcept {
  if (!kept->is_keeping) return;
  ++kept->computed;
  const size_t size = key.size();
  if (size - 1 >= kMaxKeptBytes) return;
  const bool is_short = size <= kMaxShortBytes;
  KeepAny(kept->bytes, key.data(), size);
  kept->length = is_short ? size : KeptKey::kNone;
  kept->long_length = is_short ? KeptKey::kNoLong : static_cast<uint32_t>(size);
  kept->hash = hash;
}

// Checks one filter for one key, by probe.Ask(hash), a const function with a uint64_t.
// probe.NoteCounted(key, ask, answer) gets the answer of a counted check. Must be called in a
// function that is `flatten`. Common paths are inlined, and need no call and no frame if Ask needs
// none. Rare paths are tail calls, so that common paths need no frame for them.
template <typename Probe>
class Lookup {
 public:
  using Answer = decltype(std::declval<const Probe&>().Ask(uint64_t{}));

  static WINNOW_KEY_INLINE Answer Ask(const Probe& probe, const ROCKSDB_NAMESPACE::Slice& key) {
    KeptKey* const kept = this_thread_key;
    const size_t size = key.size();
    if (size - 1 < kept->in_line) {
      return Finish(probe, core::HashShortKeyInline(key.data(), size), kept);
    }
    if (kept->length == size && IsKeptShort(kept->bytes, key.data(), size)) {
      return Finish(probe, kept->hash, kept);
    }
    return size - 1 < core::kMaxShortKeyBytes ? AskShort(probe, key, kept)
                                              : AskOther(probe, key, kept);
  }

 private:
  static WINNOW_KEY_INLINE Answer Finish(const Probe& probe, uint64_t hash, KeptKey* kept) {
    return __builtin_expect(--kept->left == 0, 0) ? AskLast(probe, hash, kept) : probe.Ask(hash);
  }

  __attribute__((noinline)) static Answer AskLast(const Probe& probe, uint64_t hash,
                                                  KeptKey* kept) {
    EndStretch(kept);
    return probe.Ask(hash);
  }

  // Handles a short key that is not the kept one, while keeping.
  __attribute__((noinline, flatten)) static Answer AskShort(const Probe& probe,
                                                            const ROCKSDB_NAMESPACE::Slice& key,
                                                            KeptKey* kept) {
    if (__builtin_expect(kept->state != KeptKey::State::kCounting, 0)) {
      return AskDue(probe, key, kept);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    KeepShort(kept->bytes, key.data(), key.size());
    kept->length = key.size();
    kept->long_length = KeptKey::kNoLong;
    kept->hash = hash;
    ++kept->computed;
    return Finish(probe, hash, kept);
  }

  __attribute__((noinline, flatten)) static Answer AskOther(const Probe& probe,
                                                            const ROCKSDB_NAMESPACE::Slice& key,
                                                            KeptKey* kept) {
    // kNoLong is a size that a key can have.
    if (key.size() <= kMaxKeptBytes && key.size() == kept->long_length &&
        IsKeptLong(kept->bytes, key.data(), key.size())) {
      return Finish(probe, kept->hash, kept);
    }
    if (__builtin_expect(kept->state != KeptKey::State::kCounting, 0)) {
      return AskDue(probe, key, kept);
    }
    const uint64_t hash = HashLongKey(key);
    Keep(kept, key, hash);
    return Finish(probe, hash, kept);
  }

  // Handles the first lookup of a thread, those of an ending one, and one that is due.
  __attribute__((noinline)) static Answer AskDue(const Probe& probe,
                                                 const ROCKSDB_NAMESPACE::Slice& key,
                                                 KeptKey* kept) {
    if (kept->state != KeptKey::State::kDue) {
      return AttachKeptKey() ? Ask(probe, key) : probe.Ask(HashKey({key.data(), key.size()}).value);
    }
    kept->length = kept->due_length;
    kept->long_length = kept->due_long_length;
    const bool is_kept = IsKept(*kept, key);
    const uint64_t hash = is_kept ? kept->hash : HashKey({key.data(), key.size()}).value;
    if (!is_kept) Keep(kept, key, hash);
    const CountedAsk counted = Settle(kept);
    const Answer answer = probe.Ask(hash);
    if (counted.weight != 0) probe.NoteCounted(key, counted, answer);
    return answer;
  }
};

// ---- Batches

// Sets hashes[i] to the hash of *keys[i], n <= kMaxBatchKeys. Returns the number of hashes that it
// computed.
size_t HashTogether(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n,
                    KeyHash* hashes) noexcept;

// Hashes at least one key before `asked` is checked. The bytes of this filter are prefetched,
// unless this thread checked it so recently that it is in the processor's cache.
size_t HashTogether(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes,
                    const core::BloomBatch& asked) noexcept;

// Counts the lookups of a batch of n keys. Returns whether NextCounted must be called.
bool CountTogether(size_t n, size_t computed) noexcept;
// Returns the next check of the batch that is counted, of the key before *next, or a weight of 0 if
// there is none. *next begins with 0. Must be called until then, before other lookups.
CountedAsk NextCounted(size_t n, size_t* next) noexcept;

// ---- Counts

// Returns the thread's CountedAsk::slot.
inline uint32_t SlotOfThisThread() noexcept { return this_thread_key->slot; }

struct LookupCounts {
  uint64_t computed = 0;
  uint64_t shared = 0;
};

// Returns the sums over all threads: this one, those that ended, and others up to their last
// counted checks. Never less than in an earlier call. Thread-safe, also after main().
LookupCounts CurrentLookupCounts() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEPT_KEY_H_
