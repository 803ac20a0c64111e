// The rows of advice: what the policies of the shortlist take and let through, as built and asked.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// Measures the rows that ListTrials set: reads the keys of the files to try and builds the
// policies' filters, in processes of their own. Files that are not begun before the deadline are
// not tried, but for one. Then "now" is the first row, and the others are in the order of what they
// take. Returns the errors of files, by their places in AdviceReading::files.
std::map<size_t, std::string> TryAll(const AdviceReading& reading, int jobs,
                                     std::chrono::steady_clock::time_point deadline,
                                     const AdviceProgress& progress, Advice* advice);

// Sets the time that each row's policies take to build, which is measured here and now.
void TimeBuilds(const AdviceReading& reading, std::vector<AdviceRow>* rows);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
