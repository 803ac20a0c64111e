// The verdict of advice: which policy to take, and what else changes what the reader does.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_VERDICT_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_VERDICT_H_

#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {

// Returns the verdict on advice that has all its figures.
Verdict VerdictOn(const AdviceReading& reading, const AdviceOptions& options, const Advice& advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_VERDICT_H_
