// Filters that were not made for their place in the tree, compared with those that the policy would
// build there, and the listener's report of them.

#ifndef WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/core/moved_filters.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A file at its place in the tree, with its filter's size.
struct FileInTree {
  int level = 0;
  int below = -1;  // see PlannedWhereItLies
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
};

// Returns the file's filter, without is_moved and rate, and the policy's plan for a filter there.
// `levels` is that of BuildFacts.
core::PlacedFilter PlaceFilter(const PolicyOptions& policy, const KnownTree& tree, int levels,
                               const FileInTree& file);

// A file as a listener knows it.
struct WatchedFile : FileInTree {
  std::string first;  // user keys, in bytewise order
  std::string last;
  bool is_ours = false;            // true if Winnow's policy was asked for the filter
  bool is_from_elsewhere = false;  // true if written by SstFileWriter or in another database
};

// Returns ToSentences of src/core/moved_filters.h for all files of a column family; empty if there
// is nothing to report, if the policy has no plan, and with filter_memory, where sizes depend on
// other filters. Filters with the rate of bits_per_key, such as those of SstFileWriter, count as
// right. `by_options` is from KnownTrees::ByOptions. Sets `below` of the files itself.
std::string MovedFilesLine(const PolicyOptions& policy, const KnownTree& by_options,
                           const std::string& family, std::vector<WatchedFile> files);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_MOVED_FILES_H_
