// Advice for operators on the filters in a database's files.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_

#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Returns sentences that say what was found and what to do, the most serious first.
std::vector<std::string> HintsOn(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_
