// How many bits a file's filter may have, so that the filters of its tree take little more than
// uniform ones would.
//
// A plan gives each level its rate as if the tree were full and its levels had no gaps
// (src/core/level_plan.h). If a tree has more keys on its upper levels, the plan takes more memory
// than it should: then files of these levels get fewer bits. Rates by the files of the tree
// (options without levels below, tree_rates.h) take more if the tree has changed since filters
// were built.

#ifndef WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_

#include <cstdint>

#include "src/rocksdb/trees/tree_files.h"
#include "winnow/options.h"

namespace winnow::plugin {

// Memory that filters may take, relative to uniform ones: first without files that wait on level 0,
// then with them, which have many bits but only for a short time. If writes outrun compactions,
// upper levels have more keys than RocksDB's target sizes say, and the last level, whose filters
// have the fewest bits, has fewer.
inline constexpr double kMaxOfUniform = 1.07;
inline constexpr double kMaxWithWaiting = 1.12;
// Within this distance of these bounds, all files of a plan lose the same number of bits, up to
// this bits_per_key. If many files lose a little, false reads are fewer than if a few lose all
// their bits above uniform ones. So the bounds themselves are seldom reached.
inline constexpr double kScarce = 0.05;
inline constexpr double kMaxLostBits = 5;
// The bounds of rates by files. These fit the tree as it is, so less is enough, also for a small
// tree.
inline constexpr double kMaxByFiles = 1.05;
inline constexpr double kMaxByFilesWithWaiting = 1.12;
// At least so much may these take in a tree of fewer than eight files like the new one: a share of
// uniform filters' memory, or bytes more than these, whichever is less.
inline constexpr double kMaxOfFew = 1.2;
inline constexpr double kMostBytesOfFew = 64 << 10;
// Extra memory for files that gain much: all of it if they get twice kManyBits more bits_per_key
// than uniform ones, nothing up to kManyBits. They are on small levels and take little, and other
// files may already have used up the rest.
inline constexpr double kForThoseThatGainMost = 0.02;
inline constexpr double kManyBits = 2;
// The bound if the last level has no filters, so that all filters are those of upper levels.
inline constexpr double kMaxWithoutLast = 1.035;

// The options of the filter of a file with so many keys: those of the plan, or with fewer bits, but
// then at least those of a uniform filter with the policy's bits_per_key. If the last level has no
// filters, no filter that goes by levels gets fewer than that. `alive` is without this file. A pure
// function.
FilterOptions Affordable(const FilterOptions& planned, double uniform_bits_per_key, uint64_t keys,
                         bool waits, bool without_last, const LiveMemory& alive) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_PLAN_BUDGET_H_
