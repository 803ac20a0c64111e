// The SST files that a path means: itself, or those of a database or a folder.

#ifndef WINNOW_SRC_DATABASE_TABLE_LIST_H_
#define WINNOW_SRC_DATABASE_TABLE_LIST_H_

#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct ListedTable {
  std::string path;
  std::optional<int> level;          // unset: not known, or no part of a database
  std::optional<std::string> error;  // why it can't be read as the database's, as a sentence
  std::string column_family;         // empty: not known
};

// Which paths the names mean is for ExpandPaths to say.
struct TableList {
  std::vector<ListedTable> tables;    // a path that is no folder: that path
  std::vector<std::string> remarks;   // worth knowing, and no fault
  std::vector<std::string> warnings;  // what could not be read of a database, as sentences
};

// As ListDatabase reads a folder, with table_folders and at least one worker as there.
TableList ListTables(const std::string& path, const std::vector<std::string>& table_folders,
                     int workers);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_LIST_H_
