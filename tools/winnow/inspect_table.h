// The table that `winnow inspect` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_TABLE_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_TABLE_H_

#include <cstddef>
#include <string>

#include "src/inspect/inspect_report.h"

namespace winnow::tools {

// The sums by column family where there are several, by level where that is known, and by kind; the
// share of the entries that have Winnow's filters; advice; a row for each file that is listed; then
// faults and errors as sentences. Lines of tables and texts have at most `width` characters where
// that is possible; 0: any number. Ends with a newline.
std::string InspectTable(const inspect::InspectReport& report, size_t width);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_TABLE_H_
