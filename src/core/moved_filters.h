// Costs of filters that lie elsewhere in the tree than where they were made for.
//
// A level plan gives a filter the rate of the place that its file is written to
// (src/core/level_plan.h). Files come to other places as they are: RocksDB moves them down, ingests
// what SstFileWriter or another database wrote, and imports families. A filter with the many bits
// of a small level then takes memory on the last one, and one that was made for the last level, or
// for no level, lets more through on a small one than all others together.

#ifndef WINNOW_SRC_CORE_MOVED_FILTERS_H_
#define WINNOW_SRC_CORE_MOVED_FILTERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "winnow/options.h"

namespace winnow::core {

// The filter of a file of the tree.
struct PlacedFilter {
  int level = 0;
  double keys = 0;
  double bytes = 0;
  double rate = 1;         // 1: no filter, or one that is not read; only counts if it is moved
  bool is_moved = false;   // the filter was made for another place
  FilterOptions policy;    // by which the file would be written anew where it lies
  bool gets_none = false;  // it would have no filter there, whatever these say
};

// The rate of a filter that takes so many bytes for so many keys, by formulas; `form` says of which
// kind. 1 without a byte.
double RateOfSize(double keys, double bytes, const FilterOptions& form);

struct MovedPart {
  size_t files = 0;
  double keys = 0;
  int first_level = 0;
  int last_level = 0;
  double more = 0;      // than the policy's filters would have in these places
  double of_whole = 0;  // the same, to what all files of the tree would have by the policy
};

struct MovedFilters {
  MovedPart large;  // more accurate than the policy's there: bytes
  MovedPart weak;   // less accurate: false reads a lookup
};

// Below these shares nothing is said: the same plan in two trees of the same keys differs by as
// much (docs/results/level-plans.md: bytes by up to 4 %, false reads by up to 11 %).
inline constexpr double kLargeThatMatters = 0.05;
inline constexpr double kWeakThatMatters = 0.1;

// Returns the moved filters among all files of one tree. A lookup asks all files of level 0, and of
// each other level one, by its share of the level's keys; a file of the last level lacks its key
// only where that is nowhere (FilterOptions::absent_share). A pure function.
MovedFilters FindMovedFilters(const std::vector<PlacedFilter>& tree);

// Returns a sentence without a full stop for each part that matters: what is so, what it costs and
// what mends it. `where` follows the number of files: " of column family 'x'".
std::vector<std::string> ToSentences(const MovedFilters& moved, LevelPlan plan,
                                     const std::string& where);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_MOVED_FILTERS_H_
