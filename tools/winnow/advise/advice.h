// Advice on existing files: memory and false reads under other filter policies.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_

#include <string>
#include <vector>

#include "src/database/table_list.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// Reads the files in several worker processes. Sets *problem to a sentence if no advice is
// possible; the result is then unusable.
Advice Advise(const std::vector<ListedTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem);

// Removes the recommendation, for advice that lacks unreadable or missing files.
void TakeBackVerdict(Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
