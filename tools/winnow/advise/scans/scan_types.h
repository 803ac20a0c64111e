// The input and answers of advice on scans: those that a trace has, what they read, and what range
// filters and filters of prefixes would spare.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// A seek of an iterator to `begin`, with the upper bound `end`.
struct RecordedScan {
  std::string begin;
  std::string end;
};

// The seeks of one column family's iterators, in any order.
struct RecordedScans {
  uint64_t seeks = 0;               // all
  uint64_t with_bound = 0;          // of them
  std::vector<RecordedScan> scans;  // those of with_bound, or some of them, chosen by chance
};

// Filters of one sort that scans would ask, of all files of a row.
struct ScanFilters {
  RangeKind kind = RangeKind::kAuto;  // of range filters
  double range_bits = 0;              // 0: filters of prefixes
  std::string extractor;              // whose prefixes they have; else winnow.range
  double bytes = 0;
  double spared = 0;  // reads in vain that they would spare

  bool is_of_ranges() const { return extractor.empty(); }
};

// Files of one level, or all. A seek reads one data block of each file that it asks, to see which
// key comes next there.
struct ScanRow {
  int level = -1;  // -1: not known, or all
  size_t files = 0;
  uint64_t keys = 0;
  uint64_t range_bytes = 0;  // of the range filters that the files have
  double reads = 0;          // data blocks, if no file had a range filter
  double in_vain = 0;        // of them, of files without a key between the bounds
  double spared_now = 0;     // of these, by the filters that the files have
  // Range filters in the order of range_bits, then filters of prefixes: the same in all rows.
  std::vector<ScanFilters> filters;

  double reads_now() const { return reads - spared_now; }
  double BitsAKey(double bytes) const {
    return keys == 0 ? 0 : 8 * bytes / static_cast<double>(keys);
  }
};

struct ScanAdvice {
  uint64_t seeks = 0;
  uint64_t with_bound = 0;
  uint64_t scans = 0;  // of with_bound, that were followed: what rows count is of them
  uint64_t empty = 0;  // of scans: no file has a key between their bounds
  // Scans with more than a hundred deletions between their bounds, in a file for which range
  // filters were built.
  uint64_t cross_deletions = 0;

  // Filters were built for these, and asked; for the others what is said is in proportion to that.
  size_t tried_files = 0;
  size_t files = 0;

  std::vector<ScanRow> levels;  // empty: nothing was followed
  ScanRow all;
  std::vector<size_t> by_auto;  // of filters, what range_kind=auto takes; one of each range_bits
  std::string extractor;        // in force, other than winnow.range; empty: none

  // Options to paste; both empty: none are recommended, or there is nothing to change.
  std::string policy;            // the value of filter_policy
  std::string prefix_extractor;  // and of this

  std::string recommendation;      // sentences
  std::vector<std::string> notes;  // what to know, what was taken for granted

  double AScan(double count) const { return scans == 0 ? 0 : count / static_cast<double>(scans); }
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_SCANS_SCAN_TYPES_H_
