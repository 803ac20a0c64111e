// Level plans: false-positive rates of a file's filter by the file's level.
//
// A lookup of an absent key asks one filter per level (and one per file of level 0), so the
// expected number of false reads is the sum of the levels' rates. Equal rates waste memory: at a
// size ratio of 10, the last of L levels has nine tenths of the keys, and thus of the memory, but
// contributes only one of the L rates to the sum.
//
// A level of k keys takes about k log2(1/p) bits at the rate p. For a given memory, the sum of
// rates is minimal if each sorted run's rate is proportional to its number of keys ("Monkey:
// Optimal Navigable Key-Value Store", Dayan, Athanassoulis, Idreos, SIGMOD 2017). So the rate of
// the next level up is a tenth, which costs 3.3 bits per key, but for only a tenth of the keys. The
// last level pays about 0.37 bits per key for this. RocksDB's levels have gaps, so the step between
// levels is smaller than the paper's: kSteepness.
//
// If only a share `a` of the lookups is for absent keys, and the others find their key on the last
// level, then all lookups ask the upper levels for a key that they lack, but only the share `a`
// asks the last level for one. So the best rate of the last level, relative to the others, is 1/a
// times as high.
//
// The budget is the memory of uniform filters in a full tree, where each level has level_size_ratio
// times the keys of the level above. If the last level is not full, a larger share of the keys is
// above it, and the tree takes more memory.

#ifndef WINNOW_SRC_CORE_LEVEL_PLAN_H_
#define WINNOW_SRC_CORE_LEVEL_PLAN_H_

#include <cstdint>

#include "winnow/options.h"

namespace winnow::core {

// Range of rates that a plan chooses from. Above the first, no filter is better, though
// bits_per_key may ask for such a rate; the second is the lowest rate of a Ribbon filter, and low
// enough for any file.
inline constexpr double kHighestPlannedRate = 0.25;
inline constexpr double kLowestPlannedRate = 1.0 / 65536;

// Returns the target false-positive rate of a filter with these options, which must be valid. A
// pure function. Returns the rate of bits_per_key if there is no plan or levels_below is unknown.
// The budget is that of Bloom filters if the options allow no others.
double PlannedRate(const FilterOptions& options) noexcept;

// Returns options without a plan, with the bits_per_key that gives the planned rate.
FilterOptions WithoutPlan(const FilterOptions& options) noexcept;

// Returns the options for building a filter (PlanFilter in sizing.h): valid ones, without a plan,
// with the planned rate, and with a number of keys as ribbon_min_keys. Accepts any options.
FilterOptions ForBuilding(const FilterOptions& options) noexcept;

// Returns byte 21 of the tail, the plan and its assumption; 0 without a plan.
//   bits 0 to 4   1 + twice the levels below; 0: unknown
//   bits 5 and 6  the number of the plan
uint8_t PackPlan(const FilterOptions& options) noexcept;
LevelPlan UnpackPlan(uint8_t packed) noexcept;      // an unknown number is returned unchanged
double UnpackLevelsBelow(uint8_t packed) noexcept;  // -1: unknown

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_LEVEL_PLAN_H_
