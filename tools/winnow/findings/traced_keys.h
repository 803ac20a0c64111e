// Lists that may be traces of RocksDB's, for verbs that take more than their keys.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_

#include <absl/functional/function_ref.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/database/lookup_trace.h"
#include "tools/winnow/cli/keys.h"

namespace winnow::tools {

// The list as for verbs that take the keys alone. A trace's lookups come in the order of time, of
// the column family that --cf names, or else of the default one. A trace has families by number:
// that of another family is found in the first of the paths that is a database with it. With
// visit_seek its seeks are visited, too, and it need not have lookups.
std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases,
                            const inspect::VisitSeek& visit_seek);

// Likewise of lookups. visit is told whether the key is one of the same MultiGet as the key before,
// as a trace has it. *may_read_one_by_one is that of TraceNotes.
std::string VisitListedLookups(const std::string& path,
                               absl::FunctionRef<void(std::string_view key, bool joins)> visit,
                               std::vector<std::string>* warnings,
                               const std::vector<std::string>& databases, bool* may_read_one_by_one,
                               const inspect::VisitSeek& visit_seek = nullptr);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_
