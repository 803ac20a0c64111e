// Documents of `winnow policy --json`, except for the part about files.

#ifndef WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_
#define WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_

#include <string>

#include "src/policy_trial/policy_check.h"

namespace winnow::inspect {

// Returns a document of schema winnow.policy/2 on one policy, or on an OPTIONS file.
std::string PolicyJson(const PolicyVerdict& verdict);
std::string OptionsFileJson(const OptionsFileReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_POLICY_POLICY_JSON_H_
