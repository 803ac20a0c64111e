// Finds a key's entries in the files of a database, and their filters' answers for it.

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
      false;  // an entry of the key: a value, an operand or, by sequence numbers, a tombstone
  std::vector<std::string> blocks;  // filter, or filters of the partitions
  std::string kind;                 // see inspect::FilterSummary
  bool is_denied = false;           // rejected by every block that RocksDB uses, with a new hash
};

// Returns the live files of a column family whose range includes the key. Filters are checked for
// the prefix, or for the whole key if the prefix is empty.
std::vector<FileAndKey> FilesWithKey(const ReadOnlyDatabase& database, size_t family,
                                     const std::string& key, const std::string& prefix,
                                     const Settings& settings);

// Returns whether the filter's bytes reject the key.
bool BlockDenies(const std::string& block, const std::string& filter_key);

// Returns a description: "file 000012.sst, level 1, winnow-bloom in 4 partitions, ...".
std::string ToString(const FileAndKey& file);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_FILE_FILTERS_H_
