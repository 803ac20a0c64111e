#include "src/rocksdb/lookups/shared_hash.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "src/base/stderr_line.h"
#include "src/rocksdb/lookups/hash_batch.h"
#include "src/rocksdb/lookups/thread_hashes.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Slice;

// Benefit of a shared hash, and costs of keeping a key, in units of credit. Chosen so that sharing
// is on if it is faster in rows (multiget_)segments_of_100000/…/winnow and …/winnow_unshared of
// Winnow 1.2's filter_bench. Single lookups break even at two files per lookup, that is, with one
// shared hash per kept key. A batch's short keys are hashed several at a time, nearly as fast as
// they are compared: batches break even at four files.
constexpr int kSaved = 2;
constexpr int kLost = 3;
constexpr int kLostByShortBatch = 7;
// Net savings, by watched hashes that came again, at which a thread begins to share.
constexpr int kEnough = 3;
// Masks of watched hashes: one in 64; one in 256 after kManyWatched of them did not come again. Few
// are watched, because the processor mispredicts the branch for a watched hash.
constexpr uint32_t kNotWatchedAtFirst = 63;
constexpr uint32_t kNotWatchedLater = 255;
constexpr uint32_t kManyWatched = 32;
// Batches watch eight times as many hashes.
constexpr int kBatchWatchShift = 3;
// Initial credit of a thread that begins to share, as a new thread does. Enough for the keys of two
// MultiGets, which are all kept before the first hash is shared.
constexpr int kCredit = 2 * kLostByShortBatch * static_cast<int>(kMaxBatchKeys);
// Upper limit of the credit, so that a thread adapts soon if its lookups change.
constexpr int kMaxCredit = 1024;

namespace {

// Lookups continue in threads that outlive main(), so this must be trivially destructible. Blocks
// after the first one are never freed, for later threads.
ThreadBlock first_block;
static_assert(std::is_trivially_destructible_v<ThreadBlock>);

constexpr LastKey NoKey(HashedInLine hashed_in_line) {
  return {LastKey::kNone,
          LastKey::kNoLong,
          kNotWatchedAtFirst,
          0,
          hashed_in_line,
          {},
          {},
          0,
          nullptr,
          {}};
}

// Keys of threads without ThreadHashes, by state.
LastKey key_of_new_threads = NoKey(HashedInLine::kNoKey);
LastKey key_of_surplus_threads = NoKey(HashedInLine::kShortKeys);
LastKey key_of_ended_threads = NoKey(HashedInLine::kShortKeys);

enum class Sharing { kAsked, kAllowed, kForbidden };
std::atomic<Sharing> sharing{Sharing::kAsked};

}  // namespace

__thread LastKey* this_thread_key WINNOW_THREAD_STORAGE = &key_of_new_threads;

namespace {

// Reads the environment variable. Called by the first lookup, or by several if threads start at the
// same time.
Sharing AskEnvironment() noexcept {
  const char* const value = std::getenv("WINNOW_SHARED_HASH");
  const bool is_off = value != nullptr && std::strcmp(value, "off") == 0;
  const Sharing answer = is_off ? Sharing::kForbidden : Sharing::kAllowed;
  Sharing now = Sharing::kAsked;
  // Another thread, or SetHashSharing, may have been first.
  if (!sharing.compare_exchange_strong(now, answer, std::memory_order_relaxed)) {
    return now;
  }
  if (value != nullptr && *value != '\0' && !is_off && std::strcmp(value, "on") != 0) {
    base::StderrLine line;
    line.Add("WINNOW_SHARED_HASH is ").AddQuoted(value);
    line.Add(", but must be on or off; taken as on").Write();
  }
  return answer;
}

bool MayShare() noexcept {
  const Sharing now = sharing.load(std::memory_order_relaxed);
  return (now == Sharing::kAsked ? AskEnvironment() : now) == Sharing::kAllowed;
}

// Changes the thread's state to sharing or watching.
void Switch(ThreadHashes* thread, bool on) noexcept {
  thread->is_on = on;
  thread->credit = on ? kCredit : 0;
  thread->new_watched = 0;
  for (LastKey& key : thread->keys) {
    key.length = LastKey::kNone;
    key.long_length = LastKey::kNoLong;
    // While sharing, the other key must be compared, too, which takes a call.
    key.hashed_in_line = on ? HashedInLine::kNoKey : HashedInLine::kShortKeys;
    key.not_watched = kNotWatchedAtFirst;
  }
}

// Releases an ending thread's state for the next thread, which continues its counts.
void Detach(void* state) noexcept {
  // Destructors that run after this may still look up keys.
  this_thread_key = &key_of_ended_threads;
  auto* const thread = static_cast<ThreadHashes*>(state);
  delete[] thread->long_bytes;
  thread->long_bytes = nullptr;
  delete thread->batch;
  thread->batch = nullptr;
  thread->block->GiveBack(thread);
}

// A pthread key, because registering the destructor of a thread_local object allocates, and
// terminates the program if this fails.
struct EndOfThread {
  pthread_key_t key{};
  const bool works;

