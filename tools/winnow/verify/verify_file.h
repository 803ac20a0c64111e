// Verifies an SST file and its filter: checksums, every key, and the rate.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_FILE_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_FILE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"
#include "src/text/rate_interval.h"
#include "tools/winnow/verify/key_check.h"

namespace winnow::inspect {

struct FileVerdict {
  std::string path;                          // these two for the caller to set
  std::string column_family;                 // empty: not known
  std::string kind = std::string(kUnknown);  // of the filter, as FilterSummary::kind
  int partitions = 0;                        // 0: the filter is one block
  uint64_t entries = 0;                      // of the table that were read
  uint64_t keys = 0;  // whole keys and prefixes that the filter was asked for

  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first of them, at most kMaxDeniedShown

  std::optional<RangeCheck> range;  // unset: no block has a range filter

  uint64_t samples = 0;  // absent keys that the filter was asked for
  uint64_t false_positives = 0;
  std::optional<double> measured_fpr;  // unset without samples
  Interval interval;                   // of the measured rate, at 95 %
  std::optional<double> expected_fpr;  // of the same lookups; unset where it is not known

  // Sentences. What is wrong with the file; what is worth knowing and no fault; why the file or its
  // filter could not be read, or not be checked.
  std::vector<std::string> faults;
  std::vector<std::string> remarks;
  std::optional<std::string> error;

  bool ok() const { return faults.empty() && !error; }

  // All but what the caller sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(kind, partitions, entries, keys, false_negatives, denied, range, samples, false_positives,
         measured_fpr, interval, expected_fpr, faults, remarks, error);
  }
};

struct VerifyOptions {
  uint64_t samples = 10'000;  // absent keys for each file; 0: no rate is measured
  uint64_t files = 1;         // that are verified together: the more, the less a chance one tells
};

// Called now and then: the keys asked so far, and how much of the file is done, 0 to 1.
using VerifyProgress = std::function<void(uint64_t keys, double share)>;

// Reads the whole file, and needs memory for its index, twice its filter and the samples. What it
// finds is in the verdict; it does not fail. Safe from several threads.
FileVerdict VerifyFile(const std::string& path, const VerifyOptions& options,
                       const VerifyProgress& progress = nullptr);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_FILE_H_
