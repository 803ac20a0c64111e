// The results as text and as a page for people, and as JSON.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_

#include <string>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/text/machine.h"

namespace winnow::bench {

// Everything: the comparison first, then the figures by level. At least one policy.
std::string FullReport(const inspect::ReadAmplification& run);

// One table for someone who sees this for the first time, and what it means.
std::string ShortReport(const inspect::ReadAmplification& run);

}  // namespace winnow::bench

namespace winnow::inspect {

// Schema winnow.readamp/2, which docs/measuring.schema.json describes: one document, indented, with
// a line feed at its end. At least one policy.
std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine);

// One HTML document that needs nothing else: the finding, charts with their tables, how it was
// measured, and every figure of the JSON. At least one policy, with the same workloads each.
std::string ReadAmplificationHtml(const ReadAmplification& run, const Machine& machine);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_REPORT_H_
