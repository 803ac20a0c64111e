// The document of `winnow inspect --json`.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_JSON_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_JSON_H_

#include <string>

#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {

// A document of schema winnow.inspect/1. Bytes of paths that are not UTF-8 are replaced, and such
// paths are there as hexadecimal digits as well.
std::string InspectJson(const InspectReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_JSON_H_
