// Sampling of filter checks for the use counters by policy and level (use/use_meter.h), and for the
// bits of new filters. After a random gap, the next check is counted, whatever its key, so that a
// hot key counts as often as it is looked up. Gaps are geometrically distributed: each check is
// counted with a probability of 1 in the thread's mean gap, independent of all others.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_

#include <chrono>
#include <cstdint>

namespace winnow::plugin {

// A filter check that is counted.
struct CountedAsk {
  uint32_t weight = 0;  // number of checks that it stands for; 0 if not counted
  uint32_t slot = 0;    // of the thread
};

// Number of sets of counters, which threads share evenly.
inline constexpr uint32_t kCountSlots = 16;

// Bounds of a thread's mean gap between counted checks. Counting one takes some 60 ns. After each
// kAsksOfAPace of them the thread doubles its mean gap if they came faster than 16,000 a second,
// and halves it if they came at less than half of this: so counting takes at most a thousandth of a
// core, and threads that ask little are sampled enough for policies to learn.
inline constexpr uint32_t kLeastMeanGap = 64;
inline constexpr uint32_t kFirstMeanGap = 256;  // of a new thread
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

// Returns the gap to the next counted check, 1 to 2^30. *random is the thread's state, and not 0.
uint32_t NextGap(uint32_t mean, uint64_t* random) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
