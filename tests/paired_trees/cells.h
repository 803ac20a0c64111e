// Trees in which policies are compared: shapes of data and compaction, and skewed lookups.

#ifndef WINNOW_TESTS_PAIRED_TREES_CELLS_H_
#define WINNOW_TESTS_PAIRED_TREES_CELLS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/paired_trees/skewed_work.h"
#include "tests/paired_trees/tree.h"

namespace winnow::paired_trees {

// Writes `keys` keys.
using Grow = std::function<void(Tree*, uint64_t keys, uint64_t seed)>;

struct Cell {
  std::string name;
  Grow grow;                                // null in cells with a skew
  std::string options = {};                 // string of options that differ from other cells
  double share = 1;                         // of the keys of other cells
  std::string prefix = {};                  // of all keys
  std::optional<Skew> skew = std::nullopt;  // unset: no lookups while the tree grows
};

const std::vector<Cell>& Cells();

}  // namespace winnow::paired_trees

#endif  // WINNOW_TESTS_PAIRED_TREES_CELLS_H_
