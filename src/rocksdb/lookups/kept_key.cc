#include "src/rocksdb/lookups/kept_key.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>

#include "src/rocksdb/lookups/key_hash.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Slice;
using State = KeptKey::State;

// Keys of up to kMaxKeptBytes, with their hashes, in the order of their batches.
struct KeptBatch {
  uint32_t size = 0;
  uint32_t used = 0;  // of `bytes`
  uint32_t next = 0;  // the key behind the last one that was asked for
  uint16_t lengths[kMaxBatchKeys];
  uint16_t places[kMaxBatchKeys];  // in `bytes`
  uint64_t hashes[kMaxBatchKeys];
  char bytes[kMaxBatchKeys * kMaxKeptBytes];
};

namespace {

// Balance of keeping, in hashes: each lookup saves seven eighths of one, as the comparison costs
// the rest, and each kept key costs two, for its hash and its copy (docs/results/lookups.md).
constexpr int64_t kSavedOfEight = 7;
constexpr int64_t kCost = 2;
// Maximum balance, so that a thread adapts soon if its lookups change.
constexpr int64_t kMostBalance = 256;
// A thread that does not keep tries it for so many lookups, after one in 32 counted checks.
constexpr int32_t kTrial = 8;
constexpr uint64_t kTrialMask = 31;
// Balance after a trial that paid: one short stretch does not end it.
constexpr int32_t kAfterTrial = 32;
// Batches of long keys are watched by the first key, one in eight by its hash, as the files of a
// level and the partitions of a filter have different keys of a batch. Batches are kept once four
// more of those watched came again than did not, and then as long as that saves hashes.
constexpr unsigned kWatchedBits = 3;
constexpr int32_t kBatchesAgain = 4;
constexpr int32_t kMostBatchScore = 256;
constexpr int32_t kBatchNew = -2;
// Number of kept keys that are compared with the next key of a batch: others may have been found.
constexpr uint32_t kNextKeys = 8;

constexpr KeptKey KeyOf(State state) noexcept {
  KeptKey key;
  key.state = state;
  return key;
}

// Constant-initialized, as lookups may come before constructors of this library.
KeptKey key_of_new_threads = KeyOf(State::kNew);
KeptKey key_of_ended_threads = KeyOf(State::kEnded);

// Sums of threads up to their last settlements.
std::atomic<uint64_t> computed_hashes{0};
std::atomic<uint64_t> shared_hashes{0};

std::atomic<uint32_t> next_slot{0};

}  // namespace

__thread KeptKey* this_thread_key WINNOW_THREAD_STORAGE = &key_of_new_threads;

namespace {

// Adds the lookups since the last settlement to the sums, and to the balance. The present
// lookup, if any, is one of a single key or of a batch.
void Account(KeptKey* kept, uint64_t single, uint64_t of_batch) noexcept {
  const auto passed = static_cast<uint64_t>(kept->stretch - kept->left);
  const uint64_t singles = passed - std::exchange(kept->of_batches, 0) + single;
  const uint64_t lookups = passed + single + of_batch;
  const uint64_t kept_keys = std::exchange(kept->computed, 0);
  // Hashes of a batch whose other keys come in the next stretch count there.
  const uint64_t all = (kept->is_keeping ? kept_keys : singles) + kept->batch_computed;
  const uint64_t computed = std::min(all, lookups);
  kept->batch_computed = static_cast<uint32_t>(all - computed);
  computed_hashes.fetch_add(computed, std::memory_order_relaxed);
  shared_hashes.fetch_add(lookups - computed, std::memory_order_relaxed);
  if (!kept->is_keeping) return;
  const int64_t balance = kept->balance + static_cast<int64_t>(singles) * kSavedOfEight / 8 -
                          kCost * static_cast<int64_t>(kept_keys);
  kept->balance = static_cast<int32_t>(std::clamp<int64_t>(balance, -1, kMostBalance));
}

// Begins a stretch of lookups before the next due one.
void Wait(KeptKey* kept, uint32_t lookups) noexcept {
  kept->left = kept->stretch = static_cast<int32_t>(lookups);
  if (lookups == 0) return EndStretch(kept);
  kept->state = State::kCounting;
  if (!kept->is_keeping) {
    kept->in_line = core::kMaxShortKeyBytes;
    kept->length = KeptKey::kNone;
    kept->long_length = KeptKey::kNoLong;
  }
}

uint32_t NewGap(KeptKey* kept) noexcept { return NextGap(kept->mean_gap, &kept->random); }

// Begins the next stretch. Returns the check that is counted at the end of the last one, if any.
CountedAsk NextStretch(KeptKey* kept) noexcept {
  if (kept->balance < 0) {
    kept->is_keeping = false;
    kept->balance = 0;
  }
  if (kept->rest >= 0) {
    if (kept->is_keeping) kept->balance = std::max(kept->balance, kAfterTrial);
    Wait(kept, static_cast<uint32_t>(std::exchange(kept->rest, -1)));
    return {};
  }
  const CountedAsk ask{kept->mean_gap, kept->slot};
  if (kept->set_gap == kNoSetGap && ++kept->of_pace == kAsksOfAPace) {
    const auto now = std::chrono::steady_clock::now();
    kept->mean_gap = NextMeanGap(kept->mean_gap, now - std::exchange(kept->paced_at, now));
    kept->of_pace = 0;
  }
  const uint32_t gap = NewGap(kept);
  if (!kept->is_keeping && gap >= kTrial + 2 && (kept->random & kTrialMask) == 0) {
    kept->is_keeping = true;
    kept->rest = static_cast<int32_t>(gap) - kTrial - 2;
    Wait(kept, kTrial);
  } else {
    Wait(kept, gap - 1);
  }
  return ask;
}

// Frees the state of an ending thread. Destructors that run after this may still look up keys.
void Detach(void* state) noexcept {
  this_thread_key = &key_of_ended_threads;
  auto* const kept = static_cast<KeptKey*>(state);
  Account(kept, 0, 0);
  delete kept->batch;
  delete kept;
}

// A pthread key, because registering the destructor of a thread_local object allocates, and
// terminates the program if this fails.
struct EndOfThread {
  pthread_key_t key{};
  const bool works;

