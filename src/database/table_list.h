// The SST files that a path stands for: the file itself, or the files of a database or folder.

#ifndef WINNOW_SRC_DATABASE_TABLE_LIST_H_
#define WINNOW_SRC_DATABASE_TABLE_LIST_H_

#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct ListedTable {
  std::string path;
  std::optional<int> level;  // nullopt if unknown, or if the file is in no database
  // Sentence that says why it can't be read as the database's file.
  std::optional<std::string> error;
  std::string column_family = {};  // empty if unknown
  std::string database = {};       // the folder that was listed; empty for a file by itself
};

// Result of ListTables(). ExpandPaths() determines the paths.
struct TableList {
  std::vector<ListedTable> tables;    // a path that is no folder is its only table
  std::vector<std::string> remarks;   // sentences that are no faults
  std::vector<std::string> warnings;  // sentences on parts of a database that could not be read
};

// Lists the files of a folder with ListDatabase(); `workers` must be at least 1.
TableList ListTables(const std::string& path, const std::vector<std::string>& table_folders,
                     int workers);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_LIST_H_
