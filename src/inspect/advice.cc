#include "src/inspect/advice.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "src/inspect/advice_budget.h"
#include "src/inspect/advice_files.h"
#include "src/inspect/advice_lookups.h"
#include "src/inspect/advice_trials.h"
#include "src/inspect/worker_pool.h"

namespace winnow::inspect {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestSilence(900);
constexpr uint64_t kSeed = 1;

// The bits that most databases have, for comparison.
constexpr double kUsualBits = 10;

// Fewer lookups tell little of rates around a hundredth.
constexpr uint64_t kFewLookups = 10'000;

// False reads of now, or of what is tried, that a verdict needs: fewer tell less than 30 %.
constexpr double kEnoughCounted = 50;

// Savings below this share of what there is are not worth a change.
constexpr double kWorthwhile = 0.03;

constexpr char kPrefixesArePresent[] =
    "Made-up lookups of filters of prefixes nearly all have prefixes that files hold, so that they "
    "can't show what filters save here: --lookups=FILE takes recorded ones.";

// Takes an even share of `total` for each part, in proportion to the parts, as whole numbers.
class EvenShares {
 public:
  EvenShares(uint64_t total, double all_parts)
      : total_(static_cast<double>(total)), all_parts_(all_parts) {}

  uint64_t Next(double part) {
    parts_ += part;
    const auto end = static_cast<uint64_t>(
        all_parts_ > 0 ? std::llround(total_ * std::min(1.0, parts_ / all_parts_)) : 0);
    const uint64_t share = end - begin_;
    begin_ = end;
    return share;
  }

 private:
  const double total_;
  const double all_parts_;
  double parts_ = 0;
  uint64_t begin_ = 0;
};

// What is tried in one row, before it has been.
struct Trial {
  AdviceRow row;
  std::vector<Candidate> candidates;  // for each family; empty: no formula knows them
};

class Adviser {
 public:
  Adviser(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
          const AdviceProgress& progress, double budget_share)
      : tables_(tables), options_(options), progress_(progress), budget_share_(budget_share) {}

  Advice Run(std::string* problem) {
    if (tables_.empty()) {
      advice_.recommendation = "There are no table files, and so there is nothing to advise on.";
      return std::move(advice_);
    }
    ReadFiles();
    Place();
    *problem = WhyNothing();
    if (!problem->empty()) {
      TakeErrors();
      return std::move(advice_);
    }
    ChooseSample();
    CountKeys();
    if (options_.recorded) {
      TakeRecorded();
    } else {
      Draw();
    }
    AskFiles();
    Formulate();
    ListCandidates();
    ListTrials();
    TryAll();
    Recommend();
    Assume();
    Describe();
    TakeErrors();
    return std::move(advice_);
  }

 private:
  // A file's place among its family's, for pieces of work.
  struct Piece {
    size_t family;
    size_t at;
  };

  AdvisedFile& FileOf(const Piece& piece) {
    return files_[families_[piece.family].files[piece.at]];
  }

  std::vector<Piece> AllPieces() const {
    std::vector<Piece> pieces;
    for (size_t family = 0; family < families_.size(); ++family) {
      for (size_t at = 0; at < families_[family].files.size(); ++at) {
        pieces.push_back({family, at});
      }
    }
    return pieces;
  }

  // Does the work for each piece in processes of their own. `take` gives false for an answer that
  // is not whole.
  void InWorkers(const std::string& step, size_t pieces,
                 const std::function<std::string(size_t, const WorkerReport&)>& work,
                 const std::function<bool(size_t, const std::string&)>& take,
                 const std::function<AdvisedFile*(size_t)>& file_of) {
    size_t done = 0;
    PooledWork pooled;
    pooled.work = work;
    pooled.on_answer = [&](size_t piece, const ChildAnswer& answer) {
      if (!answer.text) {
        file_of(piece)->error =
            absl::StrCat("the process that read the file did not get through: ", answer.problem);
      } else if (!take(piece, *answer.text)) {
        file_of(piece)->error = "the answer of the process that read the file is not whole";
      }
      progress_(step, ++done, pieces);
    };
    pooled.workers = options_.jobs;
    pooled.longest_silence = kLongestSilence;
    progress_(step, 0, pieces);
    RunInWorkers(pieces, pooled);
  }

  void ReadFiles() {
    files_.resize(tables_.size());
    InWorkers(
        "reading filters", tables_.size(),
        [&](size_t i, const WorkerReport&) {
          return PackAdvisedFile(ReadAdvisedFile(tables_[i].path));
        },
        [&](size_t i, const std::string& answer) {
          std::optional<AdvisedFile> file = UnpackAdvisedFile(answer);
          if (file) {
            files_[i] = std::move(*file);
          }
          return file.has_value();
        },
        [&](size_t i) { return &files_[i]; });
    for (size_t i = 0; i < files_.size(); ++i) {
      files_[i].path = tables_[i].path;
      files_[i].database = tables_[i].database;
      files_[i].level = tables_[i].level;
    }
  }

