// Whether the value of a numeric flag is in its range.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CHECK_RANGE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CHECK_RANGE_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace winnow::bench {

// An error of usage rather than of the run; the sentence names the flag. A value that is no number
// is out of every range.
inline absl::Status CheckRange(const char* flag, double value, double least, double most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " is ", value, ", but has to be from ", least, " to ", most));
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_CHECK_RANGE_H_
