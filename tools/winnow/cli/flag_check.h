// Flags on the command line, checked before Abseil reads them.

#ifndef WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_
#define WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_

#include <absl/strings/string_view.h>

#include <string>
#include <vector>

#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// Returns whether the verb's flag has been given another value than it has without being given.
bool IsSet(const Verb& verb, absl::string_view name);

// The verb's arguments with its flags by the names that Abseil knows them by, and whole numbers, as
// 1e6, in digits.
std::vector<std::string> ForAbseil(const Verb& verb, std::vector<std::string> arguments);

// Returns what is wrong with the flags among the arguments of a verb; null: of no verb. Empty if
// each is one of the verb's and has a value that it can have. What comes behind "--" is no flag.
// Abseil ends the program with 1 on a flag that it does not know, and knows more flags than the
// verbs have.
std::string CheckFlags(const Verb* verb, const std::vector<std::string>& arguments);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_FLAG_CHECK_H_
