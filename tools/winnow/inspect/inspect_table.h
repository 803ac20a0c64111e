// The table that `winnow inspect` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_TABLE_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_TABLE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>

#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::tools {

// The sums by column family where there are several, by level where that is known, and by kind;
// advice; the share of the entries that have Winnow's filters, in one line; a row for each of the
// first files, at most `rows`; then faults as sentences. Why a file could not be read is for others
// to say. Lines of tables and texts have at most `width` characters where that is possible; 0: any
// number. about_others: follows "5 files are not listed" in a line of its own; empty: there is no
// such line. Ends with a newline.
std::string InspectTable(const inspect::InspectReport& report, size_t width, size_t rows,
                         absl::string_view about_others);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_TABLE_H_
