// Keys on a command line and in lists, as --hex and --keys say, for verbs that take them.

#ifndef WINNOW_TOOLS_WINNOW_CLI_KEYS_H_
#define WINNOW_TOOLS_WINNOW_CLI_KEYS_H_

#include <absl/functional/function_ref.h>
#include <absl/strings/string_view.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/winnow/cli/flags.h"

ABSL_DECLARE_FLAG(bool, hex);
ABSL_DECLARE_FLAG(std::string, keys);

namespace winnow::tools {

extern const Flag kHexFlag;
extern const Flag kKeysFlag;

// The bytes of a key that was given as an argument. Where that is none, *problem says so.
std::string KeyOfArgument(const std::string& text, std::string* problem);

using VisitKey = absl::FunctionRef<void(std::string_view)>;

// Calls visit for every key of the list; "-" is standard input. A warning says what of the list
// belongs to no key. Empty, or a sentence that names the list and its fault: visit was called for
// the keys before that.
//
// A trace of RocksDB's is read by the program's reader of traces, which looks for column families
// in the databases; the sentence says so where the program has none.
std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases = {});

// A reader of traces, as VisitListedKeys calls it.
using ReadTrace = std::string (*)(const std::string& path, VisitKey visit,
                                  std::vector<std::string>* warnings,
                                  const std::vector<std::string>& databases);
// True, so that a constant can have it: the reader is there before main().
bool AddTraceReader(ReadTrace read);

// A key as it is where it can be seen, and its bytes: "abc (0x616263)".
std::string KeyName(std::string_view key);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_KEYS_H_
