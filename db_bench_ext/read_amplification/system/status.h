// Conversion of RocksDB's statuses to Abseil's.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STATUS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STATUS_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/status.h>

#include <string>

namespace winnow::bench {

// Returns OK, or an error with what could not be done and RocksDB's reason.
inline absl::Status FromRocksDB(const rocksdb::Status& status, const std::string& could_not) {
  if (status.ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("can't ", could_not, ": ", status.ToString()));
}

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_STATUS_H_
