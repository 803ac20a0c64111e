#include "tools/winnow/advise/advice_rows.h"

#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "src/policy_trial/trial_filter.h"
#include "tools/winnow/advise/advice_learning.h"
#include "tools/winnow/advise/advice_trials.h"

namespace winnow::inspect {
namespace {

// What was measured of a policy in some files, and the formulas say of them.
struct Tried {
  double bytes = 0;
  double false_reads = 0;
  double keys = 0;
  Cost expected;
};

struct Corrected {
  double value = 0;
  double error = 0;  // a share of it, which it errs by at most in 95 of 100 cases
};

// What a formula says of files that were not tried, by what it said of those that were. Few false
// reads tell less of the formula than it is known to be worth: it errs by some 5 %, as a count of
// kFormulaIsWorth would. Unless it is plainly wrong, as for prefixes.
Corrected Correct(double formula, double counted, double expected) {
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

// Any beginning of them is spread evenly over the whole, which is what is tried where time is
// short.
std::vector<AdvicePiece> SpreadOut(const std::vector<AdvicePiece>& pieces) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const double at = static_cast<double>(i) * kGoldenRatio;
    order.emplace_back(at - std::floor(at), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<AdvicePiece> spread;
  for (const auto& [at, piece] : order) {
    spread.push_back(pieces[piece]);
  }
  return spread;
}

// A policy may be written in several ways: bloomfilter:10 and bloomfilter:10:false.
bool AreSame(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const std::string& one, const std::string& other) {
                      const std::optional<PolicyOptions> ours = WinnowPolicyOf(one);
                      const std::optional<PolicyOptions> others_options = WinnowPolicyOf(other);
                      if (ours && others_options) {
                        return ShortText(*ours) == ShortText(*others_options);
                      }
                      std::string problem;
                      const auto a = PolicyOfText(one, &problem);
                      const auto b = PolicyOfText(other, &problem);
                      return a != nullptr && b != nullptr && a->GetId() == b->GetId();
                    });
}

class Trying {
 public:
  Trying(const AdviceReading& reading, std::chrono::steady_clock::time_point deadline,
         Advice* advice)
      : read_(reading),
        deadline_(deadline),
        pieces_(SpreadOut(reading.PiecesToTry())),
        results_(pieces_.size()),
        policies_(reading.families.size()),
        advice_(*advice) {}

  std::map<size_t, std::string> All(int jobs, const AdviceProgress& progress) && {
    ListPolicies();
    Build(jobs, progress);
    PartFiles();
    const AdviceRow now = Now();
    for (AdviceRow& row : advice_.rows) {
      Sum(TriedOf(row), &row);
      TakeNow(now, &row);
    }
    std::stable_sort(advice_.rows.begin(), advice_.rows.end(),
                     [](const AdviceRow& a, const AdviceRow& b) { return a.bytes < b.bytes; });
    advice_.rows.insert(advice_.rows.begin(), now);
    Compact();
    return std::move(errors_);
  }

 private:
  // Rows may have a policy in common.
  void ListPolicies() {
    for (const AdviceRow& row : advice_.rows) {
      for (size_t family = 0; family < read_.families.size(); ++family) {
        const std::string& policy = row.policies[family];
        if (PlaceOf(policy, family) == policies_[family].size()) {
          policies_[family].push_back(policy);
        }
        AdvisedRule* const rule = RuleOf(family, policy);
        if (rule != nullptr) rule->BitsUnder(policy);  // once, before workers ask for them
      }
    }
  }

  // In policies_[family].
  size_t PlaceOf(const std::string& policy, size_t family) const {
    const std::vector<std::string>& known = policies_[family];
    return static_cast<size_t>(std::find(known.begin(), known.end(), policy) - known.begin());
  }

  // Where the policy learns from lookups; else null.
  AdvisedLearning* LearningOf(size_t family, const std::string& policy) const {
    AdvisedLearning* const learning = read_.families[family].learning.get();
    return learning != nullptr && LearnedPolicyOf(policy) ? learning : nullptr;
  }

  // Null where the policy goes by levels.
  AdvisedRule* RuleOf(size_t family, const std::string& policy) const {
    AdvisedLearning* const learning = LearningOf(family, policy);
    return learning != nullptr ? learning : read_.families[family].rule.get();
  }

  // The policies for one file: a uniform policy with the bits that this file gets stands for one
  // that goes by the tree's files.
  std::vector<TriedPolicy> PoliciesOf(size_t family, size_t at) const {
    std::vector<TriedPolicy> policies;
    for (const std::string& policy : policies_[family]) {
      AdvisedLearning* const learning = LearningOf(family, policy);
      AdvisedRule* const rule = RuleOf(family, policy);
      policies.push_back(
          {rule == nullptr ? policy : rule->PolicyFor(policy, at),
           learning == nullptr ? &read_.lookups[family].asks[at] : &learning->asks(at)});
    }
    return policies;
  }

  std::string& ErrorOf(size_t piece) {
    return errors_[read_.families[pieces_[piece].family].files[pieces_[piece].at]];
  }

