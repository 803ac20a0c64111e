// Which filter was built in an SST file: read from the files of a database, without its program.
//
// Files are read through RocksDB's own reader, with a policy that keeps the filter blocks it is
// given. Nothing is written, neither into the files nor beside them. Safe from several threads,
// also for the same files.

#ifndef WINNOW_SRC_SST_SST_FILTERS_H_
#define WINNOW_SRC_SST_SST_FILTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"

namespace winnow::inspect {

// The name of Winnow's policy in files' properties.
inline constexpr char kWinnowPolicy[] = "winnow.Filter";

// The row of a file.
struct SstReport {
  std::string path;                     // as given, or under the folder given
  std::optional<int> level;             // unset: not known, or the file is no part of the database
  uint64_t place = 0;                   // among files of its level: from 1 on in the order of keys
  int below = -1;                       // with a level: as FileSpan of src/core/output_levels.h
  std::string column_family;            // empty: not known
  std::string database;                 // the folder it was read from; empty: a file by itself
  uint64_t file_bytes = 0;              // its size
  std::string comparator;               // name of the comparator that orders the keys
  uint64_t entries = 0;                 // entries of the table, with deletions and merges
  uint64_t range_deletions = 0;         // of these entries, deletions of ranges: no filter has them
  std::optional<FilterSummary> filter;  // unset if error is set, or no filter was looked at
  std::optional<std::string> error;     // why the file could not be read: a sentence

  // All of them, for src/workers/wire.h; so in the types that this one has.
  template <typename Code>
  void Fields(Code& code) {
    code(path, level, place, below, column_family, database, file_bytes, comparator, entries,
         range_deletions, filter, error);
  }
};

// The Bloom filters of all files.
struct BloomFiles {
  uint64_t files = 0;  // with one filter, which is a Bloom filter
  uint64_t partitions = 0;
  BloomBlocks all;
};
BloomFiles BloomsOf(const std::vector<SstReport>& files);

// Reads one SST file. Never fails: what could not be read is said in the report.
SstReport ReadSst(const std::string& path);

// The same but for the filter, which is not looked at: cheaper by what the filter takes.
SstReport ReadSstWithoutItsFilter(const std::string& path);

// Reads the filter blocks of a file as they are stored, one by one for partitions, in their order.
// Empty for a file without a filter that RocksDB's or Winnow's policies read. On failure *error is
// a sentence, else it is empty.
std::vector<std::string> ReadFilterBlocks(const std::string& path, std::string* error);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_SST_FILTERS_H_
