// What advice says in sentences: what to do, and what was taken for granted.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// What to set beside these policies, behind a space: the listener, if one of them goes by all files
// of a database. Empty: nothing.
std::string ListenerText(const std::vector<std::string>& policies);

// Sets the recommendation and the assumptions of advice whose figures are there.
void SayAdvice(const AdviceReading& reading, const AdviceOptions& options, Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
