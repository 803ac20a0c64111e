// Report of `winnow inspect` on the files that it read: a choice of them, in an order, with sums;
// as JSON, comma-separated values, a page and a table.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tools/winnow/findings/filter_totals.h"
#include "tools/winnow/findings/learned_bits.h"

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
  std::vector<LearnedBits> learned;  // as LearnedBitsOf says
  std::vector<std::string> advice;   // as HintsOn says

  size_t left_out() const { return files.size() - listed; }
};

// Numbers go from the highest down; what is not known comes last, and equals keep their order. A
// file that could not be read is selected wherever it may belong.
InspectReport MakeInspectReport(std::vector<SstReport> files, std::vector<std::string> remarks,
                                const FileSelection& selection);

// Why sums may be other than those of all there is, as a clause; empty: they are these.
std::string WhatIsUnread(const InspectReport& report);

// A document of schema winnow.inspect/1. Bytes of paths that are not UTF-8 are replaced, and such
// paths are there as hexadecimal digits as well.
std::string InspectJson(const InspectReport& report);

// As RFC 4180 says: a line of names, then one for each file that is listed, all ended by CR LF.
// What is not known, or is no part of a kind of filter, is empty. Names are the bytes that they
// are.
std::string InspectCsv(const InspectReport& report);

// One page that needs nothing else: sums, charts of bytes and rates by level and kind, advice, and
// a row for each file that is listed. `paths` are those that were asked for.
std::string InspectHtml(const InspectReport& report, const std::vector<std::string>& paths);

}  // namespace winnow::inspect

namespace winnow::tools {

// The sums by column family where there are several, by level where that is known, and by kind;
// where learned filters have their bits; advice; the share of the entries that have Winnow's
// filters, in one line; a row for each of the first files, at most `rows`; then faults as
// sentences. Why a file could not be read is for others to say. Lines of tables and texts have at
// most `width` characters where that is possible; 0: any number. about_others: follows "5 files are
// not listed" in a line of its own; empty: there is no such line. Ends with a newline.
std::string InspectTable(const inspect::InspectReport& report, size_t width, size_t rows,
                         absl::string_view about_others);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_