  EndOfThread() noexcept : works(pthread_key_create(&key, Detach) == 0) {}
};

}  // namespace

__attribute__((noinline)) bool AttachKeptKey() noexcept {
  if (this_thread_key->state != State::kNew) return false;
  this_thread_key = &key_of_ended_threads;  // the allocator may look up keys
  static const EndOfThread end_of_thread;
  auto* kept = end_of_thread.works ? new (std::nothrow) KeptKey : nullptr;
  if (kept != nullptr && pthread_setspecific(end_of_thread.key, kept) != 0) {
    delete kept;
    kept = nullptr;
  }
  if (kept == nullptr) {
    this_thread_key = &key_of_new_threads;  // the next lookup tries again
    return false;
  }
  const auto now =
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  kept->random = (now ^ reinterpret_cast<uintptr_t>(kept)) * 0x9e3779b97f4a7c15u | 1;
  // Similar seeds have similar first values.
  for (int i = 0; i < 4; ++i) NewGap(kept);
  kept->set_gap = CurrentSetGap();
  if (kept->set_gap != kNoSetGap) kept->mean_gap = kept->set_gap;
  kept->slot = next_slot.fetch_add(1, std::memory_order_relaxed) % kCountSlots;
  Wait(kept, NewGap(kept) - 1);
  this_thread_key = kept;
  return true;
}

__attribute__((noinline)) void EndStretch(KeptKey* kept) noexcept {
  kept->state = State::kDue;
  kept->in_line = 0;
  kept->due_length = std::exchange(kept->length, KeptKey::kNone);
  kept->due_long_length = std::exchange(kept->long_length, KeptKey::kNoLong);
}

__attribute__((noinline)) CountedAsk Settle(KeptKey* kept) noexcept {
  Account(kept, 1, 0);
  return NextStretch(kept);
}

// ---- Batches

namespace {

WINNOW_KEY_INLINE bool IsAt(const KeptBatch& batch, uint32_t i, const Slice& key) noexcept {
  if (batch.lengths[i] != key.size()) return false;
  return IsKeptAny(batch.bytes + batch.places[i], key.data(), key.size());
}

// Hashes and keeps a new batch, without keys that are too long. It may be the rest of a batch, of
// the next file of a level, so that it is kept beside others if there is room.
void KeepBatch(KeptBatch* batch, const Slice* const* keys, size_t n, KeyHash* hashes) noexcept {
  if (batch->size + n > kMaxBatchKeys) batch->size = batch->used = 0;
  batch->next = 0;
  for (size_t i = 0; i < n; ++i) {
    const Slice& key = *keys[i];
    hashes[i] = HashOf(key);
    if (key.size() - 1 >= kMaxKeptBytes) continue;
    const uint32_t at = batch->size++;
    batch->lengths[at] = static_cast<uint16_t>(key.size());
    batch->places[at] = static_cast<uint16_t>(batch->used);
    batch->hashes[at] = hashes[i].value;
    KeepAny(batch->bytes + batch->used, key.data(), key.size());
    batch->used += (static_cast<uint32_t>(key.size()) + 63) & ~63u;
  }
}

// Hashes a batch by the kept one: each file has some of its keys, in its order. Returns the number
// of computed hashes.
__attribute__((noinline, flatten)) size_t HashByKept(KeptBatch* batch, const Slice* const* keys,
                                                     size_t n, KeyHash* hashes) noexcept {
  uint32_t first = batch->next;
  if (first >= batch->size || !IsAt(*batch, first, *keys[0])) {
    first = 0;
    while (first < batch->size && !IsAt(*batch, first, *keys[0])) ++first;
  }
  if (first == batch->size) {
    KeepBatch(batch, keys, n, hashes);
    return n;
  }
  size_t computed = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t end = std::min(batch->size, first + kNextKeys);
    uint32_t at = first;
    while (at < end && !IsAt(*batch, at, *keys[i])) ++at;
    if (at < end) {
      hashes[i].value = batch->hashes[at];
      first = at + 1;
    } else {
      hashes[i] = HashOf(*keys[i]);
      ++computed;
    }
  }
  batch->next = first;
  return computed;
}

