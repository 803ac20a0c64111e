#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <map>
#include <optional>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/rate_interval.h"
#include "src/text/text_table.h"
#include "tools/winnow/cli/terminal.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/verify/verify_json.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::FileVerdict;
using inspect::Percent;
using inspect::TextTable;

// Maximum number of files with one remark that are listed separately.
constexpr size_t kRemarksOneByOne = 3;

std::string Result(const FileVerdict& file) {
  return file.error ? "NOT VERIFIED" : file.ok() ? "good" : "FAULT: see below";
}

// Returns "0.91 to 1.31 %".
std::string IntervalCell(const inspect::Interval& interval, uint64_t samples) {
  return samples == 0 ? "-"
                      : absl::StrFormat("%.3g to %.3g %%", 100 * interval.low, 100 * interval.high);
}

// Returns the cells of a file's row, except for the column family.
std::vector<std::string> Row(const FileVerdict& file) {
  return {inspect::Printable(file.path), file.kind,
          absl::StrCat(file.keys),       absl::StrCat(file.false_negatives),
          Percent(file.measured_fpr),    IntervalCell(file.interval, file.samples),
          Percent(file.expected_fpr),    Result(file)};
}

struct VerdictSums {
  uint64_t files = 0;
  uint64_t good = 0;
  uint64_t faulty = 0;
  uint64_t unread = 0;
  uint64_t keys = 0;
  uint64_t false_negatives = 0;
  uint64_t samples = 0;
  uint64_t false_positives = 0;
  double expected_positives = 0;

  void Add(const FileVerdict& file) {
    ++files;
    good += file.ok() ? 1 : 0;
    faulty += file.faults.empty() ? 0 : 1;
    unread += file.error ? 1 : 0;
    keys += file.keys;
    false_negatives += file.false_negatives;
    samples += file.samples;
    false_positives += file.false_positives;
    expected_positives += static_cast<double>(file.samples) * file.expected_fpr.value_or(0);
  }

  std::vector<std::string> Row() const {
    std::optional<double> measured;
    std::optional<double> expected;
    if (samples > 0) {
      measured = static_cast<double>(false_positives) / static_cast<double>(samples);
      expected = expected_positives / static_cast<double>(samples);
    }
    return {"all",
            "",
            absl::StrCat(keys),
            absl::StrCat(false_negatives),
            Percent(measured),
            IntervalCell(inspect::WilsonInterval(false_positives, samples), samples),
            Percent(expected),
            absl::StrCat(good, " of ", files, " good")};
  }
};

std::string Sentences(const std::vector<FileVerdict>& files) {
  std::string text;
  std::map<std::string, std::vector<std::string>> remarks;
  for (const FileVerdict& file : files) {
    for (const std::string& fault : file.faults) {
      absl::StrAppend(&text, "fault: ", inspect::Printable(file.path), ": ", fault, "\n");
    }
    for (const std::string& remark : file.remarks) {
      remarks[remark].push_back(inspect::Printable(file.path));
    }
  }
  for (const auto& [remark, paths] : remarks) {
    if (paths.size() > kRemarksOneByOne) {
      absl::StrAppend(&text, "remark: ", paths.size(), " files: ", remark, "\n");
      continue;
    }
    for (const std::string& path : paths) {
      absl::StrAppend(&text, "remark: ", path, ": ", remark, "\n");
    }
  }
  return text;
}

}  // namespace

std::string VerifyTable(const std::vector<FileVerdict>& files, bool trees_read, size_t width,
                        size_t most_rows) {
  std::vector<inspect::Column> columns = {{"file", Align::kLeft},
                                          {"filter", Align::kLeft, /*spare=*/2},
                                          {"keys"},
                                          {"denied"},
                                          {"rate"},
                                          {"95 % interval", Align::kRight, /*spare=*/1},
                                          {"expected", Align::kRight, /*spare=*/3},
                                          {"result", Align::kLeft}};
  const bool several_families = OfSeveralFamilies(files);
  const auto with_family = [several_families](TextTable::Row row, const std::string& family) {
    if (several_families) {
      row.insert(row.begin() + 1, family);
    }
    return row;
  };
  if (several_families) {
    columns.insert(columns.begin() + 1, {"column family", Align::kLeft});
  }
  // If there are too many files, only those with faults or errors have rows.
  const bool all_rows = files.size() <= most_rows;
  std::vector<TextTable::Row> rows;
  VerdictSums sums;
  for (const FileVerdict& file : files) {
    if (all_rows || (!file.ok() && rows.size() < most_rows)) {
      rows.push_back(with_family(Row(file), inspect::Printable(file.column_family)));
    }
    sums.Add(file);
  }
  const size_t left_out = files.size() - rows.size();
  rows.push_back(with_family(sums.Row(), ""));
  std::string sentences = Sentences(files);
  if (left_out > 0) {
    absl::StrAppend(&sentences, left_out, left_out == sums.good ? " good" : "",
                    " files have no row here; output to a pipe or a file, and --json, has all\n");
  }
  if (sums.unread > 0) {
    absl::StrAppend(&sentences, sums.unread, " of ", sums.files,
                    sums.files == 1 ? " file" : " files", " could not be verified\n");
  }
  if (!trees_read) {
    sentences +=
        "There may be files that were not verified, as a database's tree could not be read\n";
  }
  return absl::StrCat(FittedTable(std::move(columns), std::move(rows), width, /*underlined=*/true),
                      sentences.empty() ? "" : "\n", sentences);
}

}  // namespace winnow::tools
