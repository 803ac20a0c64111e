// Tree options from an OPTIONS file.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

struct LoadedOptions {
  std::string path;                // path of the file itself
  FileOptions options;             // options of the column family "default"
  std::vector<std::string> notes;  // sentences about ignored parts of the file
};

// Reads an OPTIONS file, written by RocksDB or by hand, or the latest one in a database's folder.
// Nothing named in the file is opened or written: its paths are ignored. Returns an error if the
// file cannot be read, or has a table format or comparator that the benchmark does not support.
absl::StatusOr<LoadedOptions> LoadTreeOptions(const std::string& path);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_FILE_H_
