// Which filters the SST files of a database have.

#ifndef WINNOW_SRC_DATABASE_DATABASE_H_
#define WINNOW_SRC_DATABASE_DATABASE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/database/read_tables.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {

struct DatabaseReport {
  std::vector<SstReport> files;  // by level, the unknown ones last, then by path

  // Why levels are unknown, or files that the database knows were not found; a sentence. The files
  // were read nevertheless.
  std::optional<std::string> warning;

  // Remark to a person although nothing is wrong: that levels were read with a stand-in for the
  // database's comparator, or are unknown for want of it, or that the folder has SST files that are
  // not in its tree; a sentence, or several with semicolons.
  std::optional<std::string> remark;

  // Why nothing could be read.
  std::optional<std::string> error;
};

// Reads every SST file of a database folder, also while another process has the database open. A
// folder with SST files and without a readable database gives the files, with levels unknown.
// Nothing beside the files is written. table_folders: where else the database has SST files
// (db_paths, cf_paths), in any order; of their files only those are read that the database names,
// if that can be told. workers: how many processes read, as for ReadTables; 0: this one.
DatabaseReport ReadDatabase(const std::string& path, const Progress& progress = nullptr,
                            const std::vector<std::string>& table_folders = {}, int workers = 0);

// The same without filters: which files there are, their levels and column families.
DatabaseReport ListDatabase(const std::string& path, const std::vector<std::string>& table_folders,
                            int workers);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_DATABASE_H_
