// Expands the paths that a person names: SST files, databases, patterns, folders of databases.

#ifndef WINNOW_SRC_DATABASE_TABLE_PATHS_H_
#define WINNOW_SRC_DATABASE_TABLE_PATHS_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// An SST file, or what stands in its place; or a folder that ReadDatabase reads.
struct TablePath {
  std::string path;
  bool is_folder = false;
  std::string error;  // why there is nothing to read, as a sentence; empty: nobody has looked yet
};

// The paths in their order, each file and each folder once, by whatever name it is given again:
//   - a name that exists, a link that leads nowhere too, is itself;
//   - another one with *, ? or [ is a pattern as glob(3) has them, in quotes that kept it from the
//     shell, for all that match, sorted; one that nothing matches is an error, and so is each
//     folder that can't be listed for it;
//   - a folder without a database is itself, if SST files are in it, and the databases and
//     folders of SST files in it or in folders in it, sorted; and those that can't be listed, of
//     which ReadDatabase says so. Links are not followed there, nor is looked inside databases, or
//     further down than kDeepestDatabase. The MANIFESTs of backups, which lie apart from the table
//     files, are left out.
std::vector<TablePath> ExpandPaths(const std::vector<std::string>& names);

inline constexpr int kDeepestDatabase = 5;

// Returns whether the name is that of a file or folder, or a pattern that something matches.
bool NamesPath(const std::string& name);

// The path without links, "." and ".."; as it is where there is nothing. Two names of one file have
// the same. Remembers folders, so that the files of one are cheap. Not for several threads.
class RealPaths {
 public:
  std::string Of(const std::string& path);

 private:
  std::string last_folder_;  // as given
  std::string last_real_;    // what it is
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TABLE_PATHS_H_
