// Filters that a policy would build for SST files that are there.

#ifndef WINNOW_TOOLS_WINNOW_POLICY_POLICY_FILES_H_
#define WINNOW_TOOLS_WINNOW_POLICY_POLICY_FILES_H_

#include <rocksdb/filter_policy.h>

#include <optional>
#include <string>
#include <vector>

#include "src/database/table_list.h"
#include "src/policy_trial/policy_check.h"

namespace winnow::inspect {

struct FileUnderPolicy {
  std::string path;
  std::optional<int> level;          // the file's, as far as it is known
  std::optional<FilterSummary> now;  // the filter that it has
  PolicyTrial then;                  // the one that the policy builds for its keys, in one block
  std::optional<std::string> fault;  // of the filter that it has, a sentence
  std::optional<std::string> error;  // why the file can't be read, as a sentence; then there is no
                                     // other than the path

  // All but the path, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(level, now, then, fault, error);
  }
};

// Builds the filter of a file with as many keys as this one's filter has, or its table has entries,
// for `level`, or else its own one, or else the last one. Reads the file as ReadSst does.
FileUnderPolicy TryTable(const ListedTable& table, const std::optional<int>& level,
                         const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// The document of `winnow policy --json` with files.
std::string PolicyFilesJson(const PolicyVerdict& verdict, const std::vector<FileUnderPolicy>& files,
                            const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_POLICY_POLICY_FILES_H_
