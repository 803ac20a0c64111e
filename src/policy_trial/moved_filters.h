// Costs of filters in other places of the tree than those they were built for.
//
// A level plan gives a filter the rate of the place that its file is written to
// (src/core/level_plan.h). Files get to other places without being rewritten: by RocksDB's trivial
// moves, by ingestion of files of SstFileWriter or of another database, and by imports of column
// families. A filter with the many bits of a small level then wastes memory on the last level; one
// built for the last level, or for no level, lets more false positives through on a small level
// than all other filters together.

#ifndef WINNOW_SRC_POLICY_TRIAL_MOVED_FILTERS_H_
#define WINNOW_SRC_POLICY_TRIAL_MOVED_FILTERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "winnow/options.h"

namespace winnow::inspect {

// Filter of a file of the tree.
struct PlacedFilter {
  int level = 0;
  double keys = 0;
  double bytes = 0;
  double rate = 1;         // 1: no filter, or an unreadable one; used only if is_moved
  bool is_moved = false;   // the filter was built for another place
  FilterOptions policy;    // options that the file would be rewritten with in its place
  bool gets_none = false;  // true if a rewritten file would have no filter, regardless of `policy`
};

struct MovedPart {
  size_t files = 0;
  double keys = 0;
  int first_level = 0;
  int last_level = 0;
  double more = 0;      // excess over the policy's filters in these places
  double of_whole = 0;  // the excess as a share of the policy's filters of all files of the tree
};

struct MovedFilters {
  MovedPart large;  // more accurate than the policy's filters in their places; excess in bytes
  MovedPart weak;   // less accurate; excess in false reads per lookup
};

// Minimum shares that are reported: the same plan in two trees of the same keys differs by as much
// (docs/results/level-plans.md: bytes by up to 4%, false reads by up to 11%).
inline constexpr double kLargeThatMatters = 0.05;
inline constexpr double kWeakThatMatters = 0.1;

// Returns the moved filters among all files of one tree. The model: a lookup asks all files of
// level 0 and, on every other level, one file with the probability of its share of the level's
// keys. The last level lacks the key only if the key is in no file (FilterOptions::absent_share). A
// pure function.
MovedFilters FindMovedFilters(const std::vector<PlacedFilter>& tree);

// Returns a sentence without a full stop for each part above its minimum: the state, its cost and
// its remedy. `where` follows the number of files, such as " of column family 'x'".
std::vector<std::string> ToSentences(const MovedFilters& moved, LevelPlan plan,
                                     const std::string& where);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_MOVED_FILTERS_H_
