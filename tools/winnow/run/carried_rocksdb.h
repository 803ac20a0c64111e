// Files of a program that contain a RocksDB, and the way in which Winnow reaches each.

#ifndef WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_
#define WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// A program, or a library that it is linked with, that contains the code of RocksDB.
struct CarriedRocksDB {
  std::string file;
  std::string version;  // MAJOR.MINOR; empty if it is known only at run time
  std::string way;      // words on the way in which Winnow reaches it; empty if there is none
  std::string problem;  // sentence that says why not, and what works instead; may be empty
};

// Checks the program's file and the libraries that the dynamic loader lists for it in this
// environment. `preload_library` is the library that is preloaded. Libraries that the program opens
// or unpacks at run time are not found. Runs no code of the program.
std::vector<CarriedRocksDB> FindCarriedRocksDBs(const std::string& program,
                                                const std::string& preload_library);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_CARRIED_ROCKSDB_H_
