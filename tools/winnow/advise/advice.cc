#include "tools/winnow/advise/advice.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_learning.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_rows.h"
#include "tools/winnow/advise/advice_shortlist.h"
#include "tools/winnow/advise/advice_words.h"
#include "tools/winnow/advise/scans/scan_advice.h"

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
    for (const size_t file : reading.families[i].files) {
      report.filter_bytes += reading.files[file].filter_bytes;
      report.range_bytes += reading.files[file].range_bytes;
      levels[reading.files[file].level.value_or(-1)] += reading.files[file].keys;
    }
    report.keys_by_level.assign(levels.begin(), levels.end());
    double compacted = 0;
    for (const FileGroup& group : reading.compacted[i].formula.groups) {
      compacted += group.keys * group.blocks;
    }
    report.keys_compacted = static_cast<uint64_t>(std::llround(compacted));
    reports.push_back(std::move(report));
  }
  return reports;
}

bool IsForMemoryOfNow(const AdviceRow& row) {
  return row.purpose == RowPurpose::kMemoryOfNow || row.purpose == RowPurpose::kMemoryAlsoCompacted;
}

// What a row may take that is for the memory of now.
double MemoryOfNow(const Advice& advice) { return (1 + kSameMemory) * advice.rows.front().bytes; }

// Of the rows for the memory of now, the most that one takes.
double MostTakenOfMemory(const Advice& advice) {
  double most = 0;
  for (const AdviceRow& row : advice.rows) {
    most = IsForMemoryOfNow(row) ? std::max(most, row.bytes) : most;
  }
  return most;
}

// By the row of the split, or that of one policy for all.
double MostTakenOfBudget(const Advice& advice) {
  const AdviceRow* one = OnePolicyRow(advice);
  return std::max(advice.budget_taken, one == nullptr ? 0 : one->bytes);
}

// A row that takes more than the memory of now is there to compare with.
void DropMissedPurposes(Advice* advice) {
  for (AdviceRow& row : advice->rows) {
    if (IsForMemoryOfNow(row) && row.bytes > MemoryOfNow(*advice)) {
      row.purpose = RowPurpose::kComparison;
    }
  }
}

// Tries policies, and sets what *advice says of them. Filters of few keys may take more than the
// formulas say of them: then these may spend less. Returns the errors of files, as TryAll does.
std::map<size_t, std::string> Try(const AdviceReading& reading, const AdviceOptions& options,
                                  std::chrono::steady_clock::time_point deadline,
                                  const AdviceProgress& progress, Advice* advice) {
  constexpr int kMaxTries = 4;
  constexpr double kSafety = 0.995;
  const Advice untried = *advice;
  SpendingShares shares;
  std::map<size_t, std::string> errors;
  bool fits = false;
  for (int tries = 1; tries <= kMaxTries; ++tries) {
    Advice next = untried;
    ListTrials(reading, options, shares, &next);
    std::map<size_t, std::string> next_errors =
        TryAll(reading, options.jobs, deadline, progress, &next);
    if (fits && next.tried_keys < advice->tried_keys) {  // no time for as much again
      break;
    }
    const AdviceRow* split = BudgetRow(next);
    next.budget_taken = split == nullptr ? 0 : split->bytes;
    *advice = std::move(next);
    errors = std::move(next_errors);
    const double taken = MostTakenOfBudget(*advice);
    const double memory = MostTakenOfMemory(*advice);
    const bool is_as_now = memory <= MemoryOfNow(*advice);
    fits = !advice->budget_bytes || taken <= *advice->budget_bytes;
    if (fits && is_as_now) {
      break;
    }
    shares.budget *= fits ? 1 : kSafety * *advice->budget_bytes / taken;
    shares.memory *= is_as_now ? 1 : advice->rows.front().bytes / memory;
  }
  DropMissedPurposes(advice);
  return errors;
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
  advice->recommendation = NoVerdict(advice->errors);
  advice->choice.clear();
  if (!advice->scans) return;
  advice->scans->recommendation = advice->recommendation;
  advice->scans->policy.clear();
  advice->scans->prefix_extractor.clear();
}

void TakeBackVerdict(CacheAdvice* advice) {
  advice->recommendation = NoVerdict(advice->errors);
  advice->options.clear();
}

Advice Advise(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem) {
  Advice advice;
  const auto deadline = options.seconds > 0
                            ? std::chrono::steady_clock::now() +
                                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                      std::chrono::duration<double>(options.seconds))
                            : std::chrono::steady_clock::time_point::max();
  if (tables.empty()) {
    advice.recommendation = "There are no SST files, and so there is nothing to advise on.";
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
  advice.learning_problem = reading.learning_problem;
  if (const AdvisedLearning* learning = reading.families[0].learning.get()) {
    advice.learned_from = learning->learned_from();
    advice.judged_by = learning->judged_by();
  }
  advice.files = reading.AllPieces().size();
  advice.candidates = CandidateRows(reading);
  for (const auto& [file, error] : Try(reading, options, deadline, progress, &advice)) {
    reading.files[file].error = error;
  }
  if (advice.tried_files > 0) {
    TimeBuilds(reading, &advice.rows);
  }
  if (options.recorded_scans) {
    advice.scans = AdviseOnScans(*options.recorded_scans, options, progress, &reading);
  }
  SayAdvice(reading, options, &advice);
  if (advice.scans) SayScans(reading, advice.choice, &*advice.scans);
  advice.errors = reading.Errors();
  return advice;
}

}  // namespace winnow::inspect