  EndOfThread() noexcept : works(pthread_key_create(&key, Detach) == 0) {}
};

ThreadHashes* TakeThread() noexcept {
  for (ThreadBlock* block = &first_block; block != nullptr; block = block->Next()) {
    if (ThreadHashes* const thread = block->Take()) return thread;
  }
  return nullptr;
}

// Starts counting for the first thread that has this state. Later threads continue its gaps, or
// short threads would count too little.
void BeginCounting(ThreadHashes* thread) noexcept {
  const auto now =
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  thread->random = (now ^ reinterpret_cast<uintptr_t>(thread)) * 0x9e3779b97f4a7c15u | 1;
  // Similar seeds have similar first values.
  for (int i = 0; i < 4; ++i) NextGap(1, &thread->random);
  thread->set_gap = CurrentSetGap();
  thread->mean_gap = thread->set_gap == kNoSetGap ? kMeanGap : thread->set_gap;
  for (int i = 0; i < 2; ++i) {
    LastKey* const key = &thread->keys[i];
    StartGap(&key->computed, &thread->computed_ends[i], thread->NewGap());
    StartGap(&key->shared, &thread->shared_ends[i], thread->NewGap());
  }
  thread->batch_left = thread->NewGap();
}

// Attaches a ThreadHashes to a new or surplus thread, which then is sharing or watching. Without
// one, the thread becomes surplus.
void Attach() noexcept {
  // Temporary state: the allocator may look up keys.
  this_thread_key = &key_of_ended_threads;
  static const EndOfThread end_of_thread;
  ThreadHashes* const thread = end_of_thread.works ? TakeThread() : nullptr;
  if (thread == nullptr || pthread_setspecific(end_of_thread.key, thread) != 0) {
    if (thread != nullptr) thread->block->GiveBack(thread);
    this_thread_key = &key_of_surplus_threads;  // tries again at a watched hash
    return;
  }
  for (LastKey& key : thread->keys) {
    key.thread = thread;
  }
  const auto number = static_cast<uint32_t>(thread - thread->block->threads);
  thread->slot = thread->block == &first_block ? std::min(number, kOwnSlots) : kOwnSlots;
  thread->due = {};
  if (thread->random == 0 || thread->set_gap != CurrentSetGap()) BeginCounting(thread);
  Switch(thread, MayShare());
  thread->shared_before = thread->Shared();
  this_thread_key = &thread->keys[0];
}

// Sharing: updates the credit by the hashes shared since the last call and the keys that had to be
// kept.
void Settle(ThreadHashes* thread, size_t kept, int lost) noexcept {
  const uint64_t shared = thread->Shared();
  const auto saved =
      static_cast<int>(std::min<uint64_t>(shared - thread->shared_before, kMaxCredit));
  thread->shared_before = shared;
  thread->credit =
      std::min(thread->credit + kSaved * saved, kMaxCredit) - lost * static_cast<int>(kept);
  if (thread->credit < 0 || !MayShare()) {
    Switch(thread, false);
  }
}

// Watching: updates the credit by a watched hash, and starts sharing if there is enough.
void Watch(ThreadHashes* thread, uint64_t hash, int lost) noexcept {
  if (hash != thread->watched) {
    thread->watched = hash;
    thread->credit = std::max(thread->credit - lost, 0);
    thread->new_watched = std::min(thread->new_watched + 1, kManyWatched);
    const uint32_t not_watched =
        thread->new_watched < kManyWatched ? kNotWatchedAtFirst : kNotWatchedLater;
    for (LastKey& key : thread->keys) key.not_watched = not_watched;
    return;
  }
  thread->credit += kSaved;
  if (thread->credit >= lost + kEnough && MayShare()) {
    thread->shared_before = thread->Shared();
    Switch(thread, true);
  }
}

// Compares a key with the kept long key of the same length.
bool IsLongKept(const LastKey& key, const Slice& asked) noexcept {
  return IsKeptLong(key.thread->LongBytes(&key), asked.data(), asked.size());
}

// Returns whether a key of this size may be the long key. Kept keys are never as long as kNoLong.
bool HasLongLength(const LastKey& key, const Slice& asked) noexcept {
  return key.long_length == asked.size() && asked.size() <= kMaxSharedBytes;
}

bool IsKept(const LastKey& key, const Slice& asked) noexcept {
  return key.length == asked.size() ? IsLast(key, asked)
                                    : HasLongLength(key, asked) && IsLongKept(key, asked);
}

// Allocates memory for long keys if necessary. Returns false if out of memory.
bool HasLongBytes(ThreadHashes* thread) noexcept {
  if (thread->long_bytes == nullptr) {
    thread->long_bytes = new (std::nothrow) char[2 * kMaxSharedBytes];
  }
  return thread->long_bytes != nullptr;
}

// Keeps a key, or leaves the kept one if the key can't be kept.
void Keep(LastKey* key, const Slice& asked, uint64_t hash) noexcept {
  const size_t size = asked.size();
  if (size == 0 || size > kMaxSharedBytes ||
      (size > kMaxShortBytes && !HasLongBytes(key->thread))) {
    return;
  }
  const bool is_short = size <= kMaxShortBytes;
  if (is_short) {
    KeepShort(key->bytes, asked.data(), size);
  } else {
    std::memcpy(key->thread->LongBytes(key), asked.data(), size);
  }
  key->hash = hash;
  key->length = is_short ? size : LastKey::kNone;
  key->long_length = is_short ? LastKey::kNoLong : static_cast<uint32_t>(size);
}

// Returns this thread's ThreadHashes; null if surplus or ended.
ThreadHashes* ThisThread() noexcept {
  if (this_thread_key == &key_of_new_threads) {
    Attach();
  }
  return this_thread_key->thread;
}

// Records a counted check for TakeCountedAsk.
__attribute__((noinline)) void SetDue(const CountedAsk& ask) noexcept {
  if (ThreadHashes* const thread = this_thread_key->thread) thread->due = ask;
}

__attribute__((noinline)) SharedKey Watched(uint64_t hash) noexcept {
  WatchHash(hash);
  return {hash, nullptr};
}

// Handles a check that last->computed counts, of a key that may also be watched.
__attribute__((noinline)) SharedKey CountedAndMaybeWatched(uint64_t hash, const Slice& key,
                                                           LastKey* last) noexcept {
  SetDue(CountAskByComputed(last));
  if (IsWatched(*last, hash)) WatchHash(hash);
  return {hash, &key};
}

// Sharing: returns the hash of a key that is kept in `last`.
SharedKey KeptKey(const Slice& key, LastKey* last) noexcept {
  const bool is_counted = CountShared(last);
  if (is_counted) SetDue(CountAskByShared(last));
  return {last->hash, is_counted ? &key : nullptr};
}

// Must not be inlined: it uses many registers, which its caller would save for each key.
__attribute__((noinline, flatten)) uint64_t HashShorter(const Slice& key) noexcept {
  return core::HashMiddlingKeyInline(key.data(), key.size());
}

// Hashes a key that is most likely long.
WINNOW_KEY_INLINE uint64_t HashLong(const Slice& key) noexcept {
  return key.size() > core::kMaxMiddlingKeyBytes ? core::HashKeyInline(key.data(), key.size())
                                                 : HashShorter(key);
}

// Handles the first lookup of a new thread.
__attribute__((noinline)) SharedKey AttachAndHash(const Slice& key) noexcept {
  Attach();
  LastKey* const last = this_thread_key;
  return LooksFirst(*last) ? SharedHash(key, last) : ComputedHash(key, last);
}

// Sharing: hashes and keeps a key that is not the last one.
__attribute__((noinline, flatten)) SharedKey HashAndKeep(const Slice& key, LastKey* last) noexcept {
  ThreadHashes* const thread = last->thread;
  if (thread == nullptr) return AttachAndHash(key);
  LastKey* const other = last == &thread->keys[0] ? &thread->keys[1] : &thread->keys[0];
  if (IsKept(*other, key)) {
    this_thread_key = other;
    return KeptKey(key, other);
  }
  // If lookups of whole keys and prefixes alternate, each kind has its own kept key.
  if (last->length != key.size() && !HasLongLength(*last, key)) {
    last = other;
    this_thread_key = other;
  }
  const uint64_t hash = core::HashKeyInline(key.data(), key.size());
  Keep(last, key, hash);
  const bool is_counted = CountComputed(last);
  if (is_counted) SetDue(CountAskByComputed(last));
  if (CountKept(last)) SettleHashes();
  return {hash, is_counted ? &key : nullptr};
}

// Watching or surplus: handles a hash for which IsWatched is true.
void WatchHash(uint64_t hash, int lost) noexcept {
  if (ThreadHashes* const thread = ThisThread()) {
    if (!thread->is_on) {
      Watch(thread, hash, lost);
    }
  } else if (this_thread_key == &key_of_surplus_threads) {
    Attach();
  }
}

// Decides by the first key only, as most keys of a database have similar lengths.
int LostByBatch(const Slice& key) noexcept {
  return key.size() <= core::kMaxShortKeyBytes ? kLostByShortBatch : kLost;
}

HashBatch* BatchOf(ThreadHashes* thread) noexcept {
  if (thread->batch == nullptr) {
    thread->batch = new (std::nothrow) HashBatch;
  }
  return thread->batch;
}

}  // namespace

