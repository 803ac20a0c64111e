// The rows of advice: what the policies of the shortlist take and let through, as built and asked.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_shortlist.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

struct AdviceRows {
  std::vector<AdviceRow> rows;        // "now" first, the others by what they take
  std::vector<AdviceTrial> measured;  // the trials, with their rows as measured
  uint64_t tried_files = 0;
  uint64_t tried_keys = 0;
  bool out_of_time = false;              // files that were to be tried were not
  std::map<size_t, std::string> errors;  // of files, by their places in AdviceReading::files
};

// Reads the keys of the files to try and builds the policies' filters, in processes of their own.
// Files that are not begun before the deadline are not tried, but for one.
AdviceRows TryAll(const AdviceReading& reading, const std::vector<AdviceTrial>& trials, int jobs,
                  std::chrono::steady_clock::time_point deadline, const AdviceProgress& progress);

// Sets the time that each row's policies take to build, which is measured here and now.
void TimeBuilds(const AdviceReading& reading, std::vector<AdviceRow>* rows);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
