// The sentences of advice: what to do, and what was taken for granted.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// A sentence behind a space that says to set the listener, if one of these policies goes by all
// files of a database; else nothing.
std::string ListenerText(const std::vector<std::string>& policies);

// Sets the recommendation and the assumptions of advice whose figures are there.
void SayAdvice(const AdviceReading& reading, const AdviceOptions& options, Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