__attribute__((noinline)) void SettleHashes() noexcept {
  Settle(this_thread_key->thread, kSettledTogether, kLost);
}

__attribute__((noinline)) void WatchHash(uint64_t hash) noexcept { WatchHash(hash, kLost); }

__attribute__((noinline)) CountedAsk CountAskByComputed(LastKey* last) noexcept {
  ThreadHashes* const thread = last->thread;
  if (thread == nullptr) return {};
  const CountedAsk ask = thread->TakeAsk();
  StartGap(&last->computed, &thread->computed_ends[last - thread->keys], thread->NewGap());
  return ask;
}

__attribute__((noinline)) CountedAsk CountAskByShared(LastKey* last) noexcept {
  ThreadHashes* const thread = last->thread;
  if (thread == nullptr) return {};
  const CountedAsk ask = thread->TakeAsk();
  StartGap(&last->shared, &thread->shared_ends[last - thread->keys], thread->NewGap());
  return ask;
}

CountedAsk TakeCountedAsk() noexcept {
  ThreadHashes* const thread = this_thread_key->thread;
  return thread != nullptr ? std::exchange(thread->due, {}) : CountedAsk();
}

uint32_t SlotOfThisThread() noexcept {
  const ThreadHashes* const thread = ThisThread();
  return thread != nullptr ? thread->slot : kOwnSlots;
}

