// One hash per key for all files of a lookup. A Get checks the filters of several files for one
// key, and a MultiGet for several keys. So each thread keeps the keys that it hashed last, with
// their hashes, and hashes only keys that are not among them.
//
// Keys are compared by their bytes, not by their address: RocksDB uses one buffer for the keys of
// different lookups.
//
// This is not async-signal-safe: a signal handler that interrupts a lookup of its thread may see a
// partly written key.
//
// Keeping and comparing keys costs time. If a Get checks one filter or two, or a MultiGet of short
// keys four, this costs more than it saves. So each thread has a credit: shared hashes raise it and
// kept keys lower it, by their measured benefit and costs (kSaved and kLost, from filter_bench; the
// method is our own). A thread without credit stops sharing. It then remembers a few hashes, and
// counts how often they recur, that is, how many hashes sharing would have saved. If these are
// enough, it shares again. A thread is in one of five states, which `this_thread_key` tells:
//
//   state      this_thread_key           HashedInLine   ThreadHashes
//   new        key_of_new_threads        kNoKey         none yet
//   sharing    a key of its own          kNoKey         one with is_on
//   watching   a key of its own          kShortKeys     one without is_on
//   surplus    key_of_surplus_threads    kShortKeys     none, out of memory
//   ended      key_of_ended_threads      kShortKeys     none any more
//
// New: the first lookup takes a ThreadHashes, which may have to be allocated. Then the thread is
// sharing, or watching if sharing is forbidden. If out of memory, it is surplus.
//
// Sharing: every lookup compares its key with the kept ones, first with the last key, inline, then
// with the other one, as lookups of a whole key and of its prefix may alternate. A key that is not
// kept is hashed and kept. Batches have keys of their own, a HashBatch. After kSettledTogether kept
// keys, and after each batch that had to keep some, the credit is updated. When sharing does not
// pay any more, or is forbidden, the thread is watching.
//
// Watching: nothing is kept or compared. Short keys are hashed inline, others by a call. One hash
// in 64, and later one in 256, is remembered. When such hashes have come again often enough, and
// sharing is allowed, the thread is sharing.
//
// Surplus: like watching, but at each watched hash the thread tries again to get a ThreadHashes,
// like a new thread.
//
// Ended: the ThreadHashes, with its counts, is free for another thread. Destructors that run later
// may still look up keys, like in watching, but without a change of state.
//
// Threads without a ThreadHashes share counters without locks, and may lose counts; published sums
// never decrease. A ThreadHashes takes a kilobyte and is reused, so there are as many as the most
// threads that ever looked up keys at the same time.
//
// Some checks are counted individually, after random gaps (counted_asks.h). A thread counts lookups
// with computed and with shared hashes separately; each count has its own gaps. Threads without a
// ThreadHashes have no counted checks.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_HASH_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_HASH_H_

#include <rocksdb/slice.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/core/bloom_batch.h"
#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/lookups/last_key.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// Maximum number of keys in one call of SharedHashes: as many as RocksDB looks up at once.
inline constexpr size_t kMaxBatchKeys = 32;

// Number of kept keys of single lookups after which the credit is updated.
inline constexpr size_t kSettledTogether = 16;

// The thread's key. Never null. Not thread_local, as such a variable of another file is accessed by
// a function call. Initial-exec TLS costs one load. It uses the static TLS that is left for
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
extern __thread LastKey* this_thread_key WINNOW_THREAD_STORAGE;

// ---- Single keys: Lookup (below) and its parts

// Compares a key with the last key, which must have equal length.
WINNOW_KEY_INLINE bool IsLast(const LastKey& last, const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return IsKeptShort(last.bytes, key.data(), key.size());
}

// Adds to the count and returns it. Only this thread writes it, so no locked instruction is needed.
WINNOW_KEY_INLINE uint64_t AddTo(std::atomic<uint64_t>* count, uint64_t n) noexcept {
  const uint64_t sum = count->load(std::memory_order_relaxed) + n;
  count->store(sum, std::memory_order_relaxed);
  return sum;
}

// Count a lookup. Return whether its check is counted individually.
WINNOW_KEY_INLINE bool CountShared(LastKey* last) noexcept { return AddAsk(&last->shared); }
WINNOW_KEY_INLINE bool CountComputed(LastKey* last) noexcept { return AddAsk(&last->computed); }

WINNOW_KEY_INLINE bool IsShort(const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return key.size() - 1 < core::kMaxShortKeyBytes;
}

WINNOW_KEY_INLINE bool IsHashedInLine(const LastKey& last,
                                      const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return key.size() - 1 < static_cast<size_t>(last.hashed_in_line);
}

// Returns whether lookups compare kept keys first: the thread is sharing, or new.
WINNOW_KEY_INLINE bool LooksFirst(const LastKey& last) noexcept {
  return last.hashed_in_line == HashedInLine::kNoKey;
}

