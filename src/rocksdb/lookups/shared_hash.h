// One hash for all files of a lookup. A `Get` asks the filters of several files for one key, a
// `MultiGet` for the same keys. So each thread keeps the keys that it hashed last, with their
// hashes, and hashes only what is not among them.
//
// Keys are compared by their bytes, not by their address: RocksDB uses the same memory for the keys
// of different lookups.
//
// Not for signal handlers: one that interrupts a lookup of its thread finds half a key.
//
// Keeping and comparing keys costs time. Where a Get asks one filter or two, or a MultiGet of short
// keys four, it costs more than it saves. So each thread has a credit: hashes that were shared
// raise it, keys that had to be kept lower it, by what either is worth (kSaved and kLost, as
// filter_bench measured them; the method is ours). A thread without credit stops to share. Then it
// watches a few hashes, and counts how often one comes again: that is what sharing would have
// saved, and with enough of it the thread shares again. A thread is in one of five states, and
// `this_thread_key` says in which:
//
//   state      this_thread_key           HashedInLine   its ThreadHashes
//   new        key_of_new_threads        kNoKey         none yet
//   sharing    a key of its own          kNoKey         one that is_on
//   watching   a key of its own          kShortKeys     one that is not
//   surplus    key_of_surplus_threads    kShortKeys     none, as memory is short for one
//   ended      key_of_ended_threads      kShortKeys     none any more
//
// New: the first lookup takes a ThreadHashes, which may have to be allocated. Then the thread goes
// on to sharing, or to watching if sharing is forbidden. Without memory it becomes surplus.
//
// Sharing: every lookup compares its key with the kept ones, first with the last key, in line, then
// with the other one, as a whole key and its prefix may come in turn. A key that is not kept is
// hashed and kept. Batches have keys of their own, a HashBatch. After kSettledTogether kept keys,
// and after each batch that had to keep some, what was shared is weighed against what was kept.
// When sharing does not pay any more, or is forbidden, the thread goes on to watching.
//
// Watching: nothing is kept or compared. Short keys are hashed in line, others by a call. One hash
// in 64, and later one in 256, is remembered. When such hashes have come again often enough, and
// sharing is allowed, the thread goes on to sharing.
//
// Surplus: as watching, but at each watched hash the thread asks for a ThreadHashes again, and goes
// on as if it were new.
//
// Ended: the ThreadHashes, with its counts, is free for another thread. Destructors that run later
// may still look something up; that is as in watching, but leads nowhere.
//
// Threads without a ThreadHashes count together, and may lose counts; published numbers do not fall
// for that. A ThreadHashes takes a kilobyte. As many stay as there were threads at one time that
// looked something up.
//
// Some lookups are sampled, which the key's hash decides (sampled_hashes.h). Their readers must be
// told so at each file. So a sampled key is never kept as the last one:
//
//   new, surplus, ended   nothing is sampled, as lookups under way are a part of the ThreadHashes
//   sharing               each hash that is computed is tested; a sampled key is not kept, and so
//                         hashed for each file. That does not count when it is weighed whether
//                         sharing pays
//   watching              what is sampled is among what is watched, and tested there
//   batches               all hashes are tested, but only while sampling is on
//
// Some asks are counted one by one, after random gaps (counted_asks.h). A thread's gaps are of its
// own counts of lookups, each of which has gaps of its own. Threads without a ThreadHashes have
// none counted.

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
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// The most keys of one call of SharedHashes: as many as RocksDB asks for at once.
inline constexpr size_t kMaxBatchKeys = 32;

// So many hashes of single lookups are weighed together.
inline constexpr size_t kSettledTogether = 16;

struct LookupsUnderWay;

// Never null. Not thread_local, as such a variable of another file is reached by a function call.
// Initial-exec costs one load. It needs room in the thread-local storage that is left for libraries
// that are opened late, and this library's fits. In RocksDB's own tree all of RocksDB's
// thread-local storage would need such room, and does not fit: a library for Java is not loaded
// then. So the compiler chooses there, but may not be told -mtls-dialect=gnu2: glibc's slow path
// for that loses vector registers (BZ 31372). So it is in an archive of RocksDB that was adopted;
// the crates of bindings/rust define it empty, too.
#if defined(WINNOW_IN_TREE) || defined(WINNOW_ADOPTED)
#define WINNOW_THREAD_STORAGE
#elif !defined(WINNOW_THREAD_STORAGE)
#define WINNOW_THREAD_STORAGE __attribute__((tls_model("initial-exec")))
#endif
extern __thread LastKey* this_thread_key WINNOW_THREAD_STORAGE;

// ---- For one key: Lookup, below, and what it consists of.

// The length must be that of the last key.
WINNOW_KEY_INLINE bool IsLast(const LastKey& last, const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return IsKeptShort(last.bytes, key.data(), key.size());
}