__attribute__((flatten)) SharedKey SharedHash(const Slice& key, LastKey* last) noexcept {
  if (HasLongLength(*last, key) && IsLongKept(*last, key)) return KeptKey(key, last);
  return HashAndKeep(key, last);
}

__attribute__((flatten)) SharedKey ComputedHash(const Slice& key, LastKey* last) noexcept {
  const bool is_counted = CountComputed(last);
  const uint64_t hash = HashLong(key);
  if (is_counted) return CountedAndMaybeWatched(hash, key, last);
  return IsWatched(*last, hash) ? Watched(hash) : SharedKey{hash, nullptr};
}

namespace {

// Returns whether the filter is likely not in the processor's cache, so that prefetching pays.
bool IsFar(ThreadHashes* thread, const core::BloomBatch& asked) noexcept {
  return thread == nullptr ||
         !thread->recent.Note(asked.bytes(), asked.size(), core::kOwnCacheBytes);
}

WINNOW_KEY_INLINE KeyHash HashOf(const Slice& key) noexcept {
  return {core::HashKeyInline(key.data(), key.size())};
}

// Counts the keys of a batch. Returns whether checks of this batch are counted individually.
bool CountBatch(ThreadHashes* thread, size_t n) noexcept {
  return thread != nullptr && (thread->batch_left -= static_cast<int64_t>(n)) <= 0;
}

// Hashes a batch. `asked` is the filter that is checked next, for prefetching, or null.
WINNOW_KEY_INLINE bool HashBatchOf(const Slice* const* keys, size_t n, KeyHash* hashes,
                                   const core::BloomBatch* asked) noexcept {
  if (LooksFirst(*this_thread_key)) {
    ThreadHashes* const thread = ThisThread();
    HashBatch* const batch = thread != nullptr && thread->is_on ? BatchOf(thread) : nullptr;
    if (batch != nullptr) {
      const size_t computed = batch->Hash(keys, n, hashes);
      if (asked != nullptr && IsFar(thread, *asked)) {
        const core::BloomBatch::Ahead ahead(*asked);
        for (size_t i = 0; i < n; ++i) ahead.Ask(hashes[i].value);
      }
      AddTo(&thread->batch_computed, computed);
      AddTo(&thread->batch_shared, n - computed);
      if (computed != 0) {
        Settle(thread, computed, LostByBatch(*keys[0]));
      }
      return CountBatch(thread, n);
    }
  }
  if (n == 0) {
    return false;
  }
  LastKey* const last = this_thread_key;
  if (asked != nullptr && IsFar(last->thread, *asked)) {
    const core::BloomBatch::Ahead ahead(*asked);
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = HashOf(*keys[i]);
      ahead.Ask(hashes[i].value);
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = HashOf(*keys[i]);
    }
  }
  ThreadHashes* const thread = last->thread;
  if (thread != nullptr) {
    AddTo(&thread->batch_computed, n);
  } else {
    AddTo(&last->computed.left, 2 * n);
  }
  // Watches only the first key of a batch, which is often the first key for the next file, too.
  // Watching each key would cost a tenth of its hashing.
  if ((hashes[0].value & last->not_watched >> kBatchWatchShift) == 0) {
    WatchHash(hashes[0].value, LostByBatch(*keys[0]));
  }
  return CountBatch(thread, n);
}

}  // namespace

