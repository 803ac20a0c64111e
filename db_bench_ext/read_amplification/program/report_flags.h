// The flags of what is reported, and of what is promised.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/report/thresholds.h"

namespace winnow::bench {

// The file that defines them, for FlagHelp.
inline constexpr char kReportFlagsFile[] =
    "db_bench_ext/read_amplification/program/report_flags.cc";

struct ReportOptions {
  // Files to write; empty: none.
  std::string json;
  std::string summary;
  std::string html;

  Thresholds thresholds;
  std::vector<double> frontier;  // bits a key; empty: no frontier
};

// Returns what the flags say. An error, a sentence that names the flag, for thresholds with fewer
// than two policies to compare. Writes nothing. CheckFlagValues is called before.
absl::StatusOr<ReportOptions> ReportOptionsOfFlags(size_t policies);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
