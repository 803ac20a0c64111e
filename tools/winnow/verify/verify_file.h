// Verifies an SST file and its filter: checksums, lookups of all keys, and the false-positive rate.

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
  std::string path;                          // the caller sets path and column_family
  std::string column_family;                 // empty if unknown
  std::string kind = std::string(kUnknown);  // kind of the filter, as FilterSummary::kind
  int partitions = 0;                        // 0 if the filter is not partitioned
  uint64_t entries = 0;                      // entries of the table that were read
  uint64_t keys = 0;                         // whole keys and prefixes that were queried

  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first kMaxDeniedShown

  std::optional<RangeCheck> range;  // nullopt if no block has a range filter

  uint64_t samples = 0;  // absent keys that were queried
  uint64_t false_positives = 0;
  std::optional<double> measured_fpr;  // nullopt without samples
  Interval interval;                   // 95% confidence interval of the measured rate
  std::optional<double> expected_fpr;  // expected rate of the sampled keys; nullopt if unknown

  // Sentences: faults of the file; remarks that are no faults; and why the file or its filter could
  // not be read or checked.
  std::vector<std::string> faults;
  std::vector<std::string> remarks;
  std::optional<std::string> error;

  bool ok() const { return faults.empty() && !error; }

  // Serializes all members but those that the caller sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(kind, partitions, entries, keys, false_negatives, denied, range, samples, false_positives,
         measured_fpr, interval, expected_fpr, faults, remarks, error);
  }
};

struct VerifyOptions {
  uint64_t samples = 10'000;  // absent keys per file; 0 disables the measurement
  uint64_t files = 1;         // files verified together, for the correction of multiple tests
};

// Called now and then with the number of keys queried and the share of the file that is done, 0 to
// 1.
using VerifyProgress = std::function<void(uint64_t keys, double share)>;

// Reads the whole file; needs memory for its index, twice its filter, and the samples. Errors are
// reported in the verdict. Thread-safe.
FileVerdict VerifyFile(const std::string& path, const VerifyOptions& options,
                       const VerifyProgress& progress = nullptr);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_FILE_H_
