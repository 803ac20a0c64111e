// Sentences of advice: recommendations and assumptions.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// Returns a sentence, after a space, that recommends the listener if one of these policies depends
// on all files of a database; else an empty string.
std::string ListenerText(const std::vector<std::string>& policies);

// Sets the recommendation and the assumptions of advice that has all its numbers.
void SayAdvice(const AdviceReading& reading, const AdviceOptions& options, Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_WORDS_H_
