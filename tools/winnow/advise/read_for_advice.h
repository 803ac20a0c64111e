// Reads files for advice, in processes of their own, and makes up lookups where none are recorded.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_READ_FOR_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_READ_FOR_ADVICE_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// Empty, or a sentence: nothing can be said. Then the reading has the errors of files at most.
std::string ReadForAdvice(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_READ_FOR_ADVICE_H_
