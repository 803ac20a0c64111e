// Levels of a database's SST files.

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
  uint64_t bytes = 0;     // size from the MANIFEST
  uint64_t place = 0;     // index among the files of its level; in key order from level 1 on
  std::string not_found;  // sentence if the file is in none of the folders, else empty

  template <typename Code>
  void Fields(Code& code) {
    code(level, column_family, bytes, place, not_found);
  }
};

struct TreeLevels {
  std::map<std::string, TreePosition> files;  // keyed by lexically normal path

  // IDs of the column families, by name.
  std::map<std::string, uint32_t> family_ids;

  // Sentence that says why the files are unknown, or empty.
  std::string problem;

  // Sentence on comparators that this program does not have, or empty. The files may be known
  // nevertheless; if they are not, `problem` is empty, as the database has no fault.
  std::string remark;

  template <typename Code>
  void Fields(Code& code) {
    code(files, family_ids, problem, remark);
  }
};

// Opens the database with all its column families for reading, and lists the files. The SST files
// may be damaged or missing. Writes nothing and takes no lock, so another process may have the
// database open. `comparators` has the name of each column family's comparator, from properties of
// the SST files; for other families, the OPTIONS file is read. `folders` are further folders with
// SST files of the database.
//
// If a comparator is unknown, a forked process opens the database with a stand-in; AskChild()
// states the requirements.
TreeLevels ReadTreeLevels(const std::string& database,
                          const std::map<std::string, std::string>& comparators,
                          const std::vector<std::string>& folders);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TREE_LEVELS_H_