  void Place() {
    const std::set<std::string> wanted(options_.families.begin(), options_.families.end());
    std::vector<AdvisedFile> kept;
    for (AdvisedFile& file : files_) {
      found_families_.insert(file.family);
      if (wanted.empty() || !file.error.empty() || wanted.count(file.family) > 0) {
        kept.push_back(std::move(file));
      }
    }
    files_ = std::move(kept);
    families_ = PlaceFiles(&files_);
  }

  std::string WhyNothing() const {
    for (const std::string& name : options_.families) {
      if (found_families_.count(name) == 0) {
        return absl::StrCat("no file is of a column family '", name, "'");
      }
    }
    if (families_.empty()) {
      return "no table file could be used";
    }
    if (options_.recorded && families_.size() > 1) {
      return "recorded lookups are of one column family: name it by --cf=NAME";
    }
    return std::string();
  }

  // Files with a chance that is in proportion to their entries, one after the other in the order of
  // families, levels and keys, at even distances: so all parts of the tree are met.
  void ChooseSample() {
    const std::vector<Piece> pieces = AllPieces();
    advice_.files = pieces.size();
    double entries = 0;
    for (const Piece& piece : pieces) {
      entries += static_cast<double>(FileOf(piece).entries);
    }
    const double wanted =
        options_.sample_keys == 0 ? entries : static_cast<double>(options_.sample_keys);
    // The files to choose, were they all alike; those above one in size are chosen for sure.
    double low = 0;
    double high = static_cast<double>(pieces.size()) * 64 + 64;
    const auto read = [&](double files) {
      double sum = 0;
      for (const Piece& piece : pieces) {
        const auto size = static_cast<double>(FileOf(piece).entries);
        sum += size * std::min(1.0, files * size / std::max(1.0, entries));
      }
      return sum;
    };
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (read(middle) > wanted ? high : low) = middle;
    }
    const bool all = wanted >= entries;
    double passed = 0.5;
    tried_.assign(families_.size(), {});
    rest_.assign(families_.size(), {});
    for (const Piece& piece : pieces) {
      const auto size = static_cast<double>(FileOf(piece).entries);
      passed += std::min(1.0, low * size / std::max(1.0, entries));
      const bool chosen = all || passed >= 1;
      passed -= passed >= 1 ? 1 : 0;
      (chosen ? tried_ : rest_)[piece.family].push_back(piece.at);
    }
    if (std::all_of(tried_.begin(), tried_.end(),
                    [](const auto& files) { return files.empty(); })) {
      // A sample that is smaller than any file: the largest one is better than none.
      const Piece largest = *std::max_element(
          pieces.begin(), pieces.end(),
          [this](const Piece& a, const Piece& b) { return FileOf(a).entries < FileOf(b).entries; });
      tried_[largest.family] = {largest.at};
      auto& rest = rest_[largest.family];
      rest.erase(std::find(rest.begin(), rest.end(), largest.at));
    }
  }

  // Where no filter tells how many keys a file has: its entries may be versions of fewer.
  void CountKeys() {
    std::vector<Piece> pieces;
    for (size_t family = 0; family < families_.size(); ++family) {
      for (const size_t at : tried_[family]) {
        if (!FileOf({family, at}).keys_are_known) {
          pieces.push_back({family, at});
        }
      }
    }
    if (pieces.empty()) {
      return;
    }
    std::vector<double> counted(families_.size());
    std::vector<double> taken(families_.size());
    InWorkers(
        "counting keys", pieces.size(),
        [&](size_t i, const WorkerReport& report) {
          return PackTrial(TryPolicies(FileOf(pieces[i]), families_[pieces[i].family].shape, {}, {},
                                       {}, Beat(report)));
        },
        [&](size_t i, const std::string& answer) {
          const std::optional<FileTrial> trial = UnpackTrial(answer);
          if (trial) {
            AdvisedFile& file = FileOf(pieces[i]);
            file.error = trial->error;
            counted[pieces[i].family] += static_cast<double>(trial->keys);
            taken[pieces[i].family] += static_cast<double>(file.keys);
            file.keys = trial->keys;
          }
          return trial.has_value();
        },
        [&](size_t i) { return &FileOf(pieces[i]); });
    for (size_t family = 0; family < families_.size(); ++family) {
      for (const size_t at : rest_[family]) {
        AdvisedFile& file = FileOf({family, at});
        if (!file.keys_are_known && taken[family] > 0) {
          file.keys = static_cast<uint64_t>(
              std::llround(static_cast<double>(file.keys) * counted[family] / taken[family]));
        }
      }
      families_[family].keys = 0;
      for (const size_t file : families_[family].files) {
        families_[family].keys += files_[file].keys;
      }
    }
  }

  // A sign of life, so that a long file is not taken for a worker that hangs.
  static std::function<void(uint64_t, double)> Beat(const WorkerReport& report) {
    return [&report](uint64_t, double) { report(""); };
  }

  void TakeRecorded() {
    lookups_.resize(1);
    lookups_[0].keys = *options_.recorded;
  }

