// How many false positives a file's filter may have, by where in the tree the file lies.
//
// A lookup of an absent key asks one filter of each level (and of each file of level 0), so that
// its false reads are the sum of the levels' rates. Equal rates waste memory: the last of L
// levels has nine tenths of the keys at a size ratio of 10, but only one of L chances of a read.
// For a given memory the sum is least where the rate of each sorted run is proportional to the
// number of its keys ("Monkey: Optimal Navigable Key-Value Store", Dayan, Athanassoulis, Idreos,
// SIGMOD 2017): a level up, a tenth of the rate, which costs 3.3 bits for a tenth of the keys. The
// last level pays for all of them, with about 0.37 bits a key.
//
// Where only a share a of the lookups asks for absent keys, and the others find theirs on the last
// level, each other level is asked by all lookups for a key that it lacks, the last one by that
// share: its rate is best 1/a times as high relative to the others.
//
// The budget is that of a full tree, where each level has level_size_ratio times the keys of the
// one above. A tree whose last level is not full has relatively more keys above it, and takes more.

#ifndef WINNOW_SRC_CORE_LEVEL_PLAN_H_
#define WINNOW_SRC_CORE_LEVEL_PLAN_H_

#include <cstdint>

#include "winnow/options.h"

namespace winnow::core {

// The rates that a plan chooses from: above the first no filter is better, but that bits_per_key
// may ask for one; the second is the least of a Ribbon filter, and enough for a file.
inline constexpr double kHighestPlannedRate = 0.25;
inline constexpr double kLowestPlannedRate = 1.0 / 65536;

// The target rate of a filter with these options, which must be valid: a pure function. Without a
// plan, or where levels_below is unknown, that of bits_per_key. The budget counts with Bloom
// filters where the options leave no others.
double PlannedRate(const FilterOptions& options) noexcept;

// The options without a plan whose rate is the planned one: bits_per_key is what it needs.
FilterOptions WithoutPlan(const FilterOptions& options) noexcept;

// What a filter is built by (PlanFilter in sizing.h), of any options: valid ones without a plan
// whose rate is the planned one, and ribbon_min_keys a number of keys.
FilterOptions ForBuilding(const FilterOptions& options) noexcept;

// What a plan assumed, as byte 21 of the tail records it; 0 without a plan.
//   bits 0 to 4   1 + twice the levels below; 0: unknown
//   bits 5 and 6  the number of the plan
uint8_t PackPlan(const FilterOptions& options) noexcept;
LevelPlan UnpackPlan(uint8_t packed) noexcept;      // an unknown number is returned as it is
double UnpackLevelsBelow(uint8_t packed) noexcept;  // -1: unknown

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_LEVEL_PLAN_H_
