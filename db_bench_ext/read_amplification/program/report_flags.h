// Flags of reports and thresholds.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_

#include <absl/status/statusor.h>

#include <string>

#include "db_bench_ext/read_amplification/report/thresholds.h"

namespace winnow::bench {

// File that defines these flags, for FlagHelp().
inline constexpr char kReportFlagsFile[] =
    "db_bench_ext/read_amplification/program/report_flags.cc";

struct ReportOptions {
  // Output files; empty: none.
  std::string json;
  std::string summary;
  std::string html;

  Thresholds thresholds;
};

// Returns the options set by the flags. Returns an error that names the flag for thresholds with
// fewer than two policies. Writes nothing. Requires a preceding CheckFlagValues().
absl::StatusOr<ReportOptions> ReportOptionsOfFlags(size_t policies);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