  // One file is tried though the time is over; where it is gone meanwhile, another one.
  void Build(int jobs, const AdviceProgress& progress) {
    std::vector<size_t> all(pieces_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    BuildSome(all, jobs, progress);
    for (size_t next = 0; next < pieces_.size() && !AnyIsWhole(); ++next) {
      if (results_[next].out_of_time) {
        BuildSome({next}, jobs, progress);
      }
    }
  }

  bool AnyIsWhole() const {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (IsWhole(i)) {
        return true;
      }
    }
    return false;
  }

  // Pieces; the first of them whatever the time.
  void BuildSome(const std::vector<size_t>& some, int jobs, const AdviceProgress& progress) {
    std::vector<AdvicePiece> files;
    for (const size_t piece : some) files.push_back(pieces_[piece]);
    DoAdviceWork(
        {"building filters", read_.EntriesOf(files), jobs, progress},
        [&](size_t number, const auto& beat) {
          if (number > 0 && std::chrono::steady_clock::now() >= deadline_) {
            FileTrial none;
            none.out_of_time = true;
            return none;
          }
          const auto& [family, at] = files[number];
          return TryPolicies(read_.FileOf(files[number]), read_.families[family].shape,
                             PoliciesOf(family, at), read_.lookups[family].keys, beat);
        },
        [&](size_t number, FileTrial trial) {
          advice_.out_of_time = advice_.out_of_time || trial.out_of_time;
          if (!trial.error.empty()) {
            ErrorOf(some[number]) = trial.error;
          }
          results_[some[number]] = std::move(trial);
        },
        [&](size_t number) -> std::string& { return ErrorOf(some[number]); });
  }

  bool IsWhole(size_t piece) const {
    return results_[piece].policies.size() == policies_[pieces_[piece].family].size();
  }

  // Into those that all policies were tried on, and the rest.
  void PartFiles() {
    tried_.resize(read_.families.size());
    rest_ = read_.rest;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const bool whole = IsWhole(i);
      advice_.tried_files += whole ? 1 : 0;
      advice_.tried_keys += whole ? results_[i].keys : 0;
      (whole ? tried_ : rest_)[pieces_[i].family].push_back(pieces_[i].at);
    }
    for (size_t family = 0; family < read_.families.size(); ++family) {
      tried_formulas_.push_back(FormulaOf(read_.families[family], read_.files, tried_[family],
                                          read_.asks[family], read_.AbsentShare()));
      rest_formulas_.push_back(FormulaOf(read_.families[family], read_.files, rest_[family],
                                         read_.asks[family], read_.AbsentShare()));
    }
  }

