// A record of files (tree_files.h) in the form in which it goes to another process: with few files
// and short keys, and with samples whose places are relative to these files.

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
  // neighbours until there are about `most_files`, and shortens keys. The samples' places are of
  // `grid`, which is null without samples; `seen`: how many lookups had been sampled.
  void MakeSmall(size_t most_files, const KeyPositions* grid, double seen);

  // The grid that the other process makes of the files. The samples' places are of this grid.
  std::shared_ptr<const KeyPositions> MakeGrid() const;

  // Keys are short: these runs are left out of them. Null: keys are whole, but for the prefix.
  std::shared_ptr<const SharedRuns> runs;
  std::string prefix;
  // By levels and first keys; of keys at most kMaxKeyBytes. `written` is counted back from now, and
  // so not positive.
  std::vector<TreeFiles::File> files;
  size_t num_files = 0;  // that these are of
  TreeFiles::AllLives lives{};
  double written = 0;         // keys
  double keys_that_stay = 0;  // as in Sums; for workers of 1.0 and 1.1
  double bytes_that_stay = 0;
  bool is_told = false;
  bool knows_all = false;
  // Places are of the grid of these files. An exposure is of a part of that grid: the share of the
  // samples' time in which the part had keys.
  std::vector<LookupSamples::Record> samples;
  std::vector<double> exposures;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_CARRIED_FILES_H_
