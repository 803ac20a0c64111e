// Finds what the files of a database hold of a key, and what their filters say about it.

#ifndef WINNOW_TESTS_STRESS_BLAME_FILE_FILTERS_H_
#define WINNOW_TESTS_STRESS_BLAME_FILE_FILTERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/stress/database.h"

namespace winnow::stress {

struct FileAndKey {
  std::string name;
  int level = 0;
  bool holds_key =
      false;  // an entry of it: a value, an operand or, by sequence numbers, a tombstone
  std::vector<std::string> blocks;  // its filter, or those of its partitions
  std::string kind;                 // as inspect::FilterSummary has it
  bool is_denied = false;           // by every block, if RocksDB asks them; with a hash of its own
};

// The live files of a family whose range has the key. Filters are asked for the prefix, or for the
// whole key if the prefix is empty.
std::vector<FileAndKey> FilesWithKey(const ReadOnlyDatabase& database, size_t family,
                                     const std::string& key, const std::string& prefix,
                                     const Settings& settings);

// Returns whether a filter denies it, by its bytes.
bool BlockDenies(const std::string& block, const std::string& filter_key);

// Describes an entry for people: "file 000012.sst, level 1, winnow-bloom in 4 partitions, ...".
std::string ToString(const FileAndKey& file);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_FILE_FILTERS_H_