  void Draw() {
    std::vector<Piece> pieces = AllPieces();
    double keys = 0;
    for (const Piece& piece : pieces) {
      keys += static_cast<double>(FileOf(piece).entries);
    }
    EvenShares shares(options_.lookups, keys);
    std::vector<DrawOptions> draws;
    for (const Piece& piece : pieces) {
      DrawOptions draw;
      draw.lookups = shares.Next(static_cast<double>(FileOf(piece).entries));
      draw.absent_share = options_.absent_share;
      draw.seed = kSeed + 0x9e3779b97f4a7c15 * (draws.size() + 1);
      const std::vector<size_t>& tried = tried_[piece.family];
      draw.whole = std::find(tried.begin(), tried.end(), piece.at) != tried.end();
      draws.push_back(draw);
    }
    lookups_.resize(families_.size());
    InWorkers(
        "drawing lookups", pieces.size(),
        [&](size_t i, const WorkerReport&) {
          std::string error;
          const std::vector<std::string> drawn =
              draws[i].lookups == 0 ? std::vector<std::string>()
                                    : DrawLookups(FileOf(pieces[i]).path, draws[i], &error);
          return PackKeys(error, drawn);
        },
        [&](size_t i, const std::string& answer) {
          return UnpackKeys(answer, &FileOf(pieces[i]).error, &lookups_[pieces[i].family].keys);
        },
        [&](size_t i) { return &FileOf(pieces[i]); });
  }

  // The error and each key with their sizes before them.
  static std::string PackKeys(const std::string& error, const std::vector<std::string>& keys) {
    std::string packed = absl::StrCat(error.size(), " ", error);
    for (const std::string& key : keys) {
      absl::StrAppend(&packed, key.size(), " ", key);
    }
    return packed;
  }

  static bool UnpackKeys(const std::string& packed, std::string* error,
                         std::vector<std::string>* keys) {
    bool is_error = true;
    for (size_t at = 0; at < packed.size();) {
      size_t size = 0;
      for (; at < packed.size() && packed[at] >= '0' && packed[at] <= '9'; ++at) {
        size = 10 * size + static_cast<size_t>(packed[at] - '0');
      }
      if (at >= packed.size() || packed[at] != ' ' || packed.size() - at - 1 < size) {
        return false;
      }
      std::string text = packed.substr(at + 1, size);
      at += 1 + size;
      if (is_error) {
        *error = std::move(text);
      } else {
        keys->push_back(std::move(text));
      }
      is_error = false;
    }
    return !is_error;
  }

  void AskFiles() {
    const std::vector<Piece> pieces = AllPieces();
    std::vector<std::vector<AskedRange>> ranges(families_.size());
    std::vector<std::vector<std::string>> answers(families_.size());
    for (size_t family = 0; family < families_.size(); ++family) {
      const ROCKSDB_NAMESPACE::Comparator& comparator = *families_[family].comparator;
      std::vector<std::string>& keys = lookups_[family].keys;
      std::sort(keys.begin(), keys.end(), [&](const std::string& a, const std::string& b) {
        return comparator.CompareWithoutTimestamp(a, false, b, false) < 0;
      });
      for (const size_t file : families_[family].files) {
        ranges[family].push_back(LookupsWithin(keys, files_[file], comparator));
      }
      answers[family].resize(ranges[family].size());
    }
    InWorkers(
        "asking the filters that there are", pieces.size(),
        [&](size_t i, const WorkerReport&) {
          const auto& [family, at] = pieces[i];
          const AskedRange& range = ranges[family][at];
          std::string error;
          const std::string found =
              range.begin == range.end
                  ? std::string()
                  : AskFile(FileOf(pieces[i]).path, lookups_[family].keys, range, &error);
          return PackKeys(error, {found});
        },
        [&](size_t i, const std::string& answer) {
          std::vector<std::string> found;
          const bool whole = UnpackKeys(answer, &FileOf(pieces[i]).error, &found);
          answers[pieces[i].family][pieces[i].at] = found.empty() ? std::string() : found.front();
          return whole && !found.empty();
        },
        [&](size_t i) { return &FileOf(pieces[i]); });
    const bool drop_found = !options_.recorded && options_.absent_share >= 1;
    for (size_t family = 0; family < families_.size(); ++family) {
      FollowLookups(ranges[family], answers[family], drop_found, &lookups_[family]);
      advice_.lookups += lookups_[family].lookups;
      advice_.absent += lookups_[family].absent;
      std::vector<uint64_t> asks;
      for (const auto& file : lookups_[family].asks) {
        asks.push_back(file.size());
      }
      asks_.push_back(std::move(asks));
    }
  }

  double ALookup(double count) const {
    return advice_.lookups == 0 ? 0 : count / static_cast<double>(advice_.lookups);
  }

  // For plans, rounded as it is written; 1 where nothing is found.
  double AbsentShare() const {
    if (advice_.lookups == 0 || advice_.absent == advice_.lookups) {
      return 1;
    }
    return std::max(0.01, std::round(100 * ALookup(static_cast<double>(advice_.absent))) / 100);
  }

  void Formulate() {
    for (const AdvisedFamily& family : families_) {
      advice_.keys += family.keys;
    }
    for (size_t family = 0; family < families_.size(); ++family) {
      std::vector<size_t> all = tried_[family];
      all.insert(all.end(), rest_[family].begin(), rest_[family].end());
      formulas_.push_back(FormulaOf(families_[family], files_, all, asks_[family]));
      has_plans_ = has_plans_ || formulas_.back().has_plans;
    }
  }

