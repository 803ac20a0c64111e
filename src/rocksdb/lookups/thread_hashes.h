// Thread-local state of threads that look up keys. Used by shared_hash.cc only; shared_hash.h
// describes the states.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_THREAD_HASHES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_THREAD_HASHES_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/hash_batch.h"
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/lookups/last_key.h"
#include "src/rocksdb/lookups/recent_filters.h"

namespace winnow::plugin {

struct ThreadBlock;

// State of a thread that shares or watches. It has two keys, because lookups of a whole key and of
// its prefix may alternate: files differ in whether their filters contain keys or prefixes.
struct ThreadHashes {
  LastKey keys[2];
  char* long_bytes;        // kMaxSharedBytes per key; null until needed
  HashBatch* batch;        // null until needed
  bool is_on;              // true if sharing, false if watching
  int credit;              // sharing: stops below 0; watching: shares if enough
  uint64_t shared_before;  // shared hashes already in the credit
  uint64_t watched;        // last watched hash
  uint32_t new_watched;    // watched hashes so far; at most kManyWatched
  RecentFilters recent;
  std::atomic<uint64_t> batch_computed;  // computed hashes of batches
  std::atomic<uint64_t> batch_shared;    // shared hashes of batches
  ThreadBlock* block;                    // owner of this object

  // State of counted checks, which the next thread of this object continues.
  AskCountEnds computed_ends[2];  // one per key
  AskCountEnds shared_ends[2];
  uint64_t random;     // random state; 0 until the first thread
  uint32_t set_gap;    // CurrentSetGap() when counting began
  uint32_t mean_gap;   // of the gaps that begin now
  uint32_t of_pace;    // counted checks since paced_at
  uint32_t slot;       // CountedAsk::slot
  int64_t batch_left;  // keys of batches until the next counted one
  CountedAsk due;      // counted check of the current lookup
  std::chrono::steady_clock::time_point paced_at;

  // Returns the check that the end of a gap counts. Call NewGap then.
  CountedAsk TakeAsk() noexcept {
    const CountedAsk ask{mean_gap, slot};
    if (set_gap == kNoSetGap && ++of_pace == kAsksOfAPace) {
      const auto now = std::chrono::steady_clock::now();
      mean_gap = NextMeanGap(mean_gap, now - std::exchange(paced_at, now));
      of_pace = 0;
    }
    return ask;
  }
  uint32_t NewGap() noexcept { return NextGap(mean_gap, &random); }

  uint64_t Shared() const noexcept {
    return SumOf(keys[0].shared, shared_ends[0]) + SumOf(keys[1].shared, shared_ends[1]) +
           batch_shared.load(std::memory_order_relaxed);
  }
  uint64_t Computed() const noexcept {
    return SumOf(keys[0].computed, computed_ends[0]) + SumOf(keys[1].computed, computed_ends[1]) +
           batch_computed.load(std::memory_order_relaxed);
  }
  char* LongBytes(const LastKey* key) const noexcept {
    return long_bytes + (key - keys) * static_cast<std::ptrdiff_t>(kMaxSharedBytes);
  }
};

// A block of kThreads ThreadHashes. Zero-initialized.
struct ThreadBlock {
  static constexpr int kThreads = 64;

  ThreadHashes threads[kThreads];
  std::atomic<uint64_t> taken;  // bit i is set if threads[i] is taken
  std::atomic<ThreadBlock*> next;

  // Takes a free ThreadHashes; null if there is none.
  ThreadHashes* Take() noexcept {
    uint64_t now = taken.load(std::memory_order_relaxed);
    while (now != UINT64_MAX) {
      const uint64_t with_one_more = now | (now + 1);
      if (taken.compare_exchange_weak(now, with_one_more, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        ThreadHashes* const thread = &threads[__builtin_ctzll(~now)];
        thread->block = this;
        return thread;
      }
    }
    return nullptr;
  }

  void GiveBack(const ThreadHashes* thread) noexcept {
    taken.fetch_and(~(uint64_t{1} << (thread - threads)), std::memory_order_release);
  }

  // Returns the next block, allocated if there is none; null if out of memory.
  ThreadBlock* Next() noexcept {
    ThreadBlock* there = next.load(std::memory_order_acquire);
    if (there != nullptr) return there;
    auto* const made = new (std::nothrow) ThreadBlock();
    if (made == nullptr) return nullptr;
    if (next.compare_exchange_strong(there, made, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      return made;
    }
    delete made;
    return there;
  }
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_THREAD_HASHES_H_
