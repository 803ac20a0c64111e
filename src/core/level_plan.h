// Which false-positive rate a file's filter gets, by the level that the file is on.
//
// A lookup of an absent key asks one filter of each level (and one of each file of level 0). So the
// false reads to expect are the sum of the levels' rates. Equal rates waste memory: at a size ratio
// of 10 the last of L levels has nine tenths of the keys, and so of the memory, but only one of the
// L rates in that sum.
//
// A level of k keys takes about k log2(1/p) bits at the rate p. For a given memory the sum of rates
// is least where each sorted run's rate is proportional to its number of keys ("Monkey: Optimal
// Navigable Key-Value Store", Dayan, Athanassoulis, Idreos, SIGMOD 2017). So one level up the rate
// is a tenth, which costs 3.3 bits a key, but for only a tenth of the keys. The last level gives up
// about 0.37 bits a key for that. RocksDB's levels have gaps, so the step from level to level is
// only a part of the paper's: kSteepness.
//
// If only a share a of the lookups asks for absent keys, and the others find their key on the last
// level, then every lookup asks the upper levels for a key that they lack, but only a share a of
// them asks the last level for one. So the best rate of the last level is 1/a times as high
// relative to the others.
//
// The budget is the memory of uniform filters in a full tree, where each level has level_size_ratio
// times the keys of the level above. If the last level is not full, more of the keys are above it,
// and the tree takes more.

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

// Returns the options that a filter is built by (PlanFilter in sizing.h), from any options: valid
// ones without a plan whose rate is the planned one, and ribbon_min_keys a number of keys.
FilterOptions ForBuilding(const FilterOptions& options) noexcept;

// The plan and what it assumed, as byte 21 of the tail records them; 0 without a plan.
//   bits 0 to 4   1 + twice the levels below; 0: unknown
//   bits 5 and 6  the number of the plan
uint8_t PackPlan(const FilterOptions& options) noexcept;
LevelPlan UnpackPlan(uint8_t packed) noexcept;      // an unknown number is returned as it is
double UnpackLevelsBelow(uint8_t packed) noexcept;  // -1: unknown

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_LEVEL_PLAN_H_
