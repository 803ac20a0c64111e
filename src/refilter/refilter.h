// New filters for the files of a closed database, without a compaction.

#ifndef WINNOW_SRC_REFILTER_REFILTER_H_
#define WINNOW_SRC_REFILTER_REFILTER_H_

#include <absl/status/statusor.h>
#include <rocksdb/env.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/refilter/refilter_database.h"

namespace winnow::inspect {

struct RefilterOptions {
  RefilterRequest request;
  int jobs = 1;
  double bytes_a_second = 0;  // of reading; 0: as fast as it can
  bool copies_all = false;
  bool is_dry = false;  // builds the filters and writes nothing
  // Builds the ends and keeps them for a later run, while any process may have the database open.
  bool prepares = false;
};

struct RefilterProgress {
  uint64_t files = 0;
  uint64_t all_files = 0;
  uint64_t bytes = 0;  // of data blocks
  uint64_t all_bytes = 0;
};

struct RefilterResult {
  bool ended_former = false;  // a killed run's batch was finished or undone first
  uint64_t files = 0;         // of the chosen families and level
  uint64_t changed = 0;       // got, or would get, another filter
  uint64_t same = 0;          // have this filter already
  uint64_t bytes_read = 0;    // of data blocks
  uint64_t bytes_written = 0;
  uint64_t files_copied = 0;
  uint64_t filter_bytes_before = 0;  // of files that were looked at
  uint64_t filter_bytes_after = 0;
  double false_reads_before = 0;  // expected, a lookup of an absent key, of these files
  double false_reads_after = 0;
  double seconds = 0;
  bool was_interrupted = false;                             // the files so far are done
  std::vector<std::string> remarks;                         // sentences
  std::vector<std::pair<std::string, std::string>> failed;  // path, clause: left as they are
};

// Takes the database's LOCK for its whole run, unless it prepares one. Stops before the next batch
// if *stop becomes true. An error means that nothing was changed but what a killed run had left, or
// that the message says what is to be done; it is a sentence.
absl::StatusOr<RefilterResult> Refilter(ROCKSDB_NAMESPACE::Env* env, const RefilterOptions& options,
                                        const std::atomic<bool>& stop,
                                        const std::function<void(const RefilterProgress&)>& show);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_REFILTER_REFILTER_H_
