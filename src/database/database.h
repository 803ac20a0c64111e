// Filters of the SST files of a database.

#ifndef WINNOW_SRC_DATABASE_DATABASE_H_
#define WINNOW_SRC_DATABASE_DATABASE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/database/read_tables.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {

struct DatabaseReport {
  std::vector<SstReport> files;  // sorted by level, with unknown levels last, then by path

  // Sentence on unknown levels, or on files of the tree that were not found. All other files were
  // read.
  std::optional<std::string> warning;

  // Remark that is no fault: levels were read with a stand-in for the database's comparator, or are
  // unknown without it; or the folder has SST files that are not in the tree. One or several
  // sentences, separated by semicolons.
  std::optional<std::string> remark;

  // Sentence that says why nothing could be read.
  std::optional<std::string> error;
};

// Reads all SST files of a database's folder, even while another process has the database open. If
// the folder has SST files but no readable database, their levels are unknown. Writes nothing.
// `table_folders` are further folders with SST files of the database (db_paths, cf_paths), in any
// order; their files are read only if they belong to the database, as far as the tree is known.
// `workers` is the number of reading processes, as for ReadTables(); 0 reads in this process.
DatabaseReport ReadDatabase(const std::string& path, const Progress& progress = nullptr,
                            const std::vector<std::string>& table_folders = {}, int workers = 0);

// Reads the files, levels and column families without the filters.
DatabaseReport ListDatabase(const std::string& path, const std::vector<std::string>& table_folders,
                            int workers);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_DATABASE_H_
