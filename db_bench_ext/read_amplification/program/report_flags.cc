#include "db_bench_ext/read_amplification/program/report_flags.h"

#include <absl/flags/flag.h>

ABSL_FLAG(std::string, json, "", "file to write the results to as JSON, schema winnow.readamp/2");
ABSL_FLAG(std::string, html, "",
          "file to write the results to as an HTML page with charts, which needs no network");
ABSL_FLAG(std::string, summary, "",
          "file to write a short table of the results to, with explanations for new readers");

namespace winnow::bench {

ReportOptions ReportOptionsOfFlags() {
  return {absl::GetFlag(FLAGS_json), absl::GetFlag(FLAGS_summary), absl::GetFlag(FLAGS_html)};
}

}  // namespace winnow::bench
