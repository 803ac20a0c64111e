// Arguments of the verbs that read SST files one by one: which files, and how many at once.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_

#include <set>
#include <string>
#include <vector>

#include "src/database/table_list.h"
#include "tools/winnow/cli/flags.h"

namespace winnow::tools {

extern const Flag kJobsFlag;
extern const Flag kPathFlag;
extern const Flag kFamilyFlag;

// Every folder that was named by --path=FOLDER, each once.
std::vector<std::string> TableFolders();

// The names of --cf, each mention as it is: for inspect::FamiliesNamed; empty: all.
std::vector<std::string> FamiliesOfFlags();

struct Tables {
  std::vector<inspect::ListedTable> tables;  // each file once, in the order of the paths
  std::vector<std::string> warnings;         // sentences for stderr
  bool trees_read = true;                    // every database could be read
};

// The tables of paths as inspect::ExpandPaths takes them, with the folders that --path names.
Tables TablesOf(const std::vector<std::string>& paths);

// The column families of files whose family is known.
std::set<std::string> KnownFamilies(const std::vector<inspect::ListedTable>& tables);

// Returns whether the file's family is known, and one that --cf does not name; `names` are all.
bool IsOfOtherFamily(const inspect::ListedTable& table, const std::set<std::string>& names);

// Those of TablesOf, without files of a column family that --cf does not name. That of the others
// is known where they can be read, also of those that were given themselves. Where no file is of a
// family that --cf names, *problem is a sentence.
Tables TablesOfFamilies(const std::vector<std::string>& paths, std::string* problem);

// Returns whether some of these files are known to be of several column families, so that each says
// its own.
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

// Returns whether an argument, which may be something else, is such a path: exists or matches.
bool IsPathArgument(const std::string& argument);

// How many files to read at once, as --jobs says.
int Jobs();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_ARGUMENTS_H_
