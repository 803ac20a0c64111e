// Read amplification as JSON for programs: schema winnow.readamp/2, which
// db_bench_ext/read_amplification/JSON.md describes field by field.

#ifndef WINNOW_SRC_INSPECT_READAMP_JSON_H_
#define WINNOW_SRC_INSPECT_READAMP_JSON_H_

#include <string>

#include "src/inspect/machine.h"
#include "src/inspect/readamp_results.h"

namespace winnow::inspect {

// One document, indented, with a line feed at its end. Counts are integers, rates fractions of 1,
// sizes bytes, times nanoseconds unless the name says otherwise. At least one policy.
std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_READAMP_JSON_H_
