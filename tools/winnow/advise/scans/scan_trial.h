// The answers of one file to scans, now and with range filters, which are built of its keys and
// asked, and with filters of prefixes.

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

// A scan's answer is these bits; kDenies and those above are of the filters that are tried.
inline constexpr uint16_t kHasKey = 1;     // the file has a key between the bounds
inline constexpr uint16_t kNowDenies = 2;  // its filter says that it has none
// The file has more than kManyDeletions between the bounds. Seen where filters are tried.
inline constexpr uint16_t kCrossesDeletions = 4;
inline constexpr uint64_t kManyDeletions = 100;
inline constexpr uint16_t kDenies = 8;

// The filters to try, at most 13.
struct TriedFilters {
  std::vector<double> range_bits;       // of each, positions and then trees
  std::vector<std::string> extractors;  // then filters of their prefixes
  // The prefix extractor in force, as RocksDB names it; empty: filters of prefixes are not asked.
  std::string extractor_now;
};

struct FileScans {
  std::string error;              // a sentence; then the rest says nothing
  std::vector<uint16_t> answers;  // of each scan
  // Bytes of each range filter, then the numbers of prefixes; empty: no filter was tried.
  std::vector<uint64_t> sizes;
  uint64_t keys = 0;  // without their versions; 0: no filter was tried

  template <typename Code>
  void Fields(Code& code) {
    code(error, answers, sizes, keys);
  }
};

// Asks a file whose keys are in the order of their bytes. Scans are in the order of `begin`. Range
// filters are built as RocksDB would have them built, in partitions where the file's filter has
// them. A filter of prefixes denies what has no key with the prefix: without false positives.
FileScans AskScans(const std::string& path, const std::vector<RecordedScan>& scans,
                   const AskedRange& range, const TriedFilters& tried,
                   const std::function<void(double share)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TRIAL_H_
