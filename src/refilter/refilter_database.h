// A closed database as `winnow refilter` finds it: live files with their ends, and the policy of
// each column family.

#ifndef WINNOW_SRC_REFILTER_REFILTER_DATABASE_H_
#define WINNOW_SRC_REFILTER_REFILTER_DATABASE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/database/manifest.h"
#include "src/database/tree_shape.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

struct RefilterFamily {
  std::string name;
  std::string policy;                     // options string; empty: filters stay as they are
  std::optional<PolicyOptions> winnow{};  // if that is Winnow's, with Winnow's filters
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> made{};  // of the options string
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options{};
  TreeShape shape{};
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table{};
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefixes{};  // null for none
  std::string remark{};                                                 // sentence
};

struct RefilterFile {
  uint64_t number = 0;  // before the run
  int level = 0;
  uint32_t family = 0;
  std::string folder;
  uint64_t bytes = 0;          // of the file
  uint64_t data_bytes = 0;     // of data blocks
  uint64_t keys = 0;           // entries but range deletions
  bool has_timestamps = true;  // in its keys, if the comparator has them

  std::string path() const;
};

struct RefilterDatabase {
  Manifest manifest;
  std::vector<std::string> folders;             // with its files and its WAL, its own first
  std::map<uint32_t, RefilterFamily> families;  // by number in the MANIFEST
  std::vector<RefilterFile> files;              // of these families, by number
  std::string identity;
  bool copies_all = false;
  std::vector<std::string> remarks;  // sentences
};

// A request for other filters.
struct RefilterRequest {
  std::string database;
  std::vector<std::string> folders;   // further ones with SST files
  std::string policy;                 // empty: that of each family's OPTIONS
  std::vector<std::string> families;  // names; empty: all
  std::optional<int> level;           // only files on this level get other filters
};

// Returns the error of what is refused; the sentence says why, and what to do.
absl::Status Refused(const std::string& why);

// Reads the database, whose LOCK the caller holds unless it is open: then compactions may remove
// files meanwhile. Refuses what can't be refiltered, by an error whose message is a sentence that
// says what to do.
absl::StatusOr<RefilterDatabase> ReadForRefilter(ROCKSDB_NAMESPACE::Env* env,
                                                 const RefilterRequest& request, bool is_open);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_REFILTER_REFILTER_DATABASE_H_
