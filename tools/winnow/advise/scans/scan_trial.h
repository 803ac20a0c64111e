// The answers of one file to scans, now and with range filters, which are built of its keys and
// asked.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TRIAL_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_lookups.h"
#include "tools/winnow/advise/scans/scan_types.h"

namespace winnow::inspect {

// A scan's answer is these bits; kStepDenies and those above are of the steps.
inline constexpr uint8_t kHasKey = 1;     // the file has a key between the bounds
inline constexpr uint8_t kNowDenies = 2;  // its range filter says that it has none
inline constexpr uint8_t kStepDenies = 4;
// The file has more than kManyDeletions between the bounds. Seen where range filters are built.
inline constexpr uint8_t kCrossesDeletions = 128;
inline constexpr uint64_t kManyDeletions = 100;

struct FileScans {
  std::string error;            // a sentence; then the rest says nothing
  std::string answers;          // a byte for each scan
  std::vector<uint64_t> bytes;  // of each step's range filter; empty: none was built

  template <typename Code>
  void Fields(Code& code) {
    code(error, answers, bytes);
  }
};

// Asks a file whose keys are in the order of their bytes. Scans are in the order of `begin`. For
// each of range_bits, at most 5, a range filter is built as RocksDB would have it built, in
// partitions where the file's filter has them.
FileScans AskScans(const std::string& path, const std::vector<RecordedScan>& scans,
                   const AskedRange& range, const std::vector<double>& range_bits,
                   const std::function<void(double share)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TRIAL_H_
