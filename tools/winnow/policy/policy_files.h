// Filters that a policy would build for existing SST files.

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
  std::optional<int> level;          // level of the file, if known
  std::optional<FilterSummary> now;  // the filter in the file
  PolicyTrial then;  // the filter that the policy builds for the file's keys, in one block
  std::optional<std::string> fault;  // sentence on damage of the filter in the file
  // Sentence that says why the file can't be read; then no other member but the path is set.
  std::optional<std::string> error;

  // Serializes all members but the path for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(level, now, then, fault, error);
  }
};

// Reads the file with ReadSst and builds a filter for as many keys as its filter has, or else as
// its table has entries; none if `is_on_last_level` of its database and this has no filters by the
// verdict's options. The level is `level`, else the file's own, else the last one.
FileUnderPolicy TryTable(const ListedTable& table, const std::optional<int>& level,
                         bool is_on_last_level, const PolicyVerdict& verdict);

// Returns the document of `winnow policy --json` with files.
std::string PolicyFilesJson(const PolicyVerdict& verdict, const std::vector<FileUnderPolicy>& files,
                            const std::vector<std::string>& warnings);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_POLICY_POLICY_FILES_H_
