// What `winnow inspect` shows of the files that it read: a choice of them, in an order, with sums.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tools/winnow/findings/filter_totals.h"

namespace winnow::inspect {

enum class FileOrder { kAsRead, kPath, kLevel, kEntries, kBytes, kBits, kFpr };

// Which files, and how.
struct FileSelection {
  std::vector<std::string> families;  // empty: all
  std::vector<int> levels;            // empty: all
  FileOrder order = FileOrder::kAsRead;
  std::optional<uint64_t> limit;  // rows to list
};

struct InspectReport {
  std::vector<SstReport> files;      // all that were selected, in their order
  std::vector<std::string> remarks;  // about the whole, such as levels that are unknown
  bool trees_read = true;            // else the databases may have further files
  size_t not_selected = 0;           // files that there were besides
  size_t listed = 0;                 // so many of the files have rows, the first ones
  TotalsOfFiles totals;              // over all of `files`
  std::vector<std::string> advice;   // as HintsOn says

  size_t left_out() const { return files.size() - listed; }
};

// Numbers go from the highest down; what is not known comes last, and equals keep their order. A
// file that could not be read is selected wherever it may belong.
InspectReport MakeInspectReport(std::vector<SstReport> files, std::vector<std::string> remarks,
                                const FileSelection& selection);

// Why sums may be other than those of all there is, as a clause; empty: they are these.
std::string WhatIsUnread(const InspectReport& report);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_
