// Rows of advice: the policies to list, and their costs.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_

#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {

// Range and step of the tried values of bits_per_key.
inline constexpr double kMinBudgetBits = 2;
inline constexpr double kMaxBudgetBits = 24;
inline constexpr double kBudgetStep = 0.05;

// Sets the rows, the curve and the split of the budget.
void SetRows(const AdviceReading& reading, const AdviceOptions& options, Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_ROWS_H_
