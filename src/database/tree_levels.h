// Which level of the tree each SST file of a database is on.

#ifndef WINNOW_SRC_DATABASE_TREE_LEVELS_H_
#define WINNOW_SRC_DATABASE_TREE_LEVELS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace winnow::inspect {

struct TreePosition {
  int level = 0;
  std::string column_family;
  uint64_t bytes = 0;     // as the MANIFEST says
  uint64_t place = 0;     // among the files of its level; from level 1 on in the order of keys
  int below = -1;         // as FileSpan of src/core/output_levels.h has it
  std::string not_found;  // why the file is in none of the folders, as a sentence; empty: it is

  template <typename Code>
  void Fields(Code& code) {
    code(level, column_family, bytes, place, below, not_found);
  }
};

struct TreeLevels {
  std::map<std::string, TreePosition> files;  // by path, lexically normal

  // The number that RocksDB gave to each column family, by its name.
  std::map<std::string, uint32_t> family_ids;

  // Why the files are not known, as a sentence; empty: they are.
  std::string problem;

  // A sentence about comparators that this program lacks; empty: there are none. The files may be
  // known all the same, or else `problem` is empty and this says so: it is no fault of the
  // database.
  std::string remark;

  template <typename Code>
  void Fields(Code& code) {
    code(files, family_ids, problem, remark);
  }
};

// Opens the database for reading, with all its column families, and lists the files. The files are
// not needed for it and may be damaged. Writes nothing and takes no lock: also for a database that
// another process has open. comparators: the name of each column family's comparator, as the table
// files' properties have it; for a family that is missing the saved OPTIONS file is asked. folders:
// where else the database has SST files.
//
// Where a comparator is missing, a forked process opens the database with a stand-in (AskChild says
// what that needs).
TreeLevels ReadTreeLevels(const std::string& database,
                          const std::map<std::string, std::string>& comparators,
                          const std::vector<std::string>& folders);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TREE_LEVELS_H_