  void ListCandidates() {
    for (const Candidate& candidate : AllCandidates(AbsentShare())) {
      if (candidate.plan != LevelPlan::kUniform && !has_plans_) {
        continue;
      }
      const CandidateCosts costs(candidate);
      Cost cost;
      for (const FamilyFormula& formula : formulas_) {
        cost += costs.Of(formula);
      }
      advice_.candidates.push_back({candidate.Text(), cost.bytes, ALookup(cost.false_reads)});
    }
  }

  // The same candidate for all families.
  void AddTrial(const std::string& title, const Candidate& candidate) {
    AddTrial(title, std::vector<Candidate>(families_.size(), candidate));
  }

  void AddTrial(const std::string& title, const std::vector<Candidate>& candidates) {
    Trial trial;
    trial.row.title = title;
    trial.candidates = candidates;
    Cost cost;
    for (size_t family = 0; family < families_.size(); ++family) {
      trial.row.policies.push_back(candidates[family].Text());
      cost += CandidateCosts(candidates[family]).Of(formulas_[family]);
    }
    trial.row.expected = Cost{cost.bytes, ALookup(cost.false_reads)};
    for (Trial& other : trials_) {
      if (other.row.policies == trial.row.policies) {
        other.row.title = other.row.title.empty() ? title : other.row.title;
        return;
      }
    }
    trials_.push_back(std::move(trial));
  }

  uint64_t FilterBytesNow() const {
    uint64_t bytes = 0;
    for (const AdvisedFamily& family : families_) {
      for (const size_t file : family.files) {
        bytes += files_[file].filter_bytes;
      }
    }
    return bytes;
  }

  double FalseReadsNow() const {
    double reads = 0;
    for (const FamilyLookups& family : lookups_) {
      reads += static_cast<double>(family.false_reads);
    }
    return reads;
  }

