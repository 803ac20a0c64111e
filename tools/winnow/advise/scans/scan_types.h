// Options and results of advice on scans: recorded scans, the data blocks that they read, and the
// reads that range filters and prefix filters would spare.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// Seek() of an iterator to `begin`, with iterate_upper_bound `end`.
struct RecordedScan {
  std::string begin;
  std::string end;
};

// Seeks of the iterators of one column family, in any order.
struct RecordedScans {
  uint64_t seeks = 0;               // all seeks
  uint64_t with_bound = 0;          // seeks with an upper bound
  std::vector<RecordedScan> scans;  // all seeks with an upper bound, or a random sample of them
};

// Filters of one kind for all files of a row.
struct ScanFilters {
  RangeKind kind = RangeKind::kAuto;  // kind of range filters
  double range_bits = 0;              // 0 for prefix filters
  // Extractor of prefix filters; empty for range filters, which need winnow.range.
  std::string extractor;
  double bytes = 0;
  double spared = 0;  // reads in vain that they would spare

  bool is_of_ranges() const { return extractor.empty(); }
};

// The files of one level, or of all levels. A seek reads one data block in each file that it
// queries, to find the next key.
struct ScanRow {
  int level = -1;  // -1: unknown, or the row of all files
  size_t files = 0;
  uint64_t keys = 0;
  uint64_t range_bytes = 0;  // size of the files' own range filters
  double reads = 0;          // data blocks read if no file had a range filter
  double in_vain = 0;        // reads in files without a key between the bounds
  double spared_now = 0;     // reads in vain that the files' own filters spare
  // Range filters in ascending order of range_bits, then prefix filters; in the same order in all
  // rows.
  std::vector<ScanFilters> filters;

  double reads_now() const { return reads - spared_now; }
  double BitsAKey(double bytes) const {
    return keys == 0 ? 0 : 8 * bytes / static_cast<double>(keys);
  }
};

struct ScanAdvice {
  uint64_t seeks = 0;
  uint64_t with_bound = 0;
  uint64_t scans = 0;  // seeks of with_bound that were analyzed; all rows refer to them
  uint64_t empty = 0;  // analyzed scans with no key between their bounds in any file
  // Analyzed scans with more than kManyDeletions between their bounds in a file for which filters
  // were built.
  uint64_t cross_deletions = 0;

  // Number of files for which filters were built; results of the other files are extrapolated.
  size_t tried_files = 0;
  size_t files = 0;

  std::vector<ScanRow> levels;  // empty if no scan was analyzed
  ScanRow all;
  // Indexes of the filters that range_kind=auto chooses, one per value of range_bits.
  std::vector<size_t> by_auto;
  std::string extractor;  // prefix extractor in force, other than winnow.range; may be empty

  // Options to paste; both empty if none are recommended or nothing should change.
  std::string policy;            // value of filter_policy
  std::string prefix_extractor;  // value of prefix_extractor

  std::string recommendation;      // sentences
  std::vector<std::string> notes;  // sentences on assumptions

  double AScan(double count) const { return scans == 0 ? 0 : count / static_cast<double>(scans); }
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_