// Hashes a batch of long keys, and decides whether the next ones are kept.
__attribute__((noinline, flatten)) size_t HashLong(KeptKey* kept, const Slice* const* keys,
                                                   size_t n, KeyHash* hashes) noexcept {
  if (kept->is_batch_kept) {
    const size_t computed = HashByKept(kept->batch, keys, n, hashes);
    const auto saved = static_cast<int32_t>(n - computed);
    const auto lost = static_cast<int32_t>(kCost) * static_cast<int32_t>(computed);
    kept->batch_score = std::min(kept->batch_score + saved - lost, kMostBatchScore);
    if (kept->batch_score < 0) {
      kept->is_batch_kept = false;
      kept->batch_score = 0;
    }
    return computed;
  }
  for (size_t i = 0; i < n; ++i) hashes[i] = HashOf(*keys[i]);
  const uint64_t first = hashes[0].value;
  if (first >> (64 - kWatchedBits) != 0) return n;
  uint64_t& watched = kept->batch_watched[first % std::size(kept->batch_watched)];
  const bool is_again = std::exchange(watched, first) == first;
  kept->batch_score = std::max(kept->batch_score + (is_again ? 1 : kBatchNew), 0);
  if (kept->batch_score >= kBatchesAgain) {
    if (kept->batch == nullptr) kept->batch = new (std::nothrow) KeptBatch;
    kept->is_batch_kept = kept->batch != nullptr;
    if (kept->batch != nullptr) kept->batch->size = kept->batch->used = kept->batch->next = 0;
    kept->batch_score = kMostBatchScore;
  }
  return n;
}

bool HasState() noexcept { return this_thread_key->state >= State::kCounting || AttachKeptKey(); }

WINNOW_KEY_INLINE bool AreLong(const Slice* const* keys, size_t n) noexcept {
  return n > 0 && keys[0]->size() > core::kMaxShortKeyBytes && HasState();
}

// Returns whether the filter is likely not in the processor's cache, so that prefetching pays.
bool IsFar(const core::BloomBatch& asked) noexcept {
  return !HasState() ||
         !this_thread_key->recent.Note(asked.bytes(), asked.size(), core::kOwnCacheBytes);
}

}  // namespace

__attribute__((flatten)) size_t HashTogether(const Slice* const* keys, size_t n,
                                             KeyHash* hashes) noexcept {
  if (AreLong(keys, n)) return HashLong(this_thread_key, keys, n, hashes);
  for (size_t i = 0; i < n; ++i) hashes[i] = HashOf(*keys[i]);
  return n;
}

__attribute__((flatten)) size_t HashTogether(const Slice* const* keys, size_t n, KeyHash* hashes,
                                             const core::BloomBatch& asked) noexcept {
  if (!IsFar(asked)) return HashTogether(keys, n, hashes);
  const core::BloomBatch::Ahead ahead(asked);
  if (AreLong(keys, n)) {
    const size_t computed = HashLong(this_thread_key, keys, n, hashes);
    for (size_t i = 0; i < n; ++i) ahead.Ask(hashes[i].value);
    return computed;
  }
  for (size_t i = 0; i < n; ++i) {
    hashes[i] = HashOf(*keys[i]);
    ahead.Ask(hashes[i].value);
  }
  return n;
}

bool CountTogether(size_t n, size_t computed) noexcept {
  if (!HasState()) return false;
  KeptKey* const kept = this_thread_key;
  kept->batch_computed += static_cast<uint32_t>(computed);
  if (kept->state == State::kDue || n >= static_cast<size_t>(kept->left)) return true;
  kept->left -= static_cast<int32_t>(n);
  kept->of_batches += static_cast<uint32_t>(n);
  return false;
}

CountedAsk NextCounted(size_t n, size_t* next) noexcept {
  KeptKey* const kept = this_thread_key;
  while (*next < n) {
    const size_t passed = std::min<size_t>(n - *next, static_cast<size_t>(kept->left));
    *next += passed;
    kept->left -= static_cast<int32_t>(passed);
    kept->of_batches += static_cast<uint32_t>(passed);
    if (kept->left > 0) return {};
    if (kept->state != State::kDue) EndStretch(kept);
    if (*next == n) return {};
    ++*next;
    Account(kept, 0, 1);
    const CountedAsk ask = NextStretch(kept);
    if (ask.weight != 0) return ask;
  }
  return {};
}

LookupCounts CurrentLookupCounts() noexcept {
  KeptKey* const kept = this_thread_key;
  if (kept->state >= State::kCounting) {
    Account(kept, 0, 0);
    kept->stretch = kept->left;
  }
  return {computed_hashes.load(std::memory_order_relaxed),
          shared_hashes.load(std::memory_order_relaxed)};
}

}  // namespace winnow::plugin
