// The table that `winnow inspect` prints for people.

#ifndef WINNOW_TOOLS_INSPECT_TABLE_H_
#define WINNOW_TOOLS_INSPECT_TABLE_H_

#include <string>
#include <vector>

#include "src/inspect/sst_filters.h"

namespace winnow::tools {

// A row for each file, then faults and errors as sentences, then sums by kind and, where levels are
// known, by level, and the share
// of the entries that have Winnow's filters. Ends with a newline.
std::string InspectTable(const std::vector<inspect::SstReport>& files);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_INSPECT_TABLE_H_
