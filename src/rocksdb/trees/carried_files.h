// Files of a tree (tree_files.h) in the form for a compaction worker: few files, with short keys
// and their places in the grid of the database's own process.

#ifndef WINNOW_SRC_ROCKSDB_TREES_CARRIED_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_CARRIED_FILES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/shared_runs.h"
#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

struct CarriedFiles {
  // Reduces a complete record, whose keys are without `prefix` or without `runs`. Joins neighbors
  // until there are about `most_files`, and shortens keys.
  void MakeSmall(size_t most_files);

  // Returns the grid of the files; there must be at least one.
  std::shared_ptr<const KeyPositions> MakeGrid() const;

  // Runs that are left out of the keys. If null, keys are whole, except for the prefix.
  std::shared_ptr<const SharedRuns> runs;
  std::string prefix;
  // Sorted by level and first key; keys have at most kMaxKeyBytes.
  std::vector<TreeFiles::File> files;
  size_t num_files = 0;  // number of files before joining
  bool is_told = false;
  bool knows_all = false;
  // True if files have places in the grid of the database's own process. Otherwise, in formats 1
  // and 2, the files define a grid, in which the samples' places are. An exposure belongs to a part
  // of this grid: the share of the samples' time in which the part had keys.
  bool has_places = false;
  std::vector<LookupSamples::Record> samples;
  std::vector<double> exposures;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_CARRIED_FILES_H_
