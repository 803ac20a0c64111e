// The options of a tree from an OPTIONS file.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

struct LoadedOptions {
  std::string path;                // of the file itself
  FileOptions options;             // of the column family "default"
  std::vector<std::string> notes;  // what of the file is not followed, in sentences
};

// Reads a file as RocksDB or a person writes it; of a database's folder, its latest. Nothing that
// the file names is opened or written to: its paths are left out. An error for a file that can't be
// read, or whose tables or order of keys are not those that are measured here.
absl::StatusOr<LoadedOptions> LoadTreeOptions(const std::string& path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_
