// A record of files (tree_files.h) as it goes to a compaction worker: few files, with short keys
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
  // This has all files of a record with their own keys, behind `prefix` or without `runs`. Joins
  // neighbours until there are about `most_files`, and shortens keys.
  void MakeSmall(size_t most_files);

  // The grid of the files; there is at least one.
  std::shared_ptr<const KeyPositions> MakeGrid() const;

  // Keys are short: these runs are left out of them. Null: keys are whole, but for the prefix.
  std::shared_ptr<const SharedRuns> runs;
  std::string prefix;
  // By levels and first keys; of keys at most kMaxKeyBytes.
  std::vector<TreeFiles::File> files;
  size_t num_files = 0;  // that these are of
  bool is_told = false;
  bool knows_all = false;
  // The files have places in the grid of the database's own process. Else, in formats 1 and 2,
  // the files make a grid, of which the samples' places are. An exposure is of a part of that grid:
  // the share of the samples' time in which the part had keys.
  bool has_places = false;
  std::vector<LookupSamples::Record> samples;
  std::vector<double> exposures;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_CARRIED_FILES_H_