// Reference to a key that only rare paths of a lookup need. It is kept in a vector register, as
// hashing is one general register short and would spill one to memory.
class AsideKey {
 public:
#if defined(__x86_64__)
  WINNOW_KEY_INLINE explicit AsideKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept
      : key_(_mm_cvtsi64_si128(reinterpret_cast<int64_t>(&key))) {
    asm("" : "+x"(key_));  // hides the conversion from the optimizer
  }
  WINNOW_KEY_INLINE const ROCKSDB_NAMESPACE::Slice& Get() const noexcept {
    return *reinterpret_cast<const ROCKSDB_NAMESPACE::Slice*>(_mm_cvtsi128_si64(key_));
  }

 private:
  __m128i key_;
#else
  WINNOW_KEY_INLINE explicit AsideKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept : key_(key) {}
  WINNOW_KEY_INLINE const ROCKSDB_NAMESPACE::Slice& Get() const noexcept { return key_; }

 private:
  const ROCKSDB_NAMESPACE::Slice& key_;
#endif
};

// Returns whether a hash is watched. Depends only on the hash, so that a key that comes again is
// watched again.
WINNOW_KEY_INLINE bool IsWatched(const LastKey& last, uint64_t hash) noexcept {
  return __builtin_expect((hash & last.not_watched) == 0, 0);
}

// Keeps another key of equal length, at most 64 bytes, with its computed hash.
WINNOW_KEY_INLINE void ReplaceLast(LastKey* last, const ROCKSDB_NAMESPACE::Slice& key,
                                   uint64_t hash) noexcept {
  KeepShort(last->bytes, key.data(), key.size());
  last->hash = hash;
}

// Counts a kept key. Returns whether SettleHashes must be called.
WINNOW_KEY_INLINE bool CountKept(LastKey* last) noexcept {
  return __builtin_expect(++last->kept % kSettledTogether == 0, 0);
}

// Return the check that last->computed or last->shared counts now, and choose the next one.
CountedAsk CountAskByComputed(LastKey* last) noexcept;
CountedAsk CountAskByShared(LastKey* last) noexcept;

// Decides whether to continue sharing, after kSettledTogether kept keys.
void SettleHashes() noexcept;

// Decides whether to begin sharing, by a hash for which IsWatched is true.
void WatchHash(uint64_t hash) noexcept;

// A hash, and its key if the check is counted, else null. Returned in registers.
struct SharedKey {
  uint64_t hash;
  const ROCKSDB_NAMESPACE::Slice* counted;
};

// Returns the hash of a key, shared or computed, and counts it, for threads that are new or
// sharing. A key shorter than 65 bytes must not be the last one, which the reader has checked.
// `last` is this_thread_key.
SharedKey SharedHash(const ROCKSDB_NAMESPACE::Slice& key, LastKey* last) noexcept;

// Returns the computed hash of a key, and counts it, for threads in other states.
SharedKey ComputedHash(const ROCKSDB_NAMESPACE::Slice& key, LastKey* last) noexcept;

// Returns the check that the last call of SharedHash or ComputedHash counted, once.
CountedAsk TakeCountedAsk() noexcept;

// Returns the counter slot of this thread, which may be new.
uint32_t SlotOfThisThread() noexcept;

// Checks one filter for one key, by probe.Ask(hash), a const function with a uint64_t.
// probe.NoteCounted(key, ask, answer) gets the answer of a counted check. Must be called in a
// function that is `flatten`. Common paths are inlined, and need no call and no frame if Ask needs
// none. Rare paths are tail calls, so that common paths need no frame for them.
template <typename Probe>
class Lookup {
 public:
  using Answer = decltype(std::declval<const Probe&>().Ask(uint64_t{}));

  static WINNOW_KEY_INLINE Answer Ask(const Probe& probe, const ROCKSDB_NAMESPACE::Slice& key) {
    LastKey* const last = this_thread_key;
    if (__builtin_expect(IsHashedInLine(*last, key), 1)) {
      const AsideKey aside(key);
      const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
      if (CountComputed(last)) return AskCounted(probe, hash, aside.Get());
      return IsWatched(*last, hash) ? AskWatched(probe, hash) : probe.Ask(hash);
    }
    if (last->length != key.size()) {
      return AskOther(probe, last, key);
    }
    if (!IsLast(*last, key)) return AskNext(probe, last, key);
    return CountShared(last) ? AskCountedLast(probe, last) : probe.Ask(last->hash);
  }

