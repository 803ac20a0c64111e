// Read amplification as JSON for programs: schema winnow.readamp/2, which
// docs/measuring-json.md describes field by field.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_JSON_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_JSON_H_

#include <string>

#include "db_bench_ext/read_amplification/measured/readamp_results.h"
#include "src/text/machine.h"

namespace winnow::inspect {

// One document, indented, with a line feed at its end. Counts are integers, rates fractions of 1,
// sizes bytes, times nanoseconds unless the name says otherwise. At least one policy.
std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_JSON_H_
