#include "tools/winnow/advise/advice.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_rows.h"
#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/advise/verdict.h"

namespace winnow::inspect {
namespace {

std::vector<AdviceFamilyReport> DescribeFamilies(const AdviceReading& reading) {
  std::vector<AdviceFamilyReport> reports;
  for (size_t i = 0; i < reading.families.size(); ++i) {
    AdviceFamilyReport report;
    report.database = reading.families[i].database;
    report.name = reading.families[i].name;
    report.files = reading.families[i].files.size();
    report.keys = reading.families[i].keys;
    report.lookups = reading.lookups[i].lookups;
    report.absent = reading.lookups[i].absent;
    report.false_reads = reading.lookups[i].lookups == 0
                             ? 0
                             : static_cast<double>(reading.lookups[i].false_reads) /
                                   static_cast<double>(reading.lookups[i].lookups);
    std::map<int, uint64_t> levels;
    for (const AdvisedFile& file : reading.families[i].files) {
      report.filter_bytes += file.filter_bytes;
      report.range_bytes += file.range_bytes;
      levels[file.level.value_or(-1)] += file.keys;
    }
    report.keys_by_level.assign(levels.begin(), levels.end());
    report.keys_compacted =
        static_cast<uint64_t>(std::llround(reading.families[i].costs->keys_compacted()));
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string NoVerdict(const std::vector<FileError>& errors) {
  return errors.empty()
             ? "There is no verdict: not all files of a database were found. stderr says why."
             : absl::StrCat("There is no verdict: ", Number(errors.size(), "file"),
                            " could not be read, and the figures are without ",
                            errors.size() == 1 ? "it" : "them", ". stderr says why.");
}

}  // namespace

void TakeBackVerdict(Advice* advice) {
  advice->verdict = {};
  advice->verdict.says = NoVerdict(advice->errors);
  if (!advice->scans) return;
  advice->scans->recommendation = advice->verdict.says;
  advice->scans->policy.clear();
  advice->scans->prefix_extractor.clear();
}

Advice Advise(const std::vector<ListedTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem) {
  Advice advice;
  if (tables.empty()) {
    advice.verdict.says = "There are no SST files, and so there is nothing to advise on.";
    return advice;
  }
  AdviceReading reading;
  *problem = ReadForAdvice(tables, options, progress, &reading);
  if (!problem->empty()) {
    advice.errors = reading.Errors();
    return advice;
  }
  advice.recorded = options.recorded.has_value();
  advice.families = DescribeFamilies(reading);
  advice.keys = reading.keys;
  advice.lookups = reading.num_lookups;
  advice.absent = reading.num_absent;
  advice.lookups_left_out = reading.lookups_left_out;
  if (!options.recorded) {
    const uint64_t made = reading.num_lookups + reading.lookups_left_out;
    advice.lookups_dropped = options.lookups - std::min(options.lookups, made);
  }
  advice.files = reading.AllPieces().size();
  SetRows(reading, options, &advice);
  if (options.recorded_scans) {
    advice.scans = AdviseOnScans(*options.recorded_scans, options, progress, &reading);
  }
  advice.verdict = VerdictOn(reading, options, advice);
  if (advice.scans) SayScans(reading, advice.verdict.choice, &*advice.scans);
  advice.errors = reading.Errors();
  return advice;
}

}  // namespace winnow::inspect
