#include "tools/winnow/advise/scans/scan_advice.h"

#include <absl/algorithm/container.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "src/core/sizing.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/range_options.h"
#include "tools/winnow/advise/advice_costs.h"
#include "tools/winnow/advise/scans/scan_trial.h"

namespace winnow::inspect {
namespace {

// The range_bits to try: the filters that files have are asked besides.
const std::vector<double> kSteps = {10, 15, 20};

class Following {
 public:
  Following(const AdviceOptions& options, const AdviceProgress& progress, AdviceReading* reading,
            ScanAdvice* advice)
      : options_(options),
        progress_(progress),
        read_(*reading),
        family_(reading->families.front()),
        files_(family_.files.size()),
        advice_(*advice) {}

  void Follow(const RecordedScans& recorded) {
    scans_ = recorded.scans;
    absl::c_sort(scans_,
                 [](const RecordedScan& a, const RecordedScan& b) { return a.begin < b.begin; });
    advice_.scans = scans_.size();
    FindRanges();
    AskFiles();
    CountEmpty();
    Sum();
  }

 private:
  const AdvisedFile& FileAt(size_t at) const { return read_.FileOf({0, at}); }

  // Finds the scans that ask each file. Files without a level are asked like those of level 0.
  void FindRanges() {
    ranges_.resize(files_.size());
    size_t next = 0;
    for (size_t at = 0; at < files_.size(); ++at) {
      const AdvisedFile& file = FileAt(at);
      const bool goes_on =
          at > 0 && file.level.value_or(0) > 0 && FileAt(at - 1).level == file.level;
      const size_t begin = goes_on ? next : 0;
      size_t end = begin;
      if (!file.range.empty) {
        const auto first_beyond = std::partition_point(
            scans_.begin() + static_cast<std::ptrdiff_t>(begin), scans_.end(),
            [&](const RecordedScan& scan) { return scan.begin <= file.range.last; });
        end = static_cast<size_t>(first_beyond - scans_.begin());
      }
      ranges_[at] = {begin, end};
      next = end;
    }
  }

  // Whether no policy builds filters for the file.
  bool IsUnfiltered(size_t at) const {
    return FileAt(at).place.bottommost && !family_.shape.last_level_has_filters;
  }

  // Bits by which each file's range_bits differ from the mean: as those of filters do if lookups
  // fall evenly, which is nearly the mean of its level, by which the policy goes.
  std::vector<double> MoreBits() const {
    std::vector<double> more(files_.size());
    const std::optional<PolicyOptions> winnow = WinnowPolicyOf(family_.shape.policy);
    if (winnow && (winnow->level_plan == LevelPlan::kUniform || winnow->filter_memory > 0)) {
      return more;
    }
    double keys = 0;
    double sum = 0;
    for (size_t at = 0; at < files_.size(); ++at) {
      const double bits = family_.costs->BitsOf("winnow:10", at);
      if (bits == 0) continue;
      more[at] = -std::log2(core::RateForBits(bits));
      keys += static_cast<double>(FileAt(at).keys);
      sum += more[at] * static_cast<double>(FileAt(at).keys);
    }
    for (double& bits : more) bits = bits == 0 ? 0 : bits - sum / std::max(keys, 1.0);
    return more;
  }

  static std::vector<double> StepsWith(double more_bits) {
    std::vector<double> steps;
    for (const double step : kSteps) {
      steps.push_back(std::clamp(step + more_bits, 1.0, kRangeBitsOption.most));
    }
    return steps;
  }

  void AskFiles() {
    const auto deadline = options_.seconds > 0
                              ? std::chrono::steady_clock::now() +
                                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                        std::chrono::duration<double>(options_.seconds))
                              : std::chrono::steady_clock::time_point::max();
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    const std::vector<double> more_bits = MoreBits();
    DoAdviceWork(
        {"building range filters", read_.EntriesOf(pieces), options_.jobs, progress_},
        [&](size_t at, const auto& beat) {
          const bool builds = FileAt(at).is_sampled && !IsUnfiltered(at) &&
                              (at == 0 || std::chrono::steady_clock::now() < deadline);
          return AskScans(FileAt(at).path, scans_, ranges_[at],
                          builds ? StepsWith(more_bits[at]) : std::vector<double>(), beat);
        },
        [&](size_t at, FileScans file) {
          if (!file.error.empty()) read_.FileOf({0, at}).error = file.error;
          files_[at] = std::move(file);
        },
        [&](size_t at) -> std::string& {
          return read_.FileOf({0, at}).error;
        });
  }

