// Read amplification as a page for people.

#ifndef WINNOW_SRC_INSPECT_READAMP_HTML_H_
#define WINNOW_SRC_INSPECT_READAMP_HTML_H_

#include <string>

#include "src/inspect/machine.h"
#include "src/inspect/readamp_results.h"

namespace winnow::inspect {

// One HTML document that needs nothing else: the finding, charts with their tables, how it was
// measured, and every figure of the JSON. At least one policy, with the same workloads each.
std::string ReadAmplificationHtml(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_READAMP_HTML_H_
