// Which files of a program have a RocksDB in them, and how Winnow comes to each.

#ifndef WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_
#define WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// A program, or a library that it is linked with, that has the code of a RocksDB.
struct CarriedRocksDB {
  std::string file;
  std::string version;  // MAJOR.MINOR; empty where it is known only when the program runs
  std::string way;      // by which Winnow reaches it, as words; empty: it does not
  std::string problem;  // why not, and which other way does: a sentence; empty: none
};

// Looks at the program's file and, by the dynamic loader's list, at the libraries that it is linked
// with, in this environment. `preload_library` is the library that is preloaded. What the program
// opens or unpacks while it runs is not seen. Runs nothing of the program.
std::vector<CarriedRocksDB> FindCarriedRocksDBs(const std::string& program,
                                                const std::string& preload_library);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_
