// Keys given by arguments and by --keys, in hexadecimal digits with --hex.

#ifndef WINNOW_TOOLS_WINNOW_CLI_KEYS_H_
#define WINNOW_TOOLS_WINNOW_CLI_KEYS_H_

#include <absl/functional/function_ref.h>
#include <absl/strings/string_view.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/flags.h"

ABSL_DECLARE_FLAG(bool, hex);
ABSL_DECLARE_FLAG(std::string, keys);

namespace winnow::cli {

extern const Flag kHexFlag;
extern const Flag kKeysFlag;

}  // namespace winnow::cli

namespace winnow::tools {

// Returns the bytes of a key that is given as an argument. Sets *problem to a sentence if the text
// is invalid.
std::string KeyOfArgument(const std::string& text, std::string* problem);

using VisitKey = absl::FunctionRef<void(std::string_view)>;

// Calls `visit` for every key of the list; the path "-" is standard input. Adds a warning about
// parts of the list that have no key. Returns an empty string, or a sentence that names the list
// and its fault; keys before the fault were visited.
//
// A RocksDB trace is read by the reader that AddTraceReader() has set, which finds column families
// in `databases`; if there is none, the sentence says so.
std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases = {});

// Type of the reader of traces that VisitListedKeys calls.
using ReadTrace = std::string (*)(const std::string& path, VisitKey visit,
                                  std::vector<std::string>* warnings,
                                  const std::vector<std::string>& databases);
// Sets the reader of traces. Returns true, so that a constant can be initialized by the call before
// main().
bool AddTraceReader(ReadTrace read);

// Returns the key as printable text with its bytes in hexadecimal digits: "abc (0x616263)".
std::string KeyName(std::string_view key);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_KEYS_H_
