// Which asks of filters are counted one by one, for what filters do by policy and level
// (use/use_meter.h): after a random gap the next one, whatever its key, so that a hot key counts as
// often as it is asked. Gaps are geometric: each ask has the same chance of 1 in MeanGap(),
// independent of all others.
//
// A thread knows by its own counts of lookups when the next one is due: a comparison with one more
// number, in the cache line that holds the counts.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_

#include <cstdint>

namespace winnow::plugin {

// One ask that is counted.
struct CountedAsk {
  uint32_t weight;  // how many asks it stands for; 0: it is not counted
  uint32_t slot;    // of the thread: below kOwnSlots where no other thread has it, else kOwnSlots
};

// So many threads add to numbers of their own. All others share some.
inline constexpr uint32_t kOwnSlots = 16;

// An ask that is counted takes some 100 ns more, with the mispredicted branch to it and memory that
// is not in the cache, and a budget of half a nanosecond an ask has room for one in 256 with as
// much again for the comparison.
inline constexpr uint32_t kMeanGap = 512;
uint32_t MeanGap() noexcept;

// For tests. 0: none is counted. To be called before the threads whose asks are counted begin, as
// each has its next gap already.
void SetMeanGap(uint32_t mean) noexcept;

// The gap to the next ask that is counted: at least 1. *random is the thread's, and not 0.
uint32_t NextGap(uint64_t* random) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_COUNTED_ASKS_H_
