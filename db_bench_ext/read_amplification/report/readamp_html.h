// Read amplification as a page for people.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HTML_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HTML_H_

#include <string>

#include "db_bench_ext/read_amplification/measured/readamp_results.h"
#include "src/text/machine.h"

namespace winnow::inspect {

// One HTML document that needs nothing else: the finding, charts with their tables, how it was
// measured, and every figure of the JSON. At least one policy, with the same workloads each.
std::string ReadAmplificationHtml(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_HTML_H_
