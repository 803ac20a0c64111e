// Keys on a command line and in lists, as --hex and --keys say, for verbs that take them.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_KEY_ARGUMENTS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_KEY_ARGUMENTS_H_

#include <absl/functional/function_ref.h>
#include <absl/strings/string_view.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/database/lookup_trace.h"
#include "tools/winnow/cli/flags.h"

ABSL_DECLARE_FLAG(bool, hex);
ABSL_DECLARE_FLAG(std::string, keys);

namespace winnow::tools {

extern const Flag kHexFlag;
extern const Flag kKeysFlag;

// The bytes of a key that was given as an argument. Where that is none, *problem says so.
std::string KeyOfArgument(const std::string& text, std::string* problem);

// Calls visit for every key of the list; "-" is standard input. A warning says what of the list
// belongs to no key. Empty, or a sentence that names the list and its fault: visit was called for
// the keys before that.
//
// A file that is a trace of RocksDB's is read as one: its lookups in the order of time, of the
// column family that --cf names, or else of the default one. A trace has families by number: that
// of another family is found in the first of the paths that is a database with it. With visit_seek
// its seeks are visited, too, and it need not have lookups.
std::string VisitListedKeys(const std::string& path,
                            absl::FunctionRef<void(std::string_view)> visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases = {},
                            const inspect::VisitSeek& visit_seek = nullptr);

// Likewise of lookups. visit is told whether the key is one of the same MultiGet as the key before,
// as a trace has it. *may_read_one_by_one is that of TraceNotes.
std::string VisitListedLookups(const std::string& path,
                               absl::FunctionRef<void(std::string_view key, bool joins)> visit,
                               std::vector<std::string>* warnings,
                               const std::vector<std::string>& databases, bool* may_read_one_by_one,
                               const inspect::VisitSeek& visit_seek = nullptr);

// A key as it is where it can be seen, and its bytes: "abc (0x616263)".
std::string KeyName(std::string_view key);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_KEY_ARGUMENTS_H_
