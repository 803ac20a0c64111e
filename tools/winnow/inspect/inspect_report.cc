#include "tools/winnow/inspect/inspect_report.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tools/winnow/findings/filter_hints.h"

namespace winnow::inspect {
namespace {

template <typename T>
bool Has(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsSelected(const SstReport& file, const FileSelection& selection) {
  const bool family_fits = selection.families.empty() ||
                           Has(selection.families, file.column_family) ||
                           (file.error && file.column_family.empty());
  const bool level_fits = selection.levels.empty() ||
                          (file.level && Has(selection.levels, *file.level)) ||
                          (file.error && !file.level);
  return family_fits && level_fits;
}

// Returns the value by which files are sorted in descending order.
double Measure(const SstReport& file, FileOrder order) {
  if (!file.filter) {
    return -1;
  }
  switch (order) {
    case FileOrder::kEntries:
      return static_cast<double>(file.entries);
    case FileOrder::kBytes:
      return static_cast<double>(file.filter->bytes);
    case FileOrder::kBits:
      return file.filter->bits_per_key;
    case FileOrder::kFpr:
      return file.filter->expected_fpr.value_or(-1);
    case FileOrder::kAsRead:
    case FileOrder::kPath:
    case FileOrder::kLevel:
      break;
  }
  return 0;
}

void Sort(std::vector<SstReport>* files, FileOrder order) {
  const auto before = [order](const SstReport& a, const SstReport& b) {
    if (order == FileOrder::kPath) {
      return a.path < b.path;
    }
    if (order == FileOrder::kLevel) {
      constexpr int kUnknownLast = std::numeric_limits<int>::max();
      return a.level.value_or(kUnknownLast) < b.level.value_or(kUnknownLast);
    }
    return Measure(a, order) > Measure(b, order);
  };
  if (order != FileOrder::kAsRead) {
    std::stable_sort(files->begin(), files->end(), before);
  }
}

}  // namespace

InspectReport MakeInspectReport(std::vector<SstReport> files, std::vector<std::string> remarks,
                                const FileSelection& selection) {
  InspectReport report;
  const size_t all = files.size();
  files.erase(
      std::remove_if(files.begin(), files.end(),
                     [&selection](const SstReport& file) { return !IsSelected(file, selection); }),
      files.end());
  report.not_selected = all - files.size();
  Sort(&files, selection.order);
  report.files = std::move(files);
  report.remarks = std::move(remarks);
  report.listed = static_cast<size_t>(
      std::min<uint64_t>(report.files.size(), selection.limit.value_or(report.files.size())));
  report.totals = TotalsOf(report.files);
  report.learned = LearnedBitsOf(report.files);
  report.advice = HintsOn(report.files);
  return report;
}

std::string WhatIsUnread(const InspectReport& report) {
  const uint64_t files = report.totals.all.not_read;
  std::string text = files == 0 ? ""
                                : absl::StrCat(files, " of ", report.files.size(),
                                               report.files.size() == 1 ? " file" : " files",
                                               " could not be read");
  if (!report.trees_read) {
    absl::StrAppend(&text, text.empty() ? "" : ", and ",
                    "a database's tree could not be read, which may have ",
                    report.files.empty() ? "" : "more ", "files");
  }
  return text;
}

}  // namespace winnow::inspect
