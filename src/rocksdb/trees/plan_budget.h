// Limits of a file's bits, so that the filters of its tree take little more memory than uniform
// ones.
//
// A plan gives each level its rate as if the tree were full and its levels had no gaps
// (src/core/level_plan.h). If a tree has more keys on its upper levels, the plan takes too much
// memory: then files of these levels get fewer bits. Rates by the files of the tree (options
// without levels below, tree_rates.h) take too much if the tree has changed since filters were
// built.

#ifndef WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_

#include <cstdint>

#include "src/rocksdb/trees/tree_files.h"
#include "winnow/options.h"

namespace winnow::plugin {

// Limits of filters' memory, relative to uniform ones: without files that wait on level 0, and with
// them, which have many bits but only for a short time. If writes outrun compactions, upper levels
// have more keys than RocksDB's target sizes, and the last level, whose filters have the fewest
// bits, has fewer.
inline constexpr double kMaxOfUniform = 1.07;
inline constexpr double kMaxWithWaiting = 1.12;
// Within kScarce of these limits, all files of a plan lose the same number of bits_per_key, up to
// kMaxLostBits. Many files that lose a little cause fewer false positives than a few that lose all
// their bits above uniform ones. So the limits themselves are seldom reached.
inline constexpr double kScarce = 0.05;
inline constexpr double kMaxLostBits = 5;
// Limits of rates by files. These fit the present tree, so less memory is enough, also for a small
// tree.
inline constexpr double kMaxByFiles = 1.05;
inline constexpr double kMaxByFilesWithWaiting = 1.12;
// Minimum limits of rates by files in a tree of fewer than eight files like the new one, relative
// to uniform filters and in additional bytes. The smaller one applies.
inline constexpr double kMaxOfFew = 1.2;
inline constexpr double kMostBytesOfFew = 64 << 10;
// Extra memory for files with a large benefit: all of it if they get twice kManyBits more
// bits_per_key than uniform ones, nothing up to kManyBits. Such files are on small levels and take
// little, and other files may already have used up the rest.
inline constexpr double kForThoseThatGainMost = 0.02;
inline constexpr double kManyBits = 2;
// Limit if the last level has no filters, so that all filters are those of upper levels.
inline constexpr double kMaxWithoutLast = 1.035;

// Returns the options of the filter of a file with `keys` keys: those of the plan, or with fewer
// bits, but then at least those of a uniform filter with the policy's bits_per_key. If the last
// level has no filters, no filter of a plan by levels gets fewer than that. `alive` must not
// include this file. A pure function.
FilterOptions Affordable(const FilterOptions& planned, double uniform_bits_per_key, uint64_t keys,
                         bool waits, bool without_last, const LiveMemory& alive) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
