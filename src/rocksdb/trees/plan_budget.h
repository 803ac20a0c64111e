// How many bits a file's filter may have, so that the filters of its tree take little more than
// uniform ones would.
//
// A plan gives each level its rate as if the tree were full and its levels had no gaps
// (src/core/level_plan.h). Where a tree has more keys on its upper levels than that, the plan takes
// more memory than it was given: then files of these levels get fewer bits. Learned rates (options
// without levels below) come to more where the tree is not as it was when they were learned.

#ifndef WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_

#include <cstdint>

#include "src/rocksdb/trees/live_files.h"
#include "winnow/options.h"

namespace winnow::plugin {

// What filters may take of what uniform ones would: those that rest, and all together with those
// that wait on level 0, where they have many bits for a short time. A tree that is being flooded
// has more keys on its upper levels than RocksDB's sizes of levels say, and less on the last one,
// which has the fewest bits.
inline constexpr double kMaxOfUniform = 1.07;
inline constexpr double kMaxWithWaiting = 1.12;
// Short of these bounds by less than this all files of a plan lose bits alike, up to so many
// bits_per_key: many that lose a little have fewer false reads than few that lose all that they had
// above uniform ones, and the bounds are seldom met.
inline constexpr double kScarce = 0.05;
inline constexpr double kMaxLostBits = 5;
// Of learned rates, which are made for the tree as it is: less is enough, and of a small tree too.
inline constexpr double kMaxLearned = 1.05;
inline constexpr double kMaxLearnedWithWaiting = 1.09;
// So much more for files that are to have many bits_per_key more than uniform ones, from this
// number to twice that: a small level's take little, and the others may have used up what there
// was.
inline constexpr double kForThoseThatGainMost = 0.02;
inline constexpr double kManyBits = 2;
// Where the last level has no filters, so that all there are belong to upper levels.
inline constexpr double kMaxWithoutLast = 1.035;

// The options of a file's filter with so many keys: those that the plan gives, or with fewer bits,
// but not fewer than a uniform filter with the policy's bits_per_key, where the last level has no
// filters either. `alive` is without it. A pure function.
FilterOptions Affordable(const FilterOptions& planned, double uniform_bits_per_key, uint64_t keys,
                         bool waits, bool without_last, const LiveMemory& alive) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
