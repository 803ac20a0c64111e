// Reports on the filters in SST files, which are read without the program of the database.
//
// Files are read by RocksDB's own reader, with a policy that captures the filter blocks. Nothing is
// written. All functions are thread-safe, even for one file.

#ifndef WINNOW_SRC_SST_SST_FILTERS_H_
#define WINNOW_SRC_SST_SST_FILTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"

namespace winnow::inspect {

// Name of Winnow's policy in the files' properties.
inline constexpr char kWinnowPolicy[] = "winnow.Filter";

// Report on a file.
struct SstReport {
  std::string path;              // path as given, or under the given folder
  std::optional<int> level;      // nullopt if unknown, or if the file is not in the database
  uint64_t place = 0;            // index among the files of its level, in key order from level 1 on
  std::string column_family;     // empty if unknown
  std::string database;          // folder of the database; empty for a file given by itself
  uint64_t file_bytes = 0;       // size of the file
  std::string comparator;        // name of the comparator
  uint64_t entries = 0;          // entries of the table, including deletions and merge operands
  uint64_t range_deletions = 0;  // range deletions among the entries, which are in no filter
  std::optional<FilterSummary> filter;  // nullopt if there is an error, or if filters are not read
  std::optional<std::string> error;     // sentence that says why the file could not be read

  // Serializes all members for src/workers/wire.h. Types of members have such a function, too.
  template <typename Code>
  void Fields(Code& code) {
    code(path, level, place, column_family, database, file_bytes, comparator, entries,
         range_deletions, filter, error);
  }
};

// Sums over the Bloom filters of all files.
struct BloomFiles {
  uint64_t files = 0;  // files with a Bloom filter in one block
  uint64_t partitions = 0;
  BloomBlocks all;
};
BloomFiles BloomsOf(const std::vector<SstReport>& files);

// Reads one SST file. Never fails: errors are in the report.
SstReport ReadSst(const std::string& path);

// Reads one SST file without its filter, which is faster.
SstReport ReadSstWithoutItsFilter(const std::string& path);

// Reads the filter blocks of a file as stored, with one block per partition, in order. The result
// is empty for a file without a filter that RocksDB's or Winnow's policies read. Sets *error to a
// sentence on failure, else to an empty string.
std::vector<std::string> ReadFilterBlocks(const std::string& path, std::string* error);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_SST_FILTERS_H_
