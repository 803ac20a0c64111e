// What `winnow inspect` found as comma-separated values.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_CSV_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_CSV_H_

#include <string>

#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {

// As RFC 4180 says: a line of names, then one for each file that is listed, all ended by CR LF.
// What is not known, or is no part of a kind of filter, is empty. Names are the bytes that they
// are.
std::string InspectCsv(const InspectReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_CSV_H_
