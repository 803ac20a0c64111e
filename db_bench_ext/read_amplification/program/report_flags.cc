#include "db_bench_ext/read_amplification/program/report_flags.h"

#include <absl/flags/flag.h>
#include <absl/status/status.h>

#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/program/frontier.h"

ABSL_FLAG(std::string, json, "", "file to write the results to as JSON, schema winnow.readamp/2");
ABSL_FLAG(std::string, html, "",
          "file to write the results to as a page with charts, which needs no network");
ABSL_FLAG(std::string, summary, "",
          "file to write a short table to that explains itself to someone new");
ABSL_FLAG(std::string, frontier, "",
          "bits a key, between commas, that each of --policies is run with as well, on the same "
          "tree and counting only: false reads by filter memory. Each is a tree more to grow; a "
          "policy without bits has no frontier");
ABSL_FLAG(
    double, max_false_positive_ratio, 0,
    "the most false positives per filter check that the last policy may have for absent keys, "
    "as a multiple of those of RocksDB's Bloom filter; more is an error once the results are "
    "printed. 0: not checked");
ABSL_FLAG(double, max_block_read_ratio, 0,
          "the same for data blocks per absent key, where the trees agree. 0: not checked");
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
  absl::StatusOr<std::vector<double>> frontier = ParseFrontier(absl::GetFlag(FLAGS_frontier));
  if (!frontier.ok()) return frontier.status();
  options.frontier = *std::move(frontier);
  return options;
}

}  // namespace winnow::bench
