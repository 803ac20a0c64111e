// The documents of `winnow policy --json`, but for what it says of files.

#ifndef WINNOW_SRC_INSPECT_POLICY_JSON_H_
#define WINNOW_SRC_INSPECT_POLICY_JSON_H_

#include <string>

#include "src/inspect/options_file.h"
#include "src/inspect/policy_check.h"

namespace winnow::inspect {

// Documents of schema winnow.policy/1: of one policy, and of an options file.
std::string PolicyJson(const PolicyVerdict& verdict);
std::string OptionsFileJson(const OptionsFileReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_POLICY_JSON_H_
