// Flags on the command line, checked before Abseil reads them.

#ifndef WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_
#define WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// Returns true if the current value of the verb's flag differs from its default.
bool IsSet(const Verb& verb, absl::string_view name);

// Returns the verb's arguments with its flags renamed to Abseil's names, and whole numbers such as
// 1e6 written in digits.
std::vector<std::string> ForAbseil(const Verb& verb, std::vector<std::string> arguments);

// Returns what is wrong with the flags among the arguments of a verb, or an empty string if each is
// a flag of the verb and has a valid value. `verb` is null if there is none. Arguments after "--"
// are not checked. Abseil would exit with 1 on an unknown flag, and would accept flags that no verb
// has.
std::string CheckFlags(const Verb* verb, const std::vector<std::string>& arguments);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_