  void ListTrials() {
    const double share = AbsentShare();
    for (const FilterMaker maker :
         {FilterMaker::kBloomFilter, FilterMaker::kRibbonFilter, FilterMaker::kWinnow}) {
      AddTrial("", Candidate{maker, kUsualBits, LevelPlan::kUniform, 1});
    }
    if (has_plans_) {
      AddTrial("", Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kByLevel, share});
      AddTrial("", Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kAuto, share});
    }
    if (const auto bytes = static_cast<double>(FilterBytesNow()); bytes > 0 && AsksInVain()) {
      if (const auto best = BestWithin(formulas_, bytes, share)) {
        AddTrial("in the memory of now", best->candidate);
      }
      if (const auto least = LeastFor(formulas_, FalseReadsNow(), share)) {
        AddTrial("for the reads of now", least->candidate);
      }
    }
    if (options_.budget_bytes && AsksInVain() && !NoPolicyBuilds()) {
      SpendBudget(share);
    }
    for (const std::string& policy : options_.policies) {
      Trial trial;
      trial.row.policies.assign(families_.size(), policy);
      if (std::none_of(trials_.begin(), trials_.end(), [&](const Trial& other) {
            return other.row.policies == trial.row.policies;
          })) {
        trials_.push_back(std::move(trial));
      }
    }
  }

  // A family that is so small that no lookup was drawn for it still has its share of them; each is
  // taken to ask one of its files.
  double LookupsOf(size_t family) const {
    const auto lookups = static_cast<double>(lookups_[family].lookups);
    return lookups > 0 ? lookups
                       : static_cast<double>(advice_.lookups) *
                             static_cast<double>(families_[family].keys) /
                             std::max(1.0, static_cast<double>(advice_.keys));
  }

  std::vector<FamilyFormula> FormulasOfAllFamilies() const {
    std::vector<FamilyFormula> formulas = formulas_;
    for (size_t family = 0; family < formulas.size(); ++family) {
      double blocks = 0;
      for (const FileGroup& group : formulas[family].groups) {
        blocks += group.blocks;
      }
      for (FileGroup& group : formulas[family].groups) {
        if (lookups_[family].lookups == 0) {
          group.asks = LookupsOf(family) * group.blocks / blocks;
        }
      }
    }
    return formulas;
  }

  void SpendBudget(double absent_share) {
    advice_.budget_bytes = options_.budget_bytes;
    const auto split = SplitBudget(FormulasOfAllFamilies(), *options_.budget_bytes * budget_share_,
                                   absent_share, &advice_.least_bytes);
    if (!split) {
      return;
    }
    std::vector<Candidate> candidates;
    for (size_t family = 0; family < split->size(); ++family) {
      const FamilyChoice& choice = (*split)[family];
      const double lookups = LookupsOf(family);
      candidates.push_back(choice.candidate);
      advice_.budget.push_back({family, choice.candidate.Text(), choice.cost.bytes,
                                lookups > 0 ? choice.cost.false_reads / lookups : 0});
    }
    AddTrial("budget", candidates);
  }

  // What was measured of a policy in some files, and the formulas say of them.
  struct Tried {
    double bytes = 0;
    double false_reads = 0;
    double nanoseconds = 0;
    double keys = 0;
    Cost expected;
  };

  void TryAll() {
    // Rows may have a policy in common.
    std::vector<std::vector<std::string>> policies(families_.size());
    std::vector<std::vector<size_t>> place(trials_.size());
    for (size_t row = 0; row < trials_.size(); ++row) {
      for (size_t family = 0; family < families_.size(); ++family) {
        std::vector<std::string>& known = policies[family];
        const std::string& policy = trials_[row].row.policies[family];
        const auto found = std::find(known.begin(), known.end(), policy);
        place[row].push_back(static_cast<size_t>(found - known.begin()));
        if (found == known.end()) {
          known.push_back(policy);
        }
      }
    }
    std::vector<Piece> pieces;
    for (size_t family = 0; family < families_.size(); ++family) {
      for (const size_t at : tried_[family]) {
        pieces.push_back({family, at});
      }
    }
    std::vector<FileTrial> results(pieces.size());
    InWorkers(
        "building filters", pieces.size(),
        [&](size_t i, const WorkerReport& report) {
          const auto& [family, at] = pieces[i];
          return PackTrial(TryPolicies(FileOf(pieces[i]), families_[family].shape, policies[family],
                                       lookups_[family].keys, lookups_[family].asks[at],
                                       Beat(report)));
        },
        [&](size_t i, const std::string& answer) {
          std::optional<FileTrial> trial = UnpackTrial(answer);
          if (trial) {
            results[i] = std::move(*trial);
            if (!results[i].error.empty()) {
              FileOf(pieces[i]).error = results[i].error;
            }
          }
          return trial.has_value();
        },
        [&](size_t i) { return &FileOf(pieces[i]); });
    for (std::vector<size_t>& tried : tried_) {
      tried.clear();
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      const bool whole = results[i].policies.size() == policies[pieces[i].family].size();
      advice_.tried_files += whole ? 1 : 0;
      advice_.tried_keys += whole ? results[i].keys : 0;
      (whole ? tried_ : rest_)[pieces[i].family].push_back(pieces[i].at);
    }
    for (size_t family = 0; family < families_.size(); ++family) {
      tried_formulas_.push_back(
          FormulaOf(families_[family], files_, tried_[family], asks_[family]));
      rest_formulas_.push_back(FormulaOf(families_[family], files_, rest_[family], asks_[family]));
    }
    AddNow();
    for (size_t row = 0; row < trials_.size(); ++row) {
      std::vector<Tried> tried(families_.size());
      for (size_t i = 0; i < pieces.size(); ++i) {
        const size_t family = pieces[i].family;
        if (results[i].policies.size() == policies[family].size()) {
          const PolicyCost& cost = results[i].policies[place[row][family]];
          tried[family].bytes += static_cast<double>(cost.bytes);
          tried[family].false_reads += static_cast<double>(cost.false_reads);
          tried[family].nanoseconds += static_cast<double>(cost.nanoseconds);
          tried[family].keys += static_cast<double>(results[i].keys);
        }
      }
      Sum(tried, &trials_[row]);
      advice_.rows.push_back(trials_[row].row);
    }
    std::stable_sort(advice_.rows.begin() + 1, advice_.rows.end(),
                     [](const AdviceRow& a, const AdviceRow& b) { return a.bytes < b.bytes; });
  }

  void AddNow() {
    AdviceRow now;
    now.title = "now";
    now.bytes = static_cast<double>(FilterBytesNow());
    now.counted = static_cast<uint64_t>(FalseReadsNow());
    now.false_reads = ALookup(FalseReadsNow());
    now.interval = PoissonInterval(now.counted, advice_.lookups);
    advice_.rows.push_back(std::move(now));
  }

  struct Corrected {
    double value = 0;
    double error = 0;  // a share of it, which it errs by at most in 95 of 100 cases
  };

  // What a formula says of files that were not tried, by what it said of those that were. Few false
  // reads tell less of the formula than it is known to be worth: it errs by some 5 %, as a count of
  // kFormulaIsWorth would. Unless it is plainly wrong, as for prefixes.
  static Corrected Correct(double formula, double counted, double expected) {
    constexpr double kFormulaIsWorth = 400;
    constexpr double kDeviations = 4;
    const bool is_wrong = std::abs(counted - expected) > kDeviations * std::sqrt(expected + 1) &&
                          std::abs(counted / std::max(expected, 1e-9) - 1) > 0.25;
    const double worth = is_wrong ? 0 : kFormulaIsWorth;
    if (expected + worth <= 0) {
      return {formula, 1};
    }
    return {formula * (counted + worth) / (expected + worth),
            std::min(1.0, 2 / std::sqrt(std::max(1.0, counted + worth)))};
  }

  // What was not tried has what the formulas say, or without them what its keys and lookups are to
  // those that were tried; and as much more or less as what was tried.
  void Sum(const std::vector<Tried>& tried, Trial* trial) {
    Tried all;
    Cost rest;
    double rest_keys = 0;
    double rest_asks = 0;
    double tried_asks = 0;
    for (size_t family = 0; family < families_.size(); ++family) {
      all.bytes += tried[family].bytes;
      all.false_reads += tried[family].false_reads;
      all.nanoseconds += tried[family].nanoseconds;
      all.keys += tried[family].keys;
      if (!trial->candidates.empty()) {
        const CandidateCosts costs(trial->candidates[family]);
        all.expected += costs.Of(tried_formulas_[family]);
        rest += costs.Of(rest_formulas_[family]);
      }
      for (const size_t at : rest_[family]) {
        rest_keys += static_cast<double>(FileOf({family, at}).keys);
        rest_asks += static_cast<double>(asks_[family][at]);
      }
      for (const size_t at : tried_[family]) {
        tried_asks += static_cast<double>(asks_[family][at]);
      }
    }
    if (trial->candidates.empty()) {
      all.expected = {std::max(1.0, all.keys), std::max(1.0, tried_asks)};
      rest = {rest_keys, rest_asks};
    }
    AdviceRow& row = trial->row;
    row.bytes = all.bytes +
                (all.expected.bytes > 0 ? rest.bytes * all.bytes / all.expected.bytes : rest.bytes);
    row.counted = static_cast<uint64_t>(all.false_reads);
    const Corrected more = Correct(rest.false_reads, all.false_reads, all.expected.false_reads);
    const Interval counted = PoissonInterval(row.counted, advice_.lookups);
    row.false_reads = ALookup(all.false_reads + more.value);
    row.interval.low = counted.low + ALookup(more.value * (1 - more.error));
    row.interval.high = counted.high + ALookup(more.value * (1 + more.error));
    if (all.keys > 0 && all.nanoseconds > 0) {
      row.nanoseconds_a_key = all.nanoseconds / all.keys;
    }
  }

  const AdviceRow* RowOf(const std::string& title) const {
    const auto found = std::find_if(advice_.rows.begin(), advice_.rows.end(),
                                    [&](const AdviceRow& row) { return row.title == title; });
    return found == advice_.rows.end() ? nullptr : &*found;
  }

  bool AsksInVain() const {
    return std::any_of(asks_.begin(), asks_.end(), [](const std::vector<uint64_t>& files) {
      return std::any_of(files.begin(), files.end(), [](uint64_t asks) { return asks > 0; });
    });
  }

  // For kEnoughCounted false reads, at the rate of now; where that is not known, at the one that
  // formulas expect of the first policy. Beyond what there is: there are too few.
  double LookupsNeeded() const {
    const AdviceRow& now = advice_.rows.front();
    if (static_cast<double>(now.counted) >= kEnoughCounted) {
      return 0;
    }
    double rate = now.counted >= 5 ? now.false_reads : 0;
    for (const Trial& trial : trials_) {
      if (rate <= 0 && trial.row.expected) {
        rate = trial.row.expected->false_reads;
      }
    }
    return std::max(static_cast<double>(advice_.lookups) + 1,
                    std::ceil(kEnoughCounted / std::max(rate, 1e-6)));
  }

  // All files are where optimize_filters_for_hits has no filters.
  bool NoPolicyBuilds() const {
    return std::all_of(formulas_.begin(), formulas_.end(), [](const FamilyFormula& family) {
      return std::all_of(family.groups.begin(), family.groups.end(),
                         [](const FileGroup& group) { return group.unfiltered; });
    });
  }

  bool SomeAreUnfiltered() const {
    return std::any_of(formulas_.begin(), formulas_.end(), [](const FamilyFormula& family) {
      return std::any_of(family.groups.begin(), family.groups.end(),
                         [](const FileGroup& group) { return group.unfiltered; });
    });
  }

  // Not more than now, but for what the choice of the lookups makes of it.
  static bool ReadsAsLittle(const AdviceRow& row, const AdviceRow& now) {
    constexpr double kMostMore = 1.03;
    const std::optional<Interval> counted = RatioInterval(row.counted, now.counted);
    if (!counted || row.false_reads > kMostMore * now.false_reads) {
      return row.false_reads <= now.false_reads;
    }
    // The counts are of the files that were tried, the reads of all.
    const double of_counts = static_cast<double>(row.counted) / static_cast<double>(now.counted);
    return counted->low * row.false_reads / now.false_reads / of_counts <= 1;
  }

  // Lookups were made up for filters of prefixes only, and no filter denies even half of them.
  bool MostPrefixesArePresent() const {
    const bool prefixes_only = std::any_of(
        files_.begin(), files_.end(),
        [](const AdvisedFile& file) { return file.error.empty() && file.has_prefixes_only; });
    double asks = 0;
    for (const std::vector<uint64_t>& files : asks_) {
      for (const uint64_t lookups : files) {
        asks += static_cast<double>(lookups);
      }
    }
    return prefixes_only && !options_.recorded &&
           std::all_of(advice_.rows.begin(), advice_.rows.end(),
                       [&](const AdviceRow& row) { return row.false_reads > ALookup(asks) / 2; });
  }

  void Recommend() {
    const AdviceRow& now = advice_.rows.front();
    if (!AsksInVain()) {
      advice_.recommendation =
          "None of these lookups asks a file for a key that it does not have, so no filter would "
          "save a read: there is nothing to recommend.";
      return;
    }
    if (NoPolicyBuilds()) {
      advice_.recommendation =
          "The OPTIONS file has optimize_filters_for_hits, and all files are of the last level, "
          "which gets no filters for it, whatever the policy: turn it off if lookups of absent "
          "keys matter.";
      return;
    }
    if (advice_.budget_bytes) {
      RecommendBudget(now);
      return;
    }
    if (MostPrefixesArePresent()) {
      advice_.recommendation = kPrefixesArePresent;
      return;
    }
    if (const double needed = LookupsNeeded(); needed > static_cast<double>(advice_.lookups)) {
      advice_.recommendation =
          absl::StrFormat("%d lookups are too few to tell policies apart: some %.0f are needed%s.",
                          advice_.lookups, needed, options_.recorded ? "" : " (--draws)");
      return;
    }
    if (now.bytes == 0) {
      const auto best = std::find_if(trials_.rbegin(), trials_.rend(), [&](const Trial& trial) {
        return !trial.candidates.empty() &&
               trial.candidates.front().plan ==
                   (has_plans_ ? LevelPlan::kAuto : LevelPlan::kUniform) &&
               trial.candidates.front().maker == FilterMaker::kWinnow;
      });
      if (best != trials_.rend()) {
        advice_.recommendation = absl::StrFormat(
            "The files have no filters: with filter_policy=%s a lookup would read %.3g blocks in "
            "vain instead of %.3g, for %.2f bits a key.",
            best->row.OnePolicy(), best->row.false_reads, now.false_reads,
            8 * best->row.bytes / std::max(1.0, static_cast<double>(advice_.keys)));
      }
      return;
    }
    const AdviceRow* same_memory = RowOf("in the memory of now");
    const AdviceRow* same_reads = RowOf("for the reads of now");
    std::vector<std::string> ways;
    if (same_memory != nullptr && same_memory->false_reads < (1 - kWorthwhile) * now.false_reads) {
      ways.push_back(
          absl::StrFormat("with filter_policy=%s lookups read %.2f of what they now read "
                          "in vain, for %.2f of the memory",
                          same_memory->OnePolicy(), same_memory->false_reads / now.false_reads,
                          same_memory->bytes / now.bytes));
    }
    if (same_reads != nullptr && same_reads->bytes < (1 - kWorthwhile) * now.bytes &&
        now.false_reads > 0 && ReadsAsLittle(*same_reads, now)) {
      ways.push_back(absl::StrFormat(
          "with filter_policy=%s as little (%.2f) for %.2f of the memory", same_reads->OnePolicy(),
          same_reads->false_reads / now.false_reads, same_reads->bytes / now.bytes));
    }
    if (ways.empty()) {
      advice_.recommendation =
          "Keep what there is: no candidate takes 3 % less memory for as few false reads, or reads "
          "3 % less in the same memory.";
      return;
    }
    std::string sentence = absl::StrCat(absl::StrJoin(ways, "; "), ".");
    sentence[0] = 'W';
    advice_.recommendation = sentence;
  }

  void RecommendBudget(const AdviceRow& now) {
    if (advice_.budget.empty()) {
      advice_.recommendation = absl::StrFormat(
          "No: even with %g bits a key, filters of all files take %.0f bytes, the budget is %.0f.",
          kFewestBudgetBits, advice_.least_bytes, *advice_.budget_bytes);
      return;
    }
    const AdviceRow* row = RowOf("budget");
    if (row == nullptr) {  // the same as one that has another title
      const auto found = std::find_if(advice_.rows.begin(), advice_.rows.end(), [&](const auto& r) {
        return r.policies.size() == advice_.budget.size() &&
               std::equal(
                   r.policies.begin(), r.policies.end(), advice_.budget.begin(),
                   [](const auto& policy, const auto& part) { return policy == part.policy; });
      });
      row = found == advice_.rows.end() ? nullptr : &*found;
    }
    if (row == nullptr) {
      return;
    }
    advice_.budget_taken = row->bytes;
    const std::string what = row->OnePolicy().empty()
                                 ? "the policies of the split"
                                 : absl::StrCat("filter_policy=", row->OnePolicy());
    advice_.recommendation = absl::StrFormat(
        "With %s the filters take %.0f bytes of the budget of %.0f, and a lookup reads %.3g blocks "
        "in vain; now it is %.3g, for %.0f bytes.",
        what, row->bytes, *advice_.budget_bytes, row->false_reads, now.false_reads, now.bytes);
  }

  void Assume() {
    std::vector<std::string>& said = advice_.assumptions;
    if (options_.recorded) {
      said.emplace_back(
          "Lookups are the recorded ones, each as often as the list has it; a lookup of a key that "
          "is there asks the files above it.");
    } else {
      said.push_back(absl::StrCat(
          "Lookups are made up: keys drawn from all keys alike",
          options_.absent_share < 1
              ? absl::StrFormat(", %.3g of them changed to near misses", options_.absent_share)
              : ", each changed to a near miss that is in no file",
          families_.size() > 1 ? ", over the column families by their keys" : "",
          ". Which keys are looked up, how often each, and how many are there, files can't tell: "
          "--lookups=FILE takes recorded ones."));
    }
    said.emplace_back(
        "Caches are not in this: a block that is read in vain may be in memory, and filters that "
        "are "
        "not pinned may be read from disk.");
    if (advice_.lookups < kFewLookups) {
      said.push_back(absl::StrCat("Only ", advice_.lookups,
                                  " lookups count, so that false reads are known roughly."));
    }
    if (has_plans_) {
      said.emplace_back(
          "Plans by level are counted with the tree as it is: each file where it lies now, and the "
          "policy knowing which levels have some of its keys. by_level is for random writes only.");
    }
    const bool partitioned = std::any_of(files_.begin(), files_.end(),
                                         [](const auto& file) { return file.partitions > 0; });
    if (partitioned) {
      said.emplace_back("Partitioned filters are cut where they are cut now.");
    }
    std::set<std::string> prefixes;
    bool levels_known = true;
    bool other_policy = false;
    for (const AdvisedFile& file : files_) {
      if (file.error.empty() && file.has_prefixes_only) {
        prefixes.insert(file.contents);
      }
      other_policy = other_policy || file.unread_filter;
    }
    for (const std::string& contents : prefixes) {
      said.push_back(absl::StrCat(
          "Filters have ", contents,
          " and no whole keys: near misses differ within the prefix, and where that is there all "
          "the same, no filter helps; the formulas leave this out."));
    }
    if (advice_.budget_bytes && MostPrefixesArePresent()) {
      said.emplace_back(kPrefixesArePresent);
    }
    if (SomeAreUnfiltered()) {
      said.emplace_back(
          "The OPTIONS file has optimize_filters_for_hits: no policy builds filters for the files "
          "of the last level.");
    }
    if (other_policy) {
      said.emplace_back(
          "Some files have filters of a policy that this program does not read: they count as "
          "none.");
    }
    for (const AdvisedFamily& family : families_) {
      levels_known = levels_known && family.knows_levels;
    }
    if (!levels_known) {
      said.emplace_back(
          "Some files have no known level: a lookup is taken to ask all of them whose range has "
          "the "
          "key, the highest number first.");
    }
    if (advice_.tried_files < advice_.files) {
      said.emplace_back(
          "Filters were built for a sample of the files, chosen by their size; for the others the "
          "formulas' figures are taken, corrected by what the sample has more or less than they "
          "say. The row \"now\" is of all files.");
    }
    said.emplace_back(
        "Deleted ranges are not looked at. Nanoseconds a key are of this machine, at this moment.");
  }

  void Describe() {
    advice_.recorded = options_.recorded.has_value();
    for (size_t i = 0; i < families_.size(); ++i) {
      AdviceFamilyReport report;
      report.database = families_[i].database;
      report.name = families_[i].name;
      report.files = families_[i].files.size();
      report.keys = families_[i].keys;
      report.lookups = lookups_[i].lookups;
      report.absent = lookups_[i].absent;
      report.false_reads = lookups_[i].lookups == 0 ? 0
                                                    : static_cast<double>(lookups_[i].false_reads) /
                                                          static_cast<double>(lookups_[i].lookups);
      std::map<int, uint64_t> levels;
      for (const size_t file : families_[i].files) {
        report.filter_bytes += files_[file].filter_bytes;
        levels[files_[file].level.value_or(-1)] += files_[file].keys;
      }
      report.keys_by_level.assign(levels.begin(), levels.end());
      advice_.families.push_back(std::move(report));
    }
  }

  void TakeErrors() {
    for (const AdvisedFile& file : files_) {
      if (!file.error.empty()) {
        advice_.errors.push_back({file.path, file.error});
      }
    }
  }

  const std::vector<AdviceTable>& tables_;
  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  const double budget_share_;  // of the budget, that formulas may spend

  std::vector<AdvisedFile> files_;
  std::set<std::string> found_families_;
  std::vector<AdvisedFamily> families_;
  // By family, places in AdvisedFamily::files.
  std::vector<std::vector<size_t>> tried_;
  std::vector<std::vector<size_t>> rest_;
  std::vector<FamilyLookups> lookups_;
  std::vector<std::vector<uint64_t>> asks_;
  std::vector<FamilyFormula> formulas_;
  std::vector<FamilyFormula> tried_formulas_;
  std::vector<FamilyFormula> rest_formulas_;
  bool has_plans_ = false;
  std::vector<Trial> trials_;
  Advice advice_;
};

}  // namespace

std::string AdviceRow::OnePolicy() const {
  const bool same = !policies.empty() && std::all_of(policies.begin(), policies.end(),
                                                     [this](const std::string& policy) {
                                                       return policy == policies.front();
                                                     });
  return same ? policies.front() : std::string();
}

Advice Advise(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem) {
  // Filters of few keys may take more than the formulas say of them: then these get less.
  constexpr int kMostTries = 4;
  constexpr double kSafety = 0.995;
  double share = 1;
  Advice advice = Adviser(tables, options, progress, share).Run(problem);
  for (int tries = 1; tries < kMostTries && problem->empty() && advice.budget_bytes &&
                      !advice.budget.empty() && advice.budget_taken > *advice.budget_bytes;
       ++tries) {
    share *= kSafety * *advice.budget_bytes / advice.budget_taken;
    advice = Adviser(tables, options, progress, share).Run(problem);
  }
  return advice;
}

}  // namespace winnow::inspect
