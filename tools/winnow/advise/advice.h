// Advice on existing files: memory and false reads under other filter policies, and reads of
// lookups through a block cache of a given size, with the files' filters and with others.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_types.h"
#include "tools/winnow/advise/cache_rows.h"

namespace winnow::inspect {

// Reads the files in several worker processes. Sets *problem to a sentence if no advice is
// possible; the result is then unusable.
Advice Advise(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem);

// Removes the recommendation, for advice that lacks unreadable or missing files.
void TakeBackVerdict(Advice* advice);
void TakeBackVerdict(CacheAdvice* advice);

// Reads the files and simulates the lookups in worker processes. Sets *problem to a sentence if no
// advice is possible; the result is then unusable.
CacheAdvice AdviseOnCache(const std::vector<AdviceTable>& tables, const CacheAdviceOptions& options,
                          const AdviceProgress& progress, std::string* problem);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
