// Paths and column families that a user names. Expands the paths: SST files, databases, patterns,
// folders of databases.

#ifndef WINNOW_SRC_DATABASE_TABLE_PATHS_H_
#define WINNOW_SRC_DATABASE_TABLE_PATHS_H_

#include <set>
#include <string>
#include <vector>

namespace winnow::inspect {

// A path that is taken for an SST file, or a folder for ReadDatabase().
struct TablePath {
  std::string path;
  bool is_folder = false;
  std::string error;  // sentence that says why there is nothing to read; empty if not checked
};

// Returns the paths in order, without duplicates under other names:
//   - A name that exists, even as a dangling symbolic link, stands for itself.
//   - Another name with *, ? or [ is a pattern of glob(3), which was quoted in the shell; it stands
//     for all matches, sorted. A pattern without matches is an error, and so is each folder that
//     can't be listed for the pattern.
//   - A folder without a database stands for itself, if it has SST files, and for databases and
//     folders of SST files in its subfolders, sorted; and for subfolders that can't be listed,
//     which ReadDatabase() reports. Symbolic links are not followed. Databases are not searched,
//     nor folders deeper than kDeepestDatabase. Folders of backups that have a MANIFEST without SST
//     files are left out.
std::vector<TablePath> ExpandPaths(const std::vector<std::string>& names);

inline constexpr int kDeepestDatabase = 5;

// Returns true if the name is an existing path, or a pattern that has a match.
bool NamesPath(const std::string& name);

// Returns the families named by `texts`, each of which is one of `names`, or else a comma-separated
// list. Listed names need not exist.
std::vector<std::string> FamiliesNamed(const std::vector<std::string>& texts,
                                       const std::set<std::string>& names);

// Resolves symbolic links, "." and ".."; two names of one file have one result. Paths that don't
// exist are returned unchanged. Caches the last folder, so that files of one folder are fast. Not
// thread-safe.
class RealPaths {
 public:
  std::string Of(const std::string& path);

 private:
  std::string last_folder_;  // folder as given
  std::string last_real_;    // resolved folder
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_PATHS_H_