__attribute__((flatten)) bool SharedHashes(const Slice* const* keys, size_t n,
                                           KeyHash* hashes) noexcept {
  return HashBatchOf(keys, n, hashes, nullptr);
}

__attribute__((flatten)) bool SharedHashes(const Slice* const* keys, size_t n, KeyHash* hashes,
                                           const core::BloomBatch& asked) noexcept {
  return HashBatchOf(keys, n, hashes, &asked);
}

// The gap ended at the key before which batch_left would have been 1.
CountedAsk NextCountedOfBatch(size_t n, size_t* key) noexcept {
  ThreadHashes* const thread = this_thread_key->thread;
  if (thread == nullptr || thread->batch_left > 0) return {};
  const auto behind = static_cast<size_t>(-thread->batch_left);
  *key = n - 1 - std::min(behind, n - 1);
  const CountedAsk ask = thread->TakeAsk();
  thread->batch_left += thread->NewGap();
  return ask;
}

namespace {

// Maxima of the returned sums: threads that share counters may lower them.
std::atomic<uint64_t> most_computed{0};
std::atomic<uint64_t> most_shared{0};

// Atomic maximum: sets *most to the larger value, and returns it.
uint64_t RaiseTo(std::atomic<uint64_t>* most, uint64_t sum) noexcept {
  uint64_t before = most->load(std::memory_order_relaxed);
  while (before < sum && !most->compare_exchange_weak(before, sum, std::memory_order_relaxed)) {
  }
  return std::max(before, sum);
}

}  // namespace

LookupCounts CurrentLookupCounts() noexcept {
  LookupCounts sum;
  for (const LastKey* key : {&key_of_new_threads, &key_of_surplus_threads, &key_of_ended_threads}) {
    sum.computed += SumOf(key->computed, {});
    sum.shared += SumOf(key->shared, {});
  }
  for (const ThreadBlock* block = &first_block; block != nullptr;
       block = block->next.load(std::memory_order_acquire)) {
    for (const ThreadHashes& one : block->threads) {
      sum.computed += one.Computed();
      sum.shared += one.Shared();
    }
  }
  return {RaiseTo(&most_computed, sum.computed), RaiseTo(&most_shared, sum.shared)};
}

void SetHashSharing(bool may_share) noexcept {
  sharing.store(may_share ? Sharing::kAllowed : Sharing::kForbidden, std::memory_order_relaxed);
}

}  // namespace winnow::plugin
