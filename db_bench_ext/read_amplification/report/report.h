// Results as text, as an HTML page, and as JSON.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_

#include <string>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/text/machine.h"

namespace winnow::bench {

// Returns the full text: first the comparison, then the values by level. Requires at least one
// policy.
std::string FullReport(const inspect::ReadAmplification& run);

// Returns one table with an explanation, for first-time readers.
std::string ShortReport(const inspect::ReadAmplification& run);

}  // namespace winnow::bench

namespace winnow::inspect {

// Returns one indented document of schema winnow.readamp/2, described by
// docs/measuring.schema.json, with a final newline. Requires at least one policy.
std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine);

// Returns a self-contained HTML document: main result, charts with their tables, method, and all
// values of the JSON. Requires at least one policy; all must have the same workloads.
std::string ReadAmplificationHtml(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
