// The documents of `winnow policy --json`, but for what it says of files.

#ifndef WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_
#define WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_

#include <string>

#include "src/policy_trial/options_file.h"
#include "src/policy_trial/policy_check.h"

namespace winnow::inspect {

// Documents of schema winnow.policy/1: of one policy, and of an options file.
std::string PolicyJson(const PolicyVerdict& verdict);
std::string OptionsFileJson(const OptionsFileReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_
