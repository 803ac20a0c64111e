// Lists of keys that may be RocksDB traces, for verbs that use more than the keys.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_

#include <absl/functional/function_ref.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/database/lookup_trace.h"
#include "tools/winnow/cli/keys.h"

namespace winnow::tools {

// Visits the keys of a list or trace. A trace's lookups are visited in order of time, for the
// column family of --cf or else the default one. Traces have column families by ID: the ID of
// another family is looked up in the first of the paths that is a database with the family. With
// visit_seek, seeks of a trace are visited, too, and the trace need not have lookups.
std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases,
                            const inspect::VisitSeek& visit_seek);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_TRACED_KEYS_H_
