// Filters that were not made for their place in the tree, beside those that the policy would build
// there; and what a listener says of them.

#ifndef WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/core/moved_filters.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A file where it lies, and what its filter takes.
struct FileInTree {
  int level = 0;
  int below = -1;  // as PlannedWhereItLies has it
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
};

// The file's filter, of which is not said yet whether it is moved and at which rate, and what the
// policy would build there. `levels` as BuildFacts.
core::PlacedFilter PlaceFilter(const PolicyOptions& policy, const KnownTree& tree, int levels,
                               const FileInTree& file);

// Facts that a listener knows of one.
struct WatchedFile : FileInTree {
  std::string first;  // user keys, in the order of bytes
  std::string last;
  bool is_ours = false;            // Winnow's policy was asked for the filter
  bool is_from_elsewhere = false;  // written by SstFileWriter, or in another database
};

// Returns what ToSentences of src/core/moved_filters.h says of all files of a column family; empty
// where nothing matters, where the policy has no plan, and with filter_memory, which sizes filters
// by what others take. Filters with the rate of bits_per_key, as those of SstFileWriter, count as
// they should be. by_options: as KnownTrees::ByOptions. What lies below the files is found here.
std::string MovedFilesLine(const PolicyOptions& policy, const KnownTree& by_options,
                           const std::string& family, std::vector<WatchedFile> files);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_
