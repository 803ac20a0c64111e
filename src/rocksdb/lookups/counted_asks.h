// Sampling of filter checks for the use counters by policy and level (use/use_meter.h). After a
// random gap, the next check is counted, whatever its key, so that a hot key counts as often as it
// is looked up. Gaps are geometrically distributed: each check is counted with a probability of 1
// in the thread's mean gap, independent of all others.
//
// A thread's count of its lookups runs up to 0 from one counted check to the next, so that the
// carry of the addition detects it.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace winnow::plugin {

// A filter check that is counted.
struct CountedAsk {
  uint32_t weight;  // number of checks that it stands for; 0 if not counted
  uint32_t slot;    // slot of the thread; kOwnSlots if shared
};

// Number of threads that have counters of their own. All other threads share one set.
inline constexpr uint32_t kOwnSlots = 16;

// Bounds of a thread's mean gap between counted checks. Counting one takes some 60 ns. After each
// kAsksOfAPace of them the thread doubles its mean gap if they came faster than 16,000 a second,
// and halves it if they came at less than half of this: so counting takes at most a thousandth of a
// core, and threads that ask little are sampled enough for policies to learn.
inline constexpr uint32_t kLeastMeanGap = 64;
inline constexpr uint32_t kMeanGap = 1024;
inline constexpr uint32_t kAsksOfAPace = 64;
inline constexpr std::chrono::milliseconds kPace{4};
// Returns the next mean gap of a thread whose last kAsksOfAPace counted checks took this time.
uint32_t NextMeanGap(uint32_t mean, std::chrono::nanoseconds time) noexcept;

// Sets the mean gap of all threads, for tests; 0 disables counting, and kNoSetGap, the default,
// lets each thread choose. Must be called before the threads that look up keys start, as each
// thread has its next gap already.
inline constexpr uint32_t kNoSetGap = UINT32_MAX;
void SetMeanGap(uint32_t mean) noexcept;
uint32_t CurrentSetGap() noexcept;

// A count of lookups, which one thread increments. Zero-initialized.
struct AskCount {
  // Twice the negative number of checks until the next counted one; the lowest bit selects the
  // valid end. Twice the number of checks if no gap was started.
  std::atomic<uint64_t> left;
};

// Total number of checks when the current gap ends, that is, when the count is at 0.
struct AskCountEnds {
  std::atomic<uint64_t> ends[2];
};

// Adds a check. Returns whether it is counted: StartGap must then follow.
inline __attribute__((always_inline)) bool AddAsk(AskCount* count) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // One instruction instead of three. It needs no lock prefix, as no other thread writes the count.
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

// Starts a gap of `gap` checks. Must be called by the thread that adds.
void StartGap(AskCount* count, AskCountEnds* ends, uint32_t gap) noexcept;

// Returns the number of checks that were added. While a thread adds, returns one of the numbers
// during the call. Thread-safe.
uint64_t SumOf(const AskCount& count, const AskCountEnds& ends) noexcept;

// Returns the gap to the next counted check, at least 1. *random is the thread's state, and not 0.
uint32_t NextGap(uint32_t mean, uint64_t* random) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
