// Advice on the files that there are: the memory and false reads of other filter policies, and what
// lookups would read into a block cache of a given size, with these filters and with others.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_types.h"
#include "tools/winnow/advise/cache_rows.h"

namespace winnow::inspect {

// Reads the files in processes of their own, several at a time. `problem` is set, to a sentence, if
// nothing can be said at all; then the rest is not to be used.
Advice Advise(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem);

// Takes back what is recommended, where files could not be read or found: they are in no figure.
void TakeBackVerdict(Advice* advice);
void TakeBackVerdict(CacheAdvice* advice);

// Reads the files and follows the lookups in processes of their own. `problem` is set, to a
// sentence, if nothing can be said at all; then the rest is not to be used.
CacheAdvice AdviseOnCache(const std::vector<AdviceTable>& tables, const CacheAdviceOptions& options,
                          const AdviceProgress& progress, std::string* problem);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