// Adds to the count and returns it. Only this thread writes it, so no locked instruction is needed.
WINNOW_KEY_INLINE uint64_t AddTo(std::atomic<uint64_t>* count, uint64_t n) noexcept {
  const uint64_t sum = count->load(std::memory_order_relaxed) + n;
  count->store(sum, std::memory_order_relaxed);
  return sum;
}

// They return whether the ask is one that is counted by itself.
WINNOW_KEY_INLINE bool CountShared(LastKey* last) noexcept { return AddAsk(&last->shared); }
WINNOW_KEY_INLINE bool CountComputed(LastKey* last) noexcept { return AddAsk(&last->computed); }

WINNOW_KEY_INLINE bool IsShort(const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return key.size() - 1 < core::kMaxShortKeyBytes;
}

WINNOW_KEY_INLINE bool IsHashedInLine(const LastKey& last,
                                      const ROCKSDB_NAMESPACE::Slice& key) noexcept {
  return key.size() - 1 < static_cast<size_t>(last.hashed_in_line);
}

// Returns whether lookups first look at what is kept: the thread is sharing, or new.
WINNOW_KEY_INLINE bool LooksFirst(const LastKey& last) noexcept {
  return last.hashed_in_line == HashedInLine::kNoKey;
}

// A key that only rare paths of a lookup need. Meanwhile it is held in a register that hashing does
// not use: hashing has one general register too few, and would save one to memory.
class AsideKey {
 public:
#if defined(__x86_64__)
  WINNOW_KEY_INLINE explicit AsideKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept
      : key_(_mm_cvtsi64_si128(reinterpret_cast<int64_t>(&key))) {
    asm("" : "+x"(key_));  // or the compiler would see through it
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

// Returns whether a hash is watched; all sampled ones are. Its own bits decide, so that a key that
// comes again is watched again.
WINNOW_KEY_INLINE bool IsWatched(const LastKey& last, uint64_t hash) noexcept {
  return __builtin_expect(((hash ^ SamplingSalt()) & last.not_watched) == 0, 0);
}

// Keeps another key of the same length, of at most 64 bytes, with its computed hash.
WINNOW_KEY_INLINE void ReplaceLast(LastKey* last, const ROCKSDB_NAMESPACE::Slice& key,
                                   uint64_t hash) noexcept {
  KeepShort(last->bytes, key.data(), key.size());
  last->hash = hash;
}

// A key was kept. Returns whether it is time for SettleHashes.
WINNOW_KEY_INLINE bool CountKept(LastKey* last) noexcept {
  return __builtin_expect(++last->kept % kSettledTogether == 0, 0);
}

// The ask that is counted now, by last->computed or last->shared. Chooses the next one.
CountedAsk CountAskByComputed(LastKey* last) noexcept;
CountedAsk CountAskByShared(LastKey* last) noexcept;

// Decides whether to go on with sharing, when kSettledTogether keys were replaced.
void SettleHashes() noexcept;

// Decides whether to begin with sharing, from a hash that IsWatched.
void WatchHash(uint64_t hash) noexcept;

// A key's hash, and the key if the ask is sampled or counted, else null: both come in registers.
struct SharedKey {
  uint64_t hash;
  const ROCKSDB_NAMESPACE::Slice* noted;
};

// For threads that are new or sharing: the hash of a key, shared or computed, and counted. A key
// shorter than 65 bytes must not be the last one, which the reader has checked. `last` is
// this_thread_key.
SharedKey SharedHash(const ROCKSDB_NAMESPACE::Slice& key, LastKey* last) noexcept;

// The same for threads in other states.
SharedKey ComputedHash(const ROCKSDB_NAMESPACE::Slice& key, LastKey* last) noexcept;

// Returns what the call of one of these has to count, once.
CountedAsk TakeCountedAsk() noexcept;

// Sharing: counts the hash of a sampled key, separately from those of kept keys.
void CountSampled() noexcept;

// The slot of this thread, which may be new.
uint32_t SlotOfThisThread() noexcept;

// The sampled lookups of this thread, as a part of its ThreadHashes; null where it has none.
LookupsUnderWay* LookupsOfThisThread() noexcept;

// Asks one filter about one key, by probe.Ask(hash), a const function that takes a uint64_t, or by
// probe.AskSampled(key, hash), which gives the same answer. probe.NoteCounted(ask, answer) is told
// what a counted ask had for an answer. Call this in a function that is `flatten`. Common paths are
// in line, and need no call and no frame if Ask needs none. Rare paths are behind tail calls, so
// that they cost the common ones no frame either.
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
      return IsWatched(*last, hash) ? AskWatched(probe, hash, aside.Get()) : probe.Ask(hash);
    }
    if (last->length != key.size()) {
      return AskOther(probe, last, key);
    }
    if (!IsLast(*last, key)) return AskNext(probe, last, key);
    return CountShared(last) ? AskCountedLast(probe, last) : probe.Ask(last->hash);
  }

 private:
  // The key has the length of the last one.
  __attribute__((noinline, flatten)) static Answer AskNext(const Probe& probe, LastKey* last,
                                                           const ROCKSDB_NAMESPACE::Slice& key) {
    if (!IsShort(key)) {
      return AskOther(probe, last, key);
    }
    const AsideKey aside(key);
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    ReplaceLast(last, key, hash);
    if (IsSampled(hash)) {
      return AskSampledNext(probe, hash, aside.Get());
    }
    if (CountComputed(last)) return AskCountedNext(probe, hash, last);
    return CountKept(last) ? AskSettled(probe, hash) : probe.Ask(hash);
  }

  __attribute__((noinline)) static Answer AskSettled(const Probe& probe, uint64_t hash) {
    SettleHashes();
    return probe.Ask(hash);
  }

  __attribute__((noinline)) static Answer AskWatched(const Probe& probe, uint64_t hash,
                                                     const ROCKSDB_NAMESPACE::Slice& key) {
    WatchHash(hash);
    return IsSampled(hash) ? probe.AskSampled(key, hash) : probe.Ask(hash);
  }

  // The last key has another length, or has more than kMaxShortKeyBytes.
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
    return IsWatched(*last, hash) ? AskWatched(probe, hash, aside.Get()) : probe.Ask(hash);
  }

  template <SharedKey (*kHash)(const ROCKSDB_NAMESPACE::Slice&, LastKey*)>
  __attribute__((noinline)) static Answer AskBy(const Probe& probe, LastKey* last,
                                                const ROCKSDB_NAMESPACE::Slice& key) {
    const SharedKey shared = kHash(key, last);
    return __builtin_expect(shared.noted != nullptr, 0)
               ? AskNoted(probe, *shared.noted, shared.hash)
               : probe.Ask(shared.hash);
  }

  // The ask is sampled, or counted, or both.
  __attribute__((noinline)) static Answer AskNoted(const Probe& probe,
                                                   const ROCKSDB_NAMESPACE::Slice& key,
                                                   uint64_t hash) {
    const CountedAsk counted = TakeCountedAsk();
    const Answer answer = IsSampled(hash) ? probe.AskSampled(key, hash) : probe.Ask(hash);
    return Counted(probe, counted, answer);
  }

  // Watching, surplus or ended. The hash may be watched as well.
  __attribute__((noinline)) static Answer AskCounted(const Probe& probe, uint64_t hash,
                                                     const ROCKSDB_NAMESPACE::Slice& key) {
    LastKey* const last = this_thread_key;
    const CountedAsk counted = CountAskByComputed(last);
    return Counted(probe, counted,
                   IsWatched(*last, hash) ? AskWatched(probe, hash, key) : probe.Ask(hash));
  }

  // Sharing: the key is the last one, or has replaced it.
  __attribute__((noinline)) static Answer AskCountedLast(const Probe& probe, LastKey* last) {
    return Counted(probe, CountAskByShared(last), probe.Ask(last->hash));
  }
  __attribute__((noinline)) static Answer AskCountedNext(const Probe& probe, uint64_t hash,
                                                         LastKey* last) {
    const CountedAsk counted = CountAskByComputed(last);
    if (CountKept(last)) SettleHashes();
    return Counted(probe, counted, probe.Ask(hash));
  }

  static Answer Counted(const Probe& probe, const CountedAsk& ask, Answer answer) {
    if (ask.weight != 0) probe.NoteCounted(ask, answer);
    return answer;
  }

  __attribute__((noinline)) static Answer AskSampledNext(const Probe& probe, uint64_t hash,
                                                         const ROCKSDB_NAMESPACE::Slice& key) {
    this_thread_key->length = LastKey::kNone;
    CountSampled();
    return AskNoted(probe, key, hash);
  }
};

