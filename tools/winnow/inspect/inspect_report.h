// Report of `winnow inspect` on the files that were read: a sorted selection with sums, as JSON,
// CSV, HTML or a table.

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

// Filter, order and limit of the listed files.
struct FileSelection {
  std::vector<std::string> families;  // empty: all
  std::vector<int> levels;            // empty: all
  FileOrder order = FileOrder::kAsRead;
  std::optional<uint64_t> limit;  // maximum number of rows
};

struct InspectReport {
  std::vector<SstReport> files;      // all selected files, sorted
  std::vector<std::string> remarks;  // sentences on the whole report, such as unknown levels
  bool trees_read = true;            // false if the databases may have further files
  size_t not_selected = 0;           // files that were read, but not selected
  size_t listed = 0;                 // number of rows: the first files of `files`
  TotalsOfFiles totals;              // sums over all of `files`
  std::vector<LearnedBits> learned;  // result of LearnedBitsOf()
  std::vector<std::string> advice;   // result of HintsOn()

  size_t left_out() const { return files.size() - listed; }
};

// Selects and sorts the files. Numbers are sorted in descending order, with unknown values last;
// the sort is stable. Files that could not be read are selected unless their family or level is
// known and excluded.
InspectReport MakeInspectReport(std::vector<SstReport> files, std::vector<std::string> remarks,
                                const FileSelection& selection);

// Returns a clause that says which data the sums lack; empty if they are complete.
std::string WhatIsUnread(const InspectReport& report);

// Returns a document of schema winnow.inspect/1. Paths that are not UTF-8 are given with
// replacement characters and in hexadecimal digits.
std::string InspectJson(const InspectReport& report);

// Returns CSV (RFC 4180): a header line and a line per listed file, ended by CR LF. Unknown and
// inapplicable values are empty. Names are written byte by byte, in any encoding.
std::string InspectCsv(const InspectReport& report);

// Returns a self-contained HTML page: sums, charts of bytes and rates by level and kind, advice,
// and a row per listed file. `paths` are the arguments of the verb.
std::string InspectHtml(const InspectReport& report, const std::vector<std::string>& paths);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the report as text: sums by column family if there are several, by level if known, and by
// kind; bits of learned filters; advice; the share of entries with Winnow's filters, in one line; a
// row for each of the first files, at most `rows`; and faults as sentences. Errors of unreadable
// files are left to the caller. Lines have at most `width` characters where that is possible; 0 is
// unlimited. `about_others` follows "5 files are not listed"; if it is empty, that line is left
// out. Ends with a newline.
std::string InspectTable(const inspect::InspectReport& report, size_t width, size_t rows,
                         absl::string_view about_others);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_REPORT_H_
