// Hints on what an operator could do about the filters that are in a database's files.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_

#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Sentences, each of which says what is so and what to do; the gravest first. Pure.
std::vector<std::string> HintsOn(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_HINTS_H_
