// Thread-local state of threads that look up keys: a part of shared_hash.cc, whose header describes
// the states.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_THREAD_HASHES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_THREAD_HASHES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/lookups/hash_batch.h"
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/lookups/last_key.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/recent_filters.h"

namespace winnow::plugin {

struct ThreadBlock;

// State of a thread that shares or watches. It has two keys, because a whole key and its prefix may
// come in turn: files differ in what their filters hold.
struct ThreadHashes {
  LastKey keys[2];
  char* long_bytes;        // kMaxSharedBytes for each of the two; null until it is needed
  HashBatch* batch;        // the same
  bool is_on;              // sharing, else watching
  int credit;              // sharing, until it falls below 0; watching, until it is enough
  uint64_t shared_before;  // the count, when it went into the credit last
  uint64_t watched;        // a hash that may come again
  uint32_t new_watched;    // how many were, since it began to watch; at most kManyWatched
  LookupsUnderWay sampled;
  RecentFilters recent;
  std::atomic<uint64_t> sampled_computed;  // hashes of sampled keys, while sharing
  std::atomic<uint64_t> batch_computed;    // hashes of keys of batches
  std::atomic<uint64_t> batch_shared;      // and keys of these that needed none
  ThreadBlock* block;                      // that it is of

  // Asks that are counted. They go on with the thread that has this next.
  AskCountEnds computed_ends[2];  // by key
  AskCountEnds shared_ends[2];
  uint64_t random;        // 0: it had no thread yet
  uint32_t mean_gap;      // of the gaps that it has
  uint32_t slot;          // CountedAsk::slot
  uint32_t sampled_left;  // sampled keys up to the one that is counted next
  int64_t batch_left;     // the same for keys of batches
  CountedAsk due;         // what the lookup under way has to count

  uint64_t Shared() const noexcept {
    return SumOf(keys[0].shared, shared_ends[0]) + SumOf(keys[1].shared, shared_ends[1]) +
           batch_shared.load(std::memory_order_relaxed);
  }
  uint64_t Computed() const noexcept {
    return SumOf(keys[0].computed, computed_ends[0]) + SumOf(keys[1].computed, computed_ends[1]) +
           sampled_computed.load(std::memory_order_relaxed) +
           batch_computed.load(std::memory_order_relaxed);
  }
  char* LongBytes(const LastKey* key) const noexcept {
    return long_bytes + (key - keys) * static_cast<std::ptrdiff_t>(kMaxSharedBytes);
  }
};

// ThreadHashes for so many threads. Zeros at first.
struct ThreadBlock {
  static constexpr int kThreads = 64;

  ThreadHashes threads[kThreads];
  std::atomic<uint64_t> taken;  // bit i: threads[i] is
  std::atomic<ThreadBlock*> next;

  // Null if all are taken.
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

  // The next block, which is made if there is none; null if memory is short.
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
