// The files that advice is about: their properties, the trees that they form, and their places in
// these.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_

#include <rocksdb/comparator.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/database/tree_shape.h"
#include "src/policy_trial/trial_filter.h"
#include "src/sst/classify_block.h"
#include "src/sst/stored_filter.h"
#include "tools/winnow/advise/advice.h"

namespace winnow::inspect {

struct AdvisedFile {
  std::string database;  // database folder that was given; empty if the file itself was given
  std::string path;
  std::optional<int> level;  // nullopt if unknown
  std::string error;         // reason why the file can't be read, or have filters built; else empty

  // Members from here on are read from the file.
  std::string family;
  std::string comparator;
  uint64_t data_bytes = 0;  // total size of data blocks, by which compactions cut files
  uint64_t entries = 0;
  uint64_t keys = 0;            // keys in the filter; if not recorded, number of entries
  bool keys_are_known = false;  // the filter records its number of keys
  uint64_t filter_bytes = 0;    // size of filter blocks without range filters; 0 without a filter
  uint64_t range_bytes = 0;     // size of the range filters in filter blocks
  bool unread_filter = false;   // the filter is of a policy that this program does not know
  std::string policy;  // name of the filter's policy in the file's properties; may be empty
  // Bytes of each filter partition, or keys if they were counted; empty if the filter is not
  // partitioned.
  std::vector<uint64_t> partitions;
  std::string contents;   // "whole keys", "prefixes of rocksdb.FixedPrefix.8", ...
  std::string extractor;  // prefix extractor of the filter's prefixes; may be empty
  bool has_prefixes_only = false;
  StoredRange range;
  std::optional<BuiltFor> built_for;  // set for Winnow's filters
  double rate = 1;                    // expected false-positive rate of the filter
  double range_bits = 0;              // of the range filter; 0 without one

  bool is_sampled = false;  // all keys are read (ChooseSample)

  // Members set by PlaceFiles().
  TreePlace place;
  bool is_last = false;  // last file of its family in the order of a lookup

  // Serializes the members that ReadAdvisedFile() sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(error, family, comparator, data_bytes, entries, keys, keys_are_known, filter_bytes,
         range_bytes, unread_filter, policy, partitions, contents, extractor, has_prefixes_only,
         range, built_for, rate, range_bits);
  }
};

// Returns the file number, which is the file's name, or 0 for other names.
uint64_t NumberOf(const AdvisedFile& file);

// Returns true if the file is on the last level that has files, and that is not level 0.
bool IsOnLastLevel(const AdvisedFile& file);

// Returns true if RocksDB ignores the file's filter with optimize_filters_for_hits, by the rule of
// Version::IsFilterSkipped. The file may still have a filter, if it was written to another level
// and moved.
bool IsFilterSkipped(const AdvisedFile& file);

// Returns IsFilterSkipped(file) if the family's options have optimize_filters_for_hits, else false.
inline bool IsFilterSkipped(const AdvisedFile& file, const TreeShape& shape) {
  return !shape.last_level_has_filters && IsFilterSkipped(file);
}

// Returns a sentence for a file whose keys can't be read.
std::string CantReadKeys(const ROCKSDB_NAMESPACE::Status& status);

// Reads the file's properties and filter; sets `error` on failure. Leaves `database`, `path`,
// `level` and the place to the caller.
AdvisedFile ReadAdvisedFile(const std::string& path);

class FamilyCosts;  // advice_costs.h

// The files of one column family of a database, or files given by themselves that have one column
// family name and comparator.
struct AdvisedFamily {
  std::string database;
  std::string name;
  TreeShape shape;
  std::string shape_problem;  // clause that says why `shape` has default options; else empty
  // True if files tell the policy of `shape` (PolicyOfFiles), and the OPTIONS file has
  // `by_options`.
  bool is_policy_of_files = false;
  std::string by_options;
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  bool knows_levels = true;  // levels of all files are known

  // In the order of a lookup: by level; on level 0 by file number, newest first; on other levels by
  // key. Files without a level are treated as files of level 0.
  std::vector<AdvisedFile> files;

  uint64_t keys = 0;  // keys of all files

  // Costs of policies for this family; null until lookups are known.
  std::shared_ptr<FamilyCosts> costs;
};

// Groups the files, which have no error, into families, and sets their places.
std::vector<AdvisedFamily> PlaceFiles(std::vector<AdvisedFile> files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_
