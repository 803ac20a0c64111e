// The JSON documents of the command line tool.

#ifndef WINNOW_SRC_INSPECT_FILTER_JSON_H_
#define WINNOW_SRC_INSPECT_FILTER_JSON_H_

#include <string>
#include <vector>

#include "src/inspect/options_file.h"
#include "src/inspect/policy_check.h"
#include "src/inspect/sst_filters.h"

namespace winnow::inspect {

// A document of schema winnow.inspect/1. Bytes of paths that are not UTF-8 are replaced. `warnings`
// are sentences about the whole, such as levels that are unknown.
std::string InspectJson(const std::vector<SstReport>& files,
                        const std::vector<std::string>& warnings);

// Documents of schema winnow.policy/1: of one policy, and of an options file.
std::string PolicyJson(const PolicyVerdict& verdict);
std::string OptionsFileJson(const OptionsFileReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_FILTER_JSON_H_
