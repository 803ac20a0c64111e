// Filters that lie elsewhere in a tree than where they were made for, beside those that the policy
// in force would build there.

#ifndef WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_
#define WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "src/database/tree_shape.h"
#include "src/rocksdb/trees/moved_files.h"
#include "src/sst/classify_block.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// A file whose filter could be read, or that has none.
struct FileInTree : plugin::FileInTree {
  double rate = 1;  // 1: it has no filter, or one that is not read
  std::optional<BuiltFor> built_for;
  bool lacks_planned = false;  // it has none, though Winnow's policy was asked for it
};

// Unset where the level is not known or nothing was read of the filter.
std::optional<FileInTree> InTree(const SstReport& file);

// Returns what ToSentences of src/core/moved_filters.h says of all files of one column family;
// nothing where the policy in force is not Winnow's, or has filter_memory, which sizes filters by
// what the others take.
std::vector<std::string> SayMovedFilters(const TreeShape& shape,
                                         const std::vector<FileInTree>& files,
                                         const std::string& where);

// The same of these families, or of all if there are none, of all databases among the files. Their
// OPTIONS files are read for it where it may matter.
std::vector<std::string> SayMovedFilters(const std::vector<SstReport>& files,
                                         const std::vector<std::string>& families);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_MOVED_FILES_H_