// ---- For several keys, n <= kMaxBatchKeys: the hash of *keys[i] to hashes[i]; counted. Returns
// whether the asks for some of these keys are counted one by one: then NextCountedOfBatch says
// which.
bool SharedHashes(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes) noexcept;

// The same for keys, at least one, about which this filter is asked next. The bytes that this will
// read are prefetched, unless this thread asked the filter so lately that it is in the processor's
// own cache.
bool SharedHashes(const ROCKSDB_NAMESPACE::Slice* const* keys, size_t n, KeyHash* hashes,
                  const core::BloomBatch& asked) noexcept;

// To be called in turn, before anything else of this thread, until the weight is 0: the next of n
// keys of the last batch whose ask is counted, to *key.
CountedAsk NextCountedOfBatch(size_t n, size_t* key) noexcept;

// ---- For the whole process.

struct LookupCounts {
  uint64_t computed = 0;
  uint64_t shared = 0;
};

// The sums over all threads, also those that ended. While other threads count, each number is one
// that it had during the call. No number is less than that of an earlier call. Safe from any
// thread, also after main().
LookupCounts CurrentLookupCounts() noexcept;

// Sets whether threads may share hashes; each thread follows at a later lookup. True unless the
// environment variable WINNOW_SHARED_HASH is "off" at the first lookup. Safe from any thread.
void SetHashSharing(bool may_share) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SHARED_HASH_H_
