#include "tools/winnow/advise/scans/scan_advice.h"

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

// range_bits to try: beside these that of the policy in force is asked as it is.
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
    std::sort(scans_.begin(), scans_.end(),
              [](const RecordedScan& a, const RecordedScan& b) { return a.begin < b.begin; });
    advice_.scans = scans_.size();
    FindRanges();
    AskFiles();
    CountEmpty();
    Sum();
  }

 private:
  const AdvisedFile& FileAt(size_t at) const { return read_.FileOf({0, at}); }

  // Files without a level are asked like those of level 0.
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

  // No policy builds filters for them.
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
    advice_.empty = static_cast<uint64_t>(std::count(has_key.begin(), has_key.end(), false));
    advice_.cross_deletions =
        static_cast<uint64_t>(std::count(crosses.begin(), crosses.end(), true));
  }

  // What files with range filters to try have, to say it of the others.
  struct Tried {
    double keys = 0;
    double in_vain = 0;
    std::vector<ScanStep> steps{kSteps.size()};
  };

  void Sum() {
    std::map<int, std::pair<ScanRow, Tried>> levels;
    std::map<int, ScanRow> rest;  // filtered, but not tried
    Tried all_tried;
    for (size_t at = 0; at < files_.size(); ++at) {
      const AdvisedFile& file = FileAt(at);
      if (!file.error.empty()) continue;
      const int level = file.level.value_or(-1);
      ScanRow own = OfFile(file, files_[at].answers);
      auto& [row, tried] = levels[level];
      Add(own, &row);
      ++advice_.files;
      if (!files_[at].bytes.empty()) {
        ++advice_.tried_files;
        AddTried(own, files_[at], &tried);
        AddTried(own, files_[at], &all_tried);
      } else if (!IsUnfiltered(at)) {
        Add(own, &rest[level]);
      }
    }
    for (auto& [level, row_and_tried] : levels) {
      auto& [row, tried] = row_and_tried;
      row.level = level;
      row.steps = tried.steps;
      AddInProportion(rest[level], tried.in_vain > 0 ? tried : all_tried, &row.steps);
      advice_.levels.push_back(row);
      Add(row, &advice_.all);
      advice_.all.steps.resize(kSteps.size());
      for (size_t step = 0; step < kSteps.size(); ++step) {
        advice_.all.steps[step].bytes += row.steps[step].bytes;
        advice_.all.steps[step].spared += row.steps[step].spared;
      }
    }
    for (ScanRow& row : advice_.levels) SetBits(&row);
    SetBits(&advice_.all);
  }

  static void SetBits(ScanRow* row) {
    row->steps.resize(kSteps.size());
    for (size_t step = 0; step < kSteps.size(); ++step) {
      row->steps[step].range_bits = kSteps[step];
    }
  }

  static ScanRow OfFile(const AdvisedFile& file, const std::string& answers) {
    ScanRow row;
    row.files = 1;
    row.keys = file.keys;
    row.range_bytes = file.range_bytes;
    row.reads = static_cast<double>(answers.size());
    for (const char answer : answers) {
      row.in_vain += (answer & kHasKey) == 0 ? 1 : 0;
      row.spared_now += (answer & kNowDenies) != 0 ? 1 : 0;
    }
    return row;
  }

  // All but the steps.
  static void Add(const ScanRow& row, ScanRow* sum) {
    sum->files += row.files;
    sum->keys += row.keys;
    sum->range_bytes += row.range_bytes;
    sum->reads += row.reads;
    sum->in_vain += row.in_vain;
    sum->spared_now += row.spared_now;
  }

  static void AddTried(const ScanRow& row, const FileScans& file, Tried* tried) {
    tried->keys += static_cast<double>(row.keys);
    tried->in_vain += row.in_vain;
    for (size_t step = 0; step < kSteps.size(); ++step) {
      tried->steps[step].bytes += static_cast<double>(file.bytes[step]);
      tried->steps[step].spared += static_cast<double>(
          std::count_if(file.answers.begin(), file.answers.end(),
                        [step](char answer) { return (answer & kStepDenies << step) != 0; }));
    }
  }

  static void AddInProportion(const ScanRow& rest, const Tried& tried,
                              std::vector<ScanStep>* steps) {
    for (size_t step = 0; step < kSteps.size(); ++step) {
      if (tried.keys > 0) {
        (*steps)[step].bytes +=
            static_cast<double>(rest.keys) * tried.steps[step].bytes / tried.keys;
      }
      if (tried.in_vain > 0) {
        (*steps)[step].spared += rest.in_vain * tried.steps[step].spared / tried.in_vain;
      }
    }
  }

  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  const AdvisedFamily& family_;
  std::vector<RecordedScan> scans_;  // in the order of `begin`
  std::vector<ScanRange> ranges_;    // by file
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
  FamilyText text;
  text.comparator = family.comparator->Name();
  if (!recorded.scans.empty() && WhyNoRangesByOrder(text).empty() &&
      reading->OtherExtractorOf(family).empty()) {
    Following(options, progress, reading, &advice).Follow(recorded);
  }
  return advice;
}

}  // namespace winnow::inspect
