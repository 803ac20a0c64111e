// A copy of an archive of RocksDB in which Winnow's functions stand in the place of those by which
// a program gets a built-in filter policy.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow::inspect {

struct Adoption {
  // Why there is no copy: sentences, with what was expected, what was found, and what to do. Empty:
  // there is one.
  std::string problem;
  // The archive is one that can't be adopted; else something could not be read, run or written.
  bool is_refused = false;

  std::string rocksdb;               // the archive's version, as "7.8.3"; empty with many problems
  std::vector<std::string> changed;  // the object files in which functions got other names
  // Those functions for the linker, as they were and as they are now.
  std::vector<std::pair<std::string, std::string>> renamed;
  // True if Winnow's functions see all calls of SetOptions, so that policies can be added.
  bool adds_policies = false;
  size_t objects_added = 0;
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
  // Libraries that a program needs beside the archive, by their names for the linker: "zstd".
  std::vector<std::string> libraries;
};

// Makes the copy, in a new file that has the name `output` when it is whole. `archive` is only
// read.
Adoption Adopt(const std::string& archive, const std::string& output);

// The text of a file for pkg-config, which lies beside the copy. `archive` is the original, beside
// which RocksDB's headers are looked for.
std::string PackageText(const Adoption& adoption, const std::string& archive,
                        const std::string& output);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ADOPTION_H_
