// What `winnow advise` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVISE_TABLE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVISE_TABLE_H_

#include <string>

#include "tools/winnow/advise/advice_types.h"

namespace winnow::tools {

// What there is, a row for each policy that was tried, with all_candidates one for each that was
// worked out, the split of the budget, the recommendation, and what files can't tell. Ends with a
// newline.
std::string AdviseText(const inspect::Advice& advice, bool all_candidates);

// "building filters: 3 of 12 files, 41 %, 12 s left": of a step that began so many seconds ago.
std::string AdviseProgressText(const inspect::AdviceStep& step, double seconds);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVISE_TABLE_H_
