// Which asks of filters are counted one by one, for what filters do by policy and level
// (use/use_meter.h): after a random gap the next one, whatever its key, so that a hot key counts as
// often as it is asked. Gaps are geometric: each ask has the same chance of 1 in MeanGap(),
// independent of all others.
//
// A thread's counts of its lookups run up to 0, from one such ask to the next, so that the carry of
// the addition tells which ask it is.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_

#include <atomic>
#include <cstdint>

namespace winnow::plugin {

// One ask that is counted.
struct CountedAsk {
  uint32_t weight;  // how many asks it stands for; 0: it is not counted
  uint32_t slot;    // of the thread: below kOwnSlots where no other thread has it, else kOwnSlots
};

// So many threads add to numbers of their own. All others share some.
inline constexpr uint32_t kOwnSlots = 16;

// An ask that is counted takes some 60 ns more. One in 120 would cost lookups half a nanosecond
// each, a tenth of a lookup in the processor's cache; one in so many can't be told from none.
inline constexpr uint32_t kMeanGap = 2048;
uint32_t MeanGap() noexcept;

// For tests. 0: none is counted. To be called before the threads whose asks are counted begin, as
// each has its next gap already.
void SetMeanGap(uint32_t mean) noexcept;

// A count of lookups, which one thread adds to. Zeros at first.
struct AskCount {
  // Twice the number of asks up to the one that is counted next, negative; the last bit says which
  // of the ends is valid. If there are none, twice the number of asks.
  std::atomic<uint64_t> left;
};

// The sum of asks at the end of the gap, with which a count is at 0.
struct AskCountEnds {
  std::atomic<uint64_t> ends[2];
};

// Adds an ask. Returns whether it is the one that is counted: then StartGap follows.
inline __attribute__((always_inline)) bool AddAsk(AskCount* count) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // One instruction for three: as nobody else writes it, it needs no lock.
  static_assert(sizeof(count->left) == sizeof(uint64_t));
  bool carry;
  asm("addq $2, %1" : "=@ccc"(carry), "+m"(*reinterpret_cast<uint64_t*>(&count->left)));
  return __builtin_expect(carry, 0);
#else
  const uint64_t left = count->left.load(std::memory_order_relaxed);
  count->left.store(left + 2, std::memory_order_relaxed);
  return __builtin_expect(left + 2 < 2, 0);
#endif
}

// From here on, so many asks go by up to the one that is counted. By the thread that adds.
void StartGap(AskCount* count, AskCountEnds* ends, uint32_t gap) noexcept;

// How many asks were added. While a thread adds, a number that it had during the call. Safe from
// any thread.
uint64_t SumOf(const AskCount& count, const AskCountEnds& ends) noexcept;

// The gap to the next ask that is counted: at least 1. *random is the thread's, and not 0.
uint32_t NextGap(uint64_t* random) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
