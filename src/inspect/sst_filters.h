// Which filter was built in a table file: read from the files of a database, without its program.
//
// Files are read through RocksDB's own reader, with a policy that keeps the filter blocks it is
// given. Nothing is written, neither into the files nor beside them. Safe from several threads,
// also for the same files.

#ifndef WINNOW_SRC_INSPECT_SST_FILTERS_H_
#define WINNOW_SRC_INSPECT_SST_FILTERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/inspect/filter_parameters.h"

namespace winnow::inspect {

// The values of FilterSummary::kind, as they are printed and written as JSON.
inline constexpr std::string_view kWinnowBloom = "winnow-bloom";
inline constexpr std::string_view kWinnowRibbon = "winnow-ribbon";
inline constexpr std::string_view kBuiltinBloom = "builtin-bloom";  // also RocksDB's legacy Bloom
inline constexpr std::string_view kBuiltinRibbon = "builtin-ribbon";
inline constexpr std::string_view kNoFilter = "none";
inline constexpr std::string_view kUnknown = "unknown";

// The Bloom filters among the blocks of a filter, or of many: Winnow's and RocksDB's, but for empty
// ones, those of unknown keys, and those that match everything.
struct BloomBlocks {
  uint64_t blocks = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t bytes_as_ribbons = 0;  // what Winnow's Ribbon filters of the same rates would take

  BloomBlocks& operator+=(const BloomBlocks& other);
};

// What a Winnow filter was built for, as it records it.
struct BuiltFor {
  int level = -1;            // that the file was written to; -1 unknown. It may have moved since.
  double target_fpr = 0;     // 0 to 1
  std::string level_plan;    // "uniform", "by_level", "auto", "unknown"
  double levels_below = -1;  // what the plan took for its place in the tree; -1 unknown
};

// "auto, 1.5 levels below"
std::string PlanText(const BuiltFor& built_for);

// One filter: of a file, of a partition, or the sum over a file's partitions.
struct FilterSummary {
  // One of the names above. A sum over partitions of several kinds of one family has the kind with
  // most keys; see kinds.
  std::string kind = std::string(kUnknown);

  // Hashes in the filter: keys, prefixes, or both. Exact for Winnow's filters; for RocksDB's, which
  // do not record it, the file's property or, where that is missing, an estimate from the file's
  // entries. 0 for a single built-in block, as nothing in it tells.
  uint64_t keys = 0;
  uint64_t bytes = 0;       // of the filter blocks, without the index over partitions
  double bits_per_key = 0;  // bytes * 8 / keys; 0 without keys

  // Share of absent keys for which the filter says "may contain", 0 to 1; over partitions the mean
  // by keys. 1 for kinds none and unknown. Unset when it can't be computed, as the keys are
  // unknown.
  std::optional<double> expected_fpr;

  // Number of filter blocks when the filter is partitioned; 0 for a filter of one block.
  int partitions = 0;

  BloomBlocks bloom;

  // The parameters, for people: "6 probes", "7.43 columns, 3 layers". May be empty.
  std::string detail;

  // Of Winnow's filters that are not damaged; of several partitions the first.
  std::optional<BuiltFor> built_for;

  // Name of the policy that built it, from the file's properties. Empty: not recorded.
  std::string policy_name;

  // A sentence if the filter is damaged or is not what its properties promise. RocksDB then reads
  // the file as if it had no filter, or gets wrong answers from it.
  std::optional<std::string> fault;

  // As the property filter_size says: for partitions with the index over them.
  uint64_t stored_bytes = 0;

  bool obsolete = false;  // of a form before RocksDB 7.0 that no later one reads

  // Of filters that are not damaged and whose form is known; of partitions the first one's.
  std::optional<FilterParameters> parameters;

  // Blocks by kind, when there are blocks: {"winnow-ribbon", 12}. In order of first appearance.
  std::vector<std::pair<std::string, int>> kinds;
};

// "6 probes, 20 blocks, 0.468 full, winnow format 1, XXH3, seed 0; for 0.957 % on level 2", of a
// filter whose parameters are known; else its detail.
std::string ParametersText(const FilterSummary& filter);

// What a file's row says.
struct SstReport {
  std::string path;                     // as given, or under the folder given
  std::optional<int> level;             // unset: not known, or the file is no part of the database
  std::string column_family;            // empty: not known
  std::string database;                 // the folder it was read from; empty: a file by itself
  uint64_t file_bytes = 0;              // its size
  std::string comparator;               // name of the comparator that orders the keys
  uint64_t entries = 0;                 // entries of the table, with deletions and merges
  uint64_t range_deletions = 0;         // of these entries, deletions of ranges: no filter has them
  std::optional<FilterSummary> filter;  // unset if error is set, or no filter was looked at
  std::optional<std::string> error;     // why the file could not be read: a sentence
};

// The Bloom filters of all files.
struct BloomFiles {
  uint64_t files = 0;  // with one filter, which is a Bloom filter
  uint64_t partitions = 0;
  BloomBlocks all;
};
BloomFiles BloomsOf(const std::vector<SstReport>& files);

// What one filter block is, judged by its bytes alone. Pure. Bytes that any of Winnow's marker,
// magic and checksum call Winnow's, but that can't be used: kind unknown with a fault. `keys` is
// the number of hashes that a built-in filter is taken to hold, as its bytes do not tell; 0 if not
// known, and then there is no expected rate for it. Ignored for Winnow's filters, which record it.
FilterSummary ClassifyBlock(std::string_view block, uint64_t keys);

// Reads one table file. Never fails: what could not be read is said in the report.
SstReport ReadSst(const std::string& path);

// The same but for the filter, which is not looked at: cheaper by what the filter takes.
SstReport ReadSstWithoutItsFilter(const std::string& path);

// Reads the filter blocks of a file as they are stored, one by one for partitions, in their order.
// Empty for a file without a filter that RocksDB's or Winnow's policies read. On failure *error is
// a sentence, else it is empty.
std::vector<std::string> ReadFilterBlocks(const std::string& path, std::string* error);

struct DatabaseReport {
  std::vector<SstReport> files;  // by level, the unknown ones last, then by path

  // Why levels are unknown, or files that the database knows were not found; a sentence. The files
  // were read nevertheless.
  std::optional<std::string> warning;

  // What a person should know of it although nothing is wrong: that levels were read with a
  // stand-in for the database's comparator, or are unknown for want of it, or that the folder has
  // table files that are not in its tree; a sentence, or several with semicolons.
  std::optional<std::string> remark;

  // Why nothing could be read.
  std::optional<std::string> error;
};

// Called between files: how many of how many are done.
using Progress = std::function<void(size_t done, size_t total)>;

// Reads every table file of a database folder, also while another process has the database open. A
// folder with table files and without a readable database gives the files, with levels unknown.
// Nothing beside the files is written. table_folders: where else the database has table files
// (db_paths, cf_paths), in any order; of their files only those are read that the database names,
// if that can be told. workers: how many processes read, as for ReadTables; 0: this one.
DatabaseReport ReadDatabase(const std::string& path, const Progress& progress = nullptr,
                            const std::vector<std::string>& table_folders = {}, int workers = 0);

// The same without filters: which files there are, their levels and column families.
DatabaseReport ListDatabase(const std::string& path, const std::vector<std::string>& table_folders,
                            int workers);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_SST_FILTERS_H_
