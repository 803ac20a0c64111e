// Filters that are at another place in a tree than the one they were built for, compared with those
// that the policy in force would build there.

#ifndef WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_
#define WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/database/tree_shape.h"
#include "src/sst/classify_block.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// A file whose filter could be read, or that has none.
struct FileInTree {
  int level = 0;
  int below = -1;  // the first level below with keys in its range; -1 if there is none
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  double rate = 1;  // 1 if it has no filter, or an unreadable one
  std::optional<BuiltFor> built_for;
  bool lacks_planned = false;  // true if Winnow's policy built no filter for it
};

// Returns nullopt if the level is not known or the filter could not be read.
std::optional<FileInTree> InTree(const SstReport& file);

// Returns ToSentences of moved_filters.h for all files of one column family; empty if the
// policy in force is not Winnow's, or has filter_memory, where sizes depend on other filters.
std::vector<std::string> SayMovedFilters(const TreeShape& shape,
                                         const std::vector<FileInTree>& files,
                                         const std::string& where);

// Returns the sentences for these families, or for all if `families` is empty, in all databases of
// `files`. Reads the OPTIONS files of databases where they may matter.
std::vector<std::string> SayMovedFilters(const std::vector<SstReport>& files,
                                         const std::vector<std::string>& families);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_
