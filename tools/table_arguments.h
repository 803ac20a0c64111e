// What the verbs that read table files one by one have in common: which files, and how many at
// once.

#ifndef WINNOW_TOOLS_TABLE_ARGUMENTS_H_
#define WINNOW_TOOLS_TABLE_ARGUMENTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/inspect/table_list.h"

namespace winnow::tools {

struct Tables {
  std::vector<inspect::ListedTable> tables;  // each file once, in the order of the paths
  std::vector<std::string> warnings;         // sentences for stderr
  bool trees_read = true;                    // every database could be read
};

// Of paths of table files and folders, with the folders that --path names.
Tables TablesOf(const std::vector<std::string>& paths);

// Parts of DropDeletedMeanwhile.
bool IsDeletedMeanwhile(const inspect::ListedTable& table);
void WarnOfDeleted(size_t files, Tables* tables);

// A database in use replaces its files while we read. Takes those of a folder away that were there
// when it was listed, are gone now, and could not be read; a warning says how many. There is a
// result for each table, with an `error`.
template <typename Result>
void DropDeletedMeanwhile(Tables* tables, std::vector<Result>* results) {
  std::vector<inspect::ListedTable> left;
  std::vector<Result> results_left;
  for (size_t i = 0; i < tables->tables.size(); ++i) {
    if ((*results)[i].error && IsDeletedMeanwhile(tables->tables[i])) {
      continue;
    }
    left.push_back(std::move(tables->tables[i]));
    results_left.push_back(std::move((*results)[i]));
  }
  WarnOfDeleted(tables->tables.size() - left.size(), tables);
  tables->tables = std::move(left);
  *results = std::move(results_left);
}

// How many files to read at once, as --jobs says. Where that is wrong, *problem says what is right.
int Jobs(std::string* problem);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_TABLE_ARGUMENTS_H_
