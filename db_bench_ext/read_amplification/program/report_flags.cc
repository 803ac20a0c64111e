#include "db_bench_ext/read_amplification/program/report_flags.h"

#include <absl/flags/flag.h>
#include <absl/status/status.h>

ABSL_FLAG(std::string, json, "", "file to write the results to as JSON, schema winnow.readamp/2");
ABSL_FLAG(std::string, html, "",
          "file to write the results to as an HTML page with charts, which needs no network");
ABSL_FLAG(std::string, summary, "",
          "file to write a short table of the results to, with explanations for new readers");
ABSL_FLAG(
    double, max_false_positive_ratio, 0,
    "threshold: false positives per filter check that the last policy may have for absent keys, as "
    "a multiple of those of RocksDB's Bloom filter. A result beyond it is an error, once the "
    "results "
    "are printed. 0: not checked");
ABSL_FLAG(double, max_block_read_ratio, 0,
          "the same for data blocks read per absent key, if the trees agree. 0: not checked");
ABSL_FLAG(double, max_filter_memory_ratio, 0, "the same for filter memory. 0: not checked");

namespace winnow::bench {

absl::StatusOr<ReportOptions> ReportOptionsOfFlags(size_t policies) {
  ReportOptions options;
  options.json = absl::GetFlag(FLAGS_json);
  options.summary = absl::GetFlag(FLAGS_summary);
  options.html = absl::GetFlag(FLAGS_html);
  options.thresholds = {absl::GetFlag(FLAGS_max_false_positive_ratio),
                        absl::GetFlag(FLAGS_max_block_read_ratio),
                        absl::GetFlag(FLAGS_max_filter_memory_ratio)};
  if (options.thresholds.Any() && policies < 2) {
    return absl::InvalidArgumentError(
        "--max_false_positive_ratio and its like compare the last of --policies with another, but "
        "there is only one");
  }
  return options;
}

}  // namespace winnow::bench
