// Copies a static RocksDB library and replaces, in the copy, the functions that give a program a
// built-in filter policy by Winnow's.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow::inspect {

struct Adoption {
  // Error message if there is no copy: sentences that say what was expected, what was found, and
  // what to do. Empty on success.
  std::string problem;
  // True if the archive is unsuitable; false if a file could not be read or written, or a command
  // failed.
  bool is_refused = false;

  std::string rocksdb;               // the archive's version, as "7.8.3"; empty with many problems
  std::vector<std::string> changed;  // object files in which functions were renamed
  // Mangled names of the renamed functions: old name, new name.
  std::vector<std::pair<std::string, std::string>> renamed;
  // True if Winnow's functions see all calls of SetOptions, so that policies can be added.
  bool adds_policies = false;
  size_t objects_added = 0;
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
  // Libraries that a program must link besides the archive, by their linker names: "zstd".
  std::vector<std::string> libraries;
};

// Makes the copy in a temporary file, which gets the name `output` when complete. `archive` is not
// modified.
Adoption Adopt(const std::string& archive, const std::string& output);

// Returns the text of the copy's pkg-config file. `archive` is the original, near which RocksDB's
// headers are searched for.
std::string PackageText(const Adoption& adoption, const std::string& archive,
                        const std::string& output);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_