  void CountEmpty() {
    std::vector<bool> has_key(scans_.size());
    std::vector<bool> crosses(scans_.size());
    for (size_t at = 0; at < files_.size(); ++at) {
      const std::string& answers = files_[at].answers;
      for (size_t i = 0; i < answers.size(); ++i) {
        if ((answers[i] & kHasKey) != 0) has_key[ranges_[at].begin + i] = true;
        if ((answers[i] & kCrossesDeletions) != 0) crosses[ranges_[at].begin + i] = true;
      }
    }
    advice_.empty = static_cast<uint64_t>(absl::c_count(has_key, false));
    advice_.cross_deletions = static_cast<uint64_t>(absl::c_count(crosses, true));
  }

  // Rows of levels, and of all: of files for which range filters were built, and of the others with
  // what these would have in proportion to those of their level, or else to all.
  void Sum() {
    std::map<int, ScanRow> built;  // by level
    ScanRow all_built = EmptyRow();
    for (size_t at = 0; at < files_.size(); ++at) {
      if (files_[at].bytes.empty() || !FileAt(at).error.empty()) continue;
      const ScanRow row = RowOf(at);
      Add(row, &built.try_emplace(LevelOf(at), EmptyRow()).first->second);
      Add(row, &all_built);
      ++advice_.tried_files;
    }
    std::map<int, ScanRow> levels;
    advice_.all = EmptyRow();
    for (size_t at = 0; at < files_.size(); ++at) {
      if (!FileAt(at).error.empty()) continue;
      ScanRow row = RowOf(at);
      if (files_[at].bytes.empty() && !IsUnfiltered(at)) {
        const auto of_level = built.find(LevelOf(at));
        const bool is_known = of_level != built.end() && of_level->second.in_vain > 0;
        SetInProportion(is_known ? of_level->second : all_built, &row);
      }
      Add(row, &levels.try_emplace(LevelOf(at), EmptyRow()).first->second);
      Add(row, &advice_.all);
      ++advice_.files;
    }
    for (auto& [level, row] : levels) {
      row.level = level;
      advice_.levels.push_back(std::move(row));
    }
  }

  int LevelOf(size_t at) const { return FileAt(at).level.value_or(-1); }

  static ScanRow EmptyRow() {
    ScanRow row;
    for (const double range_bits : kSteps) row.steps.push_back({range_bits, 0, 0});
    return row;
  }

  ScanRow RowOf(size_t at) const {
    const std::string& answers = files_[at].answers;
    const auto count = [&](auto holds) {
      return static_cast<double>(absl::c_count_if(answers, holds));
    };
    ScanRow row = EmptyRow();
    row.files = 1;
    row.keys = FileAt(at).keys;
    row.range_bytes = FileAt(at).range_bytes;
    row.reads = static_cast<double>(answers.size());
    row.in_vain = count([](char answer) { return (answer & kHasKey) == 0; });
    row.spared_now = count([](char answer) { return (answer & kNowDenies) != 0; });
    for (size_t step = 0; step < files_[at].bytes.size(); ++step) {
      row.steps[step].bytes = static_cast<double>(files_[at].bytes[step]);
      row.steps[step].spared =
          count([step](char answer) { return (answer & kStepDenies << step) != 0; });
    }
    return row;
  }

  static void SetInProportion(const ScanRow& built, ScanRow* row) {
    const double keys =
        static_cast<double>(row->keys) / std::max(1.0, static_cast<double>(built.keys));
    const double in_vain = row->in_vain / std::max(1.0, built.in_vain);
    for (size_t step = 0; step < kSteps.size(); ++step) {
      row->steps[step].bytes = keys * built.steps[step].bytes;
      row->steps[step].spared = in_vain * built.steps[step].spared;
    }
  }

  static void Add(const ScanRow& row, ScanRow* sum) {
    sum->files += row.files;
    sum->keys += row.keys;
    sum->range_bytes += row.range_bytes;
    sum->reads += row.reads;
    sum->in_vain += row.in_vain;
    sum->spared_now += row.spared_now;
    for (size_t step = 0; step < kSteps.size(); ++step) {
      sum->steps[step].bytes += row.steps[step].bytes;
      sum->steps[step].spared += row.steps[step].spared;
    }
  }

  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  const AdvisedFamily& family_;
  std::vector<RecordedScan> scans_;  // in the order of `begin`
  std::vector<AskedRange> ranges_;   // by file
  std::vector<FileScans> files_;
  ScanAdvice& advice_;
};

}  // namespace

ScanAdvice AdviseOnScans(const RecordedScans& recorded, const AdviceOptions& options,
                         const AdviceProgress& progress, AdviceReading* reading) {
  ScanAdvice advice;
  advice.seeks = recorded.seeks;
  advice.with_bound = recorded.with_bound;
  const AdvisedFamily& family = reading->families.front();
  if (!recorded.scans.empty() && WhyNoRangesByOrder(family.comparator->Name()).empty() &&
      reading->OtherExtractorOf(family).empty()) {
    Following(options, progress, reading, &advice).Follow(recorded);
  }
  return advice;
}

}  // namespace winnow::inspect
