#include "tools/winnow/advise/scans/scan_advice.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "src/core/sizing.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/range_options.h"
#include "src/sst/filter_contents.h"
#include "src/sst/stored_filter.h"
#include "tools/winnow/advise/advice_costs.h"
#include "tools/winnow/advise/advice_work.h"
#include "tools/winnow/advise/scans/scan_trial.h"

namespace winnow::inspect {
namespace {

// Values of range_bits to try; the files' own filters are queried, too.
const std::vector<double> kSteps = {10, 15, 20};
// Prefixes have the greatest lengths for which these shares of the scans would query a filter.
constexpr double kAskingShares[] = {0.25, 0.5, 0.9};
constexpr size_t kLongestPrefix = 64;

std::vector<std::string> ExtractorsFor(const std::vector<RecordedScan>& scans) {
  std::vector<std::string> extractors;
  const double* share = std::begin(kAskingShares);
  for (size_t length = kLongestPrefix; length > 0; --length) {
    const std::string text = absl::StrCat("fixed:", length);
    const auto extractor = ExtractorOf(text);
    const auto asking = static_cast<double>(absl::c_count_if(scans, [&](const RecordedScan& scan) {
      return AskedPrefix(*extractor, scan.begin, scan.end).has_value();
    }));
    const double* const is_reached = share;
    const auto all = static_cast<double>(scans.size());
    while (share != std::end(kAskingShares) && asking >= *share * all) ++share;
    if (share != is_reached) extractors.push_back(text);
  }
  return extractors;
}

class Following {
 public:
  Following(const AdviceOptions& options, const AdviceProgress& progress, AdviceReading* reading,
            ScanAdvice* advice)
      : options_(options),
        progress_(progress),
        read_(*reading),
        pieces_(reading->AllPieces()),
        files_(pieces_.size()),
        advice_(*advice) {}

  void Follow(const RecordedScans& recorded) {
    scans_ = recorded.scans;
    absl::c_sort(scans_,
                 [](const RecordedScan& a, const RecordedScan& b) { return a.begin < b.begin; });
    advice_.scans = scans_.size() * read_.families.size();
    SetChoices();
    FindRanges();
    AskFiles();
    CountEmpty();
    Sum();
    Compare();
  }

 private:
  const AdvisedFile& FileAt(size_t at) const { return read_.FileOf(pieces_[at]); }
  const AdvisedFamily& FamilyAt(size_t at) const { return read_.families[pieces_[at].family]; }

  void SetChoices() {
    tried_.range_bits = kSteps;
    tried_.extractors = ExtractorsFor(scans_);
    tried_.extractor_now = advice_.extractor;
    if (const auto now = ExtractorOf(advice_.extractor); now != nullptr) {
      const auto is_now = [&](const std::string& text) {
        return ExtractorOf(text)->AsString() == now->AsString();
      };
      if (absl::c_none_of(tried_.extractors, is_now))
        tried_.extractors.push_back(advice_.extractor);
    }
    for (const double step : kSteps) {
      choices_.push_back({RangeKind::kPositions, step, "", 0, 0});
      choices_.push_back({RangeKind::kTrees, step, "", 0, 0});
    }
    for (const std::string& extractor : tried_.extractors) {
      choices_.push_back({RangeKind::kAuto, 0, extractor, 0, 0});
    }
  }

