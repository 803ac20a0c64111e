// JSON and text of `winnow advise --use`.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_JSON_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_JSON_H_

#include <string>

#include "tools/winnow/advise/use/use_advice.h"

namespace winnow::inspect {

// Returns a document with these members:
//
//   schema       "winnow.advise_use/1"
//   budget       {bytes, fits}: the memory for all filters
//   now, advised {filter_bytes, false_reads_per_second}, of all policies
//   policies     [{policy, databases, families, seconds, asks, denied, false_positives,
//                false_reads_per_second, filter_bytes, keys, bits_per_key, advised (null, or
//                {bits_per_key, filter_bytes, false_reads_per_second}), levels [{level, asks,
//                denied, false_positives, filters, keys, filter_bytes}]}]: the most false reads
//                first
//   mend, gain   [{families, says, policy (to paste; null: none)}]
//   unknown      sentences
std::string UseAdviceJson(const UseAdvice& advice);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the table, problems, possible improvements, and open questions.
std::string UseAdviceText(const inspect::UseAdvice& advice);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_JSON_H_
