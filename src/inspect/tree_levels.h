// Which level of the tree each table file of a database is on.

#ifndef WINNOW_SRC_INSPECT_TREE_LEVELS_H_
#define WINNOW_SRC_INSPECT_TREE_LEVELS_H_

#include <map>
#include <string>

namespace winnow::inspect {

struct TreePosition {
  int level = 0;
  std::string column_family;
};

struct TreeLevels {
  std::map<std::string, TreePosition> files;  // by path, lexically normal
  std::string problem;                        // why they are not known, as a sentence; else empty
};

// Opens the database for reading, with all its column families, and lists the files. The files are
// not needed for it and may be damaged. Writes nothing and takes no lock: also for a database that
// another process has open. comparators: the name of each column family's comparator, as the table
// files' properties have it; for a family that is missing the saved OPTIONS file is asked.
TreeLevels ReadTreeLevels(const std::string& database,
                          const std::map<std::string, std::string>& comparators);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_TREE_LEVELS_H_