  // Finds the scans that query each file. Files without a level are treated as files of level 0.
  void FindRanges() {
    ranges_.resize(files_.size());
    size_t next = 0;
    for (size_t at = 0; at < files_.size(); ++at) {
      const AdvisedFile& file = FileAt(at);
      const bool goes_on = at > 0 && file.level.value_or(0) > 0 &&
                           FileAt(at - 1).level == file.level &&
                           pieces_[at - 1].family == pieces_[at].family;
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

  // Returns true if no policy builds filters for the file.
  bool IsUnfiltered(size_t at) const {
    return FileAt(at).place.bottommost && !FamilyAt(at).shape.last_level_has_filters;
  }

  // Returns the difference of each file's range_bits from the family's mean. It equals the
  // difference in bits of ordinary filters with evenly distributed lookups, which nearly equals the
  // mean of the level, by which the policy decides.
  static std::vector<double> MoreBits(const AdvisedFamily& family) {
    std::vector<double> more(family.files.size());
    const std::optional<PolicyOptions> winnow = WinnowPolicyOf(family.shape.policy);
    if (winnow && (winnow->level_plan == LevelPlan::kUniform || winnow->filter_memory > 0)) {
      return more;
    }
    double keys = 0;
    double sum = 0;
    for (size_t at = 0; at < more.size(); ++at) {
      const double bits = family.costs->BitsOf("winnow:10", at);
      if (bits == 0) continue;
      const auto of_file = static_cast<double>(family.files[at].keys);
      more[at] = core::RateBits(bits);
      keys += of_file;
      sum += more[at] * of_file;
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
    std::vector<double> more_bits;
    for (const AdvisedFamily& family : read_.families) {
      for (const double more : MoreBits(family)) more_bits.push_back(more);
    }
    DoAdviceWork(
        {"building range filters", read_.EntriesOf(pieces_), options_.jobs, progress_},
        [&](size_t at, const auto& beat) {
          const bool builds = FileAt(at).is_sampled && !IsUnfiltered(at);
          TriedFilters tried;
          if (builds) tried = {StepsWith(more_bits[at]), tried_.extractors, ""};
          tried.extractor_now = tried_.extractor_now;
          return AskScans(FileAt(at).path, scans_, ranges_[at], tried, beat);
        },
        [&](size_t at, FileScans file) {
          if (!file.error.empty()) read_.FileOf(pieces_[at]).error = file.error;
          files_[at] = std::move(file);
        });
  }

  void CountEmpty() {
    // By column family and scan.
    std::vector<bool> has_key(advice_.scans);
    std::vector<bool> crosses(advice_.scans);
    for (size_t at = 0; at < files_.size(); ++at) {
      const std::vector<uint16_t>& answers = files_[at].answers;
      const size_t begin = pieces_[at].family * scans_.size() + ranges_[at].begin;
      for (size_t i = 0; i < answers.size(); ++i) {
        if ((answers[i] & kHasKey) != 0) has_key[begin + i] = true;
        if ((answers[i] & kCrossesDeletions) != 0) crosses[begin + i] = true;
      }
    }
    advice_.empty = static_cast<uint64_t>(absl::c_count(has_key, false));
    advice_.cross_deletions = static_cast<uint64_t>(absl::c_count(crosses, true));
  }

  // Sums up the files by level and in total. Values of files for which no filters were built are
  // extrapolated from the files of their level, or else from all files.
  void Sum() {
    std::map<int, ScanRow> built;  // keyed by level
    ScanRow all_built = EmptyRow();
    for (size_t at = 0; at < files_.size(); ++at) {
      if (files_[at].sizes.empty() || !FileAt(at).error.empty()) continue;
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
      if (files_[at].sizes.empty() && !IsUnfiltered(at)) {
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

  // Sets the kinds that range_kind=auto chooses.
  void Compare() {
    const std::vector<ScanFilters>& filters = advice_.all.filters;
    for (size_t at = 0; at < 2 * kSteps.size(); at += 2) {
      const ScanFilters& positions = filters[at];
      const ScanFilters& trees = filters[at + 1];
      const bool is_of_trees = trees.spared != positions.spared ? trees.spared > positions.spared
                                                                : trees.bytes < positions.bytes;
      advice_.by_auto.push_back(is_of_trees ? at + 1 : at);
    }
  }

  ScanRow EmptyRow() const {
    ScanRow row;
    row.filters = choices_;
    return row;
  }

  ScanRow RowOf(size_t at) const {
    const FileScans& file = files_[at];
    const auto count = [&](unsigned mask, bool holds) {
      return static_cast<double>(absl::c_count_if(
          file.answers, [&](uint16_t answer) { return ((answer & mask) != 0) == holds; }));
    };
    ScanRow row = EmptyRow();
    row.files = 1;
    row.keys = FileAt(at).keys;
    row.range_bytes = FileAt(at).range_bytes;
    row.reads = static_cast<double>(file.answers.size());
    row.in_vain = count(kHasKey, false);
    row.spared_now = count(kNowDenies, true);
    if (file.sizes.empty()) return row;
    for (size_t i = 0; i < choices_.size(); ++i) {
      ScanFilters& filters = row.filters[i];
      filters.spared = count(kDenies << i, true);
      filters.bytes = static_cast<double>(file.sizes[i]);
      if (!filters.extractor.empty()) SetPrefixes(at, &filters);
    }
    return row;
  }

  // Replaces the number of prefixes by the bytes that they add to a filter, and subtracts false
  // positives from the spared reads.
  void SetPrefixes(size_t at, ScanFilters* filters) const {
    const auto keys = static_cast<double>(files_[at].keys);
    FamilyCosts& costs = *FamilyAt(at).costs;
    const std::string& in_force = costs.policy_in_force();
    const std::string policy = in_force.empty() ? "winnow:10" : in_force;
    const FilterCost with = costs.CostOfBlock(policy, pieces_[at].at, keys + filters->bytes);
    filters->bytes = with.bytes - costs.CostOfBlock(policy, pieces_[at].at, keys).bytes;
    filters->spared *= 1 - with.rate;
  }

  static void SetInProportion(const ScanRow& built, ScanRow* row) {
    const double keys =
        static_cast<double>(row->keys) / std::max(1.0, static_cast<double>(built.keys));
    const double in_vain = row->in_vain / std::max(1.0, built.in_vain);
    for (size_t i = 0; i < row->filters.size(); ++i) {
      row->filters[i].bytes = keys * built.filters[i].bytes;
      row->filters[i].spared = in_vain * built.filters[i].spared;
    }
  }

  static void Add(const ScanRow& row, ScanRow* sum) {
    sum->files += row.files;
    sum->keys += row.keys;
    sum->range_bytes += row.range_bytes;
    sum->reads += row.reads;
    sum->in_vain += row.in_vain;
    sum->spared_now += row.spared_now;
    for (size_t i = 0; i < row.filters.size(); ++i) {
      sum->filters[i].bytes += row.filters[i].bytes;
      sum->filters[i].spared += row.filters[i].spared;
    }
  }

  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  const std::vector<AdvicePiece> pieces_;  // all files of all families
  std::vector<RecordedScan> scans_;        // sorted by `begin`
  std::vector<AskedRange> ranges_;         // one per file
  TriedFilters tried_;
  std::vector<ScanFilters> choices_;  // that are tried, in the order of the bits in answers
  std::vector<FileScans> files_;
  ScanAdvice& advice_;
};

}  // namespace

ScanAdvice AdviseOnScans(const RecordedScans& recorded, const AdviceOptions& options,
                         const AdviceProgress& progress, AdviceReading* reading) {
  ScanAdvice advice;
  advice.seeks = recorded.seeks;
  advice.with_bound = recorded.with_bound;
  advice.extractor = reading->OtherExtractor();
  const bool is_known = advice.extractor.empty() || ExtractorOf(advice.extractor) != nullptr;
  const bool has_order = absl::c_all_of(reading->families, [](const AdvisedFamily& family) {
    return WhyNoRangesByOrder(family.comparator->Name()).empty();
  });
  if (!recorded.scans.empty() && has_order && is_known) {
    Following(options, progress, reading, &advice).Follow(recorded);
  }
  return advice;
}

}  // namespace winnow::inspect
