// Flags of reports.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_

#include <string>

namespace winnow::bench {

// File that defines these flags, for FlagHelp().
inline constexpr char kReportFlagsFile[] =
    "db_bench_ext/read_amplification/program/report_flags.cc";

// Output files; empty: none.
struct ReportOptions {
  std::string json;
  std::string summary;
  std::string html;
};

// Returns the options set by the flags.
ReportOptions ReportOptionsOfFlags();

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_REPORT_FLAGS_H_
