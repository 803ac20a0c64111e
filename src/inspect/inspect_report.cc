#include "src/inspect/inspect_report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "src/inspect/filter_advice.h"
#include "src/inspect/printable.h"

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

// By which files are ordered downwards.
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
  report.advice = AdviceOn(report.files);
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

std::set<std::string> FamiliesOf(const std::vector<SstReport>& files) {
  std::set<std::string> names;
  for (const SstReport& file : files) {
    if (!file.column_family.empty()) {
      names.insert(file.column_family);
    }
  }
  return names;
}

std::vector<std::string> FamiliesNamed(const std::vector<std::string>& texts,
                                       const std::set<std::string>& names) {
  std::vector<std::string> named;
  for (const std::string& text : texts) {
    if (names.count(text) > 0) {
      named.push_back(text);
      continue;
    }
    for (const absl::string_view name : absl::StrSplit(text, ',', absl::SkipEmpty())) {
      named.emplace_back(name);
    }
  }
  return named;
}

std::string UnknownFamilies(const std::vector<SstReport>& files, const FileSelection& selection) {
  return UnknownFamilies(FamiliesOf(files), selection.families);
}

std::string UnknownFamilies(const std::set<std::string>& names,
                            const std::vector<std::string>& wanted) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    known.insert(Printable(name));
  }
  std::vector<std::string> unknown;
  for (const std::string& family : wanted) {
    if (known.count(Printable(family)) == 0) {
      unknown.push_back(Printable(family));
    }
  }
  return unknown.empty()
             ? std::string()
             : absl::StrCat("no file is of the column family ", absl::StrJoin(unknown, ", "),
                            "; there are: ",
                            known.empty() ? "none that is known" : absl::StrJoin(known, ", "));
}

}  // namespace winnow::inspect