  // Of the row's policies, by family.
  std::vector<Tried> TriedOf(const AdviceRow& row) const {
    std::vector<Tried> tried(read_.families.size());
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (IsWhole(i)) {
        const size_t family = pieces_[i].family;
        const PolicyCost& cost = results_[i].policies[PlaceOf(row.policies[family], family)];
        tried[family].bytes += static_cast<double>(cost.bytes);
        tried[family].false_reads += static_cast<double>(cost.false_reads);
        tried[family].keys += static_cast<double>(results_[i].keys);
      }
    }
    return tried;
  }

  AdviceRow Now() const {
    AdviceRow now;
    now.purpose = RowPurpose::kNow;
    now.bytes = static_cast<double>(read_.FilterBytesNow());
    now.counted = static_cast<uint64_t>(read_.FalseReadsNow());
    now.false_reads = read_.ALookup(read_.FalseReadsNow());
    now.interval = PoissonInterval(now.counted, read_.num_lookups);
    return now;
  }

  // The filters that there are, of all files, tell more of their policy than a sample does.
  void TakeNow(const AdviceRow& now, AdviceRow* row) const {
    if (advice_.tried_files < read_.AllPieces().size() && row->expected &&
        AreSame(row->policies, read_.PoliciesInForce()) &&
        read_.FiltersAreOf(row->policies, row->expected->bytes)) {
      row->bytes = now.bytes;
      row->counted = now.counted;
      row->false_reads = now.false_reads;
      row->interval = now.interval;
    }
  }

  // Of a tree that is compacted already, what it is once compacted is what was measured; "now" as
  // far as its filters are those of the policy in force.
  void Compact() {
    CompactedCosts costs(read_.compacted);
    const bool already = read_.AllAreCompacted();
    for (AdviceRow& row : advice_.rows) {
      const bool is_now = row.purpose == RowPurpose::kNow;
      if (is_now || !already) {
        row.compacted = costs.Of(is_now ? read_.PoliciesInForce() : row.policies);
      }
      if (row.compacted) {
        row.compacted->false_reads = read_.ALookup(row.compacted->false_reads);
      }
      if (already && (!is_now || (row.compacted && read_.FiltersAreOf(read_.PoliciesInForce(),
                                                                      row.compacted->bytes)))) {
        row.compacted = Cost{row.bytes, row.false_reads};
      }
    }
  }

  // What was not tried has what the formulas say, or without them what its keys and lookups are to
  // those that were tried; and as much more or less as what was tried. Lookups that a policy
  // learned from are not asked under it: the others stand for all.
  void Sum(const std::vector<Tried>& tried, AdviceRow* row) const {
    Tried all;
    Cost rest;
    double rest_keys = 0;
    double rest_asks = 0;
    double tried_asks = 0;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      all.bytes += tried[family].bytes;
      all.false_reads += tried[family].false_reads;
      all.keys += tried[family].keys;
      if (!row->candidates.empty()) {
        const CandidateCosts costs(row->candidates[family]);
        all.expected += costs.Of(tried_formulas_[family]);
        rest += costs.Of(rest_formulas_[family]);
      }
      for (const size_t at : rest_[family]) {
        rest_keys += static_cast<double>(read_.FileOf({family, at}).keys);
        rest_asks += static_cast<double>(read_.asks[family][at]);
      }
      for (const size_t at : tried_[family]) {
        tried_asks += static_cast<double>(read_.asks[family][at]);
      }
    }
    if (row->candidates.empty()) {
      all.expected = {std::max(1.0, all.keys), std::max(1.0, tried_asks)};
      rest = {rest_keys, rest_asks};
    }
    const double scale = AllToAsked(*row);
    const double lookups = static_cast<double>(read_.num_lookups) / scale;
    row->bytes = all.bytes + (all.expected.bytes > 0 ? rest.bytes * all.bytes / all.expected.bytes
                                                     : rest.bytes);
    row->counted = static_cast<uint64_t>(all.false_reads);
    const Corrected more =
        Correct(rest.false_reads / scale, all.false_reads, all.expected.false_reads / scale);
    const Interval counted =
        PoissonInterval(row->counted, static_cast<uint64_t>(std::llround(lookups)));
    const auto a_lookup = [lookups](double reads) { return lookups > 0 ? reads / lookups : 0; };
    row->false_reads = a_lookup(all.false_reads + more.value);
    row->interval.low = counted.low + a_lookup(more.value * (1 - more.error));
    row->interval.high = counted.high + a_lookup(more.value * (1 + more.error));
  }

  // All lookups, to those that the row's filters were asked for.
  double AllToAsked(const AdviceRow& row) const {
    AdvisedLearning* const learning = LearningOf(0, row.policies[0]);
    return learning == nullptr ? 1 : learning->all_to_judged();
  }

  const AdviceReading& read_;
  const std::chrono::steady_clock::time_point deadline_;
  const std::vector<AdvicePiece> pieces_;
  std::vector<FileTrial> results_;                  // of the pieces
  std::vector<std::vector<std::string>> policies_;  // by family
  // By family, places in AdvisedFamily::files: those on which all policies were tried.
  std::vector<std::vector<size_t>> tried_;
  std::vector<std::vector<size_t>> rest_;
  std::vector<FamilyFormula> tried_formulas_;
  std::vector<FamilyFormula> rest_formulas_;
  std::map<size_t, std::string> errors_;
  Advice& advice_;
};

}  // namespace

std::map<size_t, std::string> TryAll(const AdviceReading& reading, int jobs,
                                     std::chrono::steady_clock::time_point deadline,
                                     const AdviceProgress& progress, Advice* advice) {
  return Trying(reading, deadline, advice).All(jobs, progress);
}

void TimeBuilds(const AdviceReading& reading, std::vector<AdviceRow>* rows) {
  // Families whose filters are of about as many keys share a time.
  std::map<std::pair<std::string, int>, size_t> known;
  std::vector<TimedBuild> builds;
  std::vector<std::vector<std::pair<size_t, double>>> of_rows(rows->size());  // with their keys
  for (size_t row = 0; row < rows->size(); ++row) {
    for (size_t family = 0; family < (*rows)[row].policies.size(); ++family) {
      const CompactedFamily& compacted = reading.compacted[family];
      const double keys = static_cast<double>(reading.families[family].keys);
      const double of_a_file = keys / static_cast<double>(reading.families[family].files.size());
      const std::string& policy = (*rows)[row].policies[family];
      const auto [at, is_new] = known.try_emplace(
          std::pair(policy, static_cast<int>(std::log2(std::max(of_a_file, 1.0)))), builds.size());
      if (is_new) {
        TreeShape shape = compacted.formula.shape;
        shape.last_level_has_filters = true;
        builds.push_back(
            {policy, shape, compacted.place, static_cast<uint64_t>(std::max(of_a_file, 1.0))});
      }
      of_rows[row].emplace_back(at->second, keys);
    }
  }
  const std::vector<double> times = NanosecondsAKey(builds);
  for (size_t row = 0; row < rows->size(); ++row) {
    double keys = 0;
    double nanoseconds = 0;
    for (const auto& [build, of_family] : of_rows[row]) {
      keys += times[build] > 0 ? of_family : 0;
      nanoseconds += times[build] * of_family;
    }
    if (keys > 0) {
      (*rows)[row].nanoseconds_a_key = nanoseconds / keys;
    }
  }
}

}  // namespace winnow::inspect
