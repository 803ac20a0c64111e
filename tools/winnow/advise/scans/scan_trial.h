// Answers of a file to scans: with its own filter, with range filters that are built from its keys,
// and with prefix filters.

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

// Bits of a file's answer to a scan; kDenies and higher bits belong to the filters that are tried.
inline constexpr uint16_t kHasKey = 1;     // the file has a key between the bounds
inline constexpr uint16_t kNowDenies = 2;  // the file's filter denies the scan
// The file has more than kManyDeletions between the bounds; set only if filters are tried.
inline constexpr uint16_t kCrossesDeletions = 4;
inline constexpr uint64_t kManyDeletions = 100;
inline constexpr uint16_t kDenies = 8;

// The filters to try, at most 13.
struct TriedFilters {
  std::vector<double> range_bits;       // each value is tried with positions and then with trees
  std::vector<std::string> extractors;  // prefix filters, after the range filters
  // The prefix extractor in force, by RocksDB's name; empty: the file's prefix filters are not
  // queried.
  std::string extractor_now;
};

struct FileScans {
  std::string error;              // a sentence; then no other member is valid
  std::vector<uint16_t> answers;  // one per scan
  // Bytes of each range filter, then number of prefixes for each extractor; empty if no filter was
  // tried.
  std::vector<uint64_t> sizes;
  uint64_t keys = 0;  // number of distinct keys; 0 if no filter was tried

  template <typename Code>
  void Fields(Code& code) {
    code(error, answers, sizes, keys);
  }
};

// Answers scans, sorted by `begin`, for a file with the bytewise comparator. Range filters are
// built as RocksDB would build them, in partitions if the file's filter is partitioned. A prefix
// filter has no false positives here: it denies every prefix that no key has.
FileScans AskScans(const std::string& path, const std::vector<RecordedScan>& scans,
                   const AskedRange& range, const TriedFilters& tried,
                   const std::function<void(double share)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TRIAL_H_
