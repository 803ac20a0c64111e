// Reads files for advice, in processes of their own, and makes up lookups where none are recorded.

#ifndef WINNOW_SRC_INSPECT_READ_FOR_ADVICE_H_
#define WINNOW_SRC_INSPECT_READ_FOR_ADVICE_H_

#include <string>
#include <vector>

#include "src/inspect/advice.h"
#include "src/inspect/advice_reading.h"

namespace winnow::inspect {

// Empty, or a sentence: nothing can be said. Then the reading has the errors of files at most.
std::string ReadForAdvice(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_READ_FOR_ADVICE_H_
