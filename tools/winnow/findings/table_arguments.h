// Arguments of the verbs that read SST files one by one: the files, and the number of workers.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_

#include <set>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/database/table_list.h"

namespace winnow::cli {

extern const Flag kJobsFlag;
extern const Flag kPathFlag;
extern const Flag kFamilyFlag;

}  // namespace winnow::cli

namespace winnow::tools {

// Returns the folders named by --path=FOLDER, without duplicates.
std::vector<std::string> TableFolders();

// Returns the values of --cf for inspect::FamiliesNamed; empty: all families.
std::vector<std::string> FamiliesOfFlags();

struct Tables {
  std::vector<inspect::ListedTable> tables;  // without duplicates, in the order of the paths
  std::vector<std::string> warnings;         // sentences for stderr
  bool trees_read = true;                    // false if some database could not be read
};

// Lists the tables of paths, which inspect::ExpandPaths expands, with the folders of --path.
Tables TablesOf(const std::vector<std::string>& paths);

// Returns the column families of files whose family is known.
std::set<std::string> KnownFamilies(const std::vector<inspect::ListedTable>& tables);

// Returns true if the file's family is known and not selected by --cf. `names` are all families.
bool IsOfOtherFamily(const inspect::ListedTable& table, const std::set<std::string>& names);

// Lists the tables of paths as TablesOf() does, without files of column families that --cf does not
// select. Reads the families of files outside of databases from the files. Sets *problem to a
// sentence if a family of --cf has no file.
Tables TablesOfFamilies(const std::vector<std::string>& paths, std::string* problem);

// Returns true if the files are known to belong to more than one column family, so that each should
// be shown with its own.
template <typename File>
bool OfSeveralFamilies(const std::vector<File>& files) {
  std::string first;
  for (const File& file : files) {
    first = first.empty() ? file.column_family : first;
    if (!file.column_family.empty() && file.column_family != first) {
      return true;
    }
  }
  return false;
}

// Returns true if the argument is an existing path or a pattern that matches one.
bool IsPathArgument(const std::string& argument);

// Returns the number of files to read at once, which --jobs sets.
int Jobs();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_
