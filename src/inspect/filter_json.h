// The JSON documents of the command line tool.

#ifndef WINNOW_SRC_INSPECT_FILTER_JSON_H_
#define WINNOW_SRC_INSPECT_FILTER_JSON_H_

#include <string>
#include <vector>

#include "src/inspect/inspect_report.h"
#include "src/inspect/options_file.h"
#include "src/inspect/policy_check.h"
#include "src/inspect/sst_filters.h"

namespace winnow::inspect {

// A document of schema winnow.inspect/1; InspectJsonFields says what is in it. Bytes of paths that
// are not UTF-8 are replaced, and such paths are there as hexadecimal digits as well.
std::string InspectJson(const InspectReport& report);

// Documents of schema winnow.policy/1: of one policy, and of an options file.
std::string PolicyJson(const PolicyVerdict& verdict);
std::string OptionsFileJson(const OptionsFileReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_FILTER_JSON_H_