 private:
  // Handles a key that may be other than the last one, but has its length.
  __attribute__((noinline, flatten)) static Answer AskNext(const Probe& probe, LastKey* last,
                                                           const ROCKSDB_NAMESPACE::Slice& key) {
    if (!IsShort(key)) {
      return AskOther(probe, last, key);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    ReplaceLast(last, key, hash);
    if (CountComputed(last)) return AskCountedNext(probe, hash, last);
    return CountKept(last) ? AskSettled(probe, hash) : probe.Ask(hash);
  }

  __attribute__((noinline)) static Answer AskSettled(const Probe& probe, uint64_t hash) {
    SettleHashes();
    return probe.Ask(hash);
  }

  __attribute__((noinline)) static Answer AskWatched(const Probe& probe, uint64_t hash) {
    WatchHash(hash);
    return probe.Ask(hash);
  }

  // Handles a key whose length is not that of the last one, or more than kMaxShortKeyBytes.
  __attribute__((noinline, flatten)) static Answer AskOther(const Probe& probe, LastKey* last,
                                                            const ROCKSDB_NAMESPACE::Slice& key) {
    if (LooksFirst(*last)) {
      return AskBy<SharedHash>(probe, last, key);
    }
    if (key.size() > core::kMaxMiddlingKeyBytes) {
      return AskBy<ComputedHash>(probe, last, key);
    }
    const AsideKey aside(key);
    const uint64_t hash = core::HashMiddlingKeyInline(key.data(), key.size());
    if (CountComputed(last)) return AskCounted(probe, hash, aside.Get());
    return IsWatched(*last, hash) ? AskWatched(probe, hash) : probe.Ask(hash);
  }

  template <SharedKey (*kHash)(const ROCKSDB_NAMESPACE::Slice&, LastKey*)>
  __attribute__((noinline)) static Answer AskBy(const Probe& probe, LastKey* last,
                                                const ROCKSDB_NAMESPACE::Slice& key) {
    const SharedKey shared = kHash(key, last);
    return __builtin_expect(shared.counted != nullptr, 0)
               ? Counted(probe, *shared.counted, TakeCountedAsk(), probe.Ask(shared.hash))
               : probe.Ask(shared.hash);
  }

  // Watching, surplus or ended: handles a counted check. The hash may also be watched.
  __attribute__((noinline)) static Answer AskCounted(const Probe& probe, uint64_t hash,
                                                     const ROCKSDB_NAMESPACE::Slice& key) {
    LastKey* const last = this_thread_key;
    const CountedAsk counted = CountAskByComputed(last);
    return Counted(probe, key, counted,
                   IsWatched(*last, hash) ? AskWatched(probe, hash) : probe.Ask(hash));
  }

  // Sharing: handles a counted check of the last key.
  __attribute__((noinline)) static Answer AskCountedLast(const Probe& probe, LastKey* last) {
    return Counted(probe, KeyOf(*last), CountAskByShared(last), probe.Ask(last->hash));
  }
  __attribute__((noinline)) static Answer AskCountedNext(const Probe& probe, uint64_t hash,
                                                         LastKey* last) {
    const CountedAsk counted = CountAskByComputed(last);
    if (CountKept(last)) SettleHashes();
    return Counted(probe, KeyOf(*last), counted, probe.Ask(hash));
  }

  static ROCKSDB_NAMESPACE::Slice KeyOf(const LastKey& last) {
    return {last.bytes, last.length <= kMaxShortBytes ? last.length : 0};
  }
  static Answer Counted(const Probe& probe, const ROCKSDB_NAMESPACE::Slice& key,
                        const CountedAsk& ask, Answer answer) {
    if (ask.weight != 0) probe.NoteCounted(key, ask, answer);
    return answer;
  }
};

// ---- Batches
//
// Sets hashes[i] to the hash of *keys[i], n <= kMaxBatchKeys, and counts the lookups. Returns
// whether checks for some of these keys are counted individually, which NextCountedOfBatch then
// returns.
bool SharedHashes(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes) noexcept;

// Hashes at least one key before `asked` is checked. The bytes of this filter are prefetched,
// unless this thread checked it so recently that it is in the processor's cache.
bool SharedHashes(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes,
                  const core::BloomBatch& asked) noexcept;

// Sets *key to the next key of the last batch, of n keys, whose check is counted. Must be called
// repeatedly until the weight is 0, before any other lookup of this thread.
CountedAsk NextCountedOfBatch(size_t n, size_t* key) noexcept;

// ---- Process-wide functions

struct LookupCounts {
  uint64_t computed = 0;
  uint64_t shared = 0;
};

// Returns the sums over all threads, including those that ended. While other threads count, each
// number is one of the values that it had during the call. Never less than in an earlier call.
// Thread-safe, also after main().
LookupCounts CurrentLookupCounts() noexcept;

// Sets whether threads may share hashes; each thread follows at a later lookup. The default is true
// unless the environment variable WINNOW_SHARED_HASH is "off" at the first lookup. Thread-safe.
void SetHashSharing(bool may_share) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_HASH_H_
