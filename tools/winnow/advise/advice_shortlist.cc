#include "tools/winnow/advise/advice_shortlist.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tools/winnow/advise/advice_budget.h"

namespace winnow::inspect {
namespace {

// The bits that most databases have, for comparison.
constexpr double kUsualBits = 10;

// A policy that reads so much more than now's once compacted is none to be warned of.
constexpr double kHardlyMore = 1.02;

class Lister {
 public:
  Lister(const AdviceReading& reading, const AdviceOptions& options, const SpendingShares& shares)
      : read_(reading), options_(options), shares_(shares) {}

  Shortlist List() && {
    const double share = read_.AbsentShare();
    for (const FilterMaker maker :
         {FilterMaker::kBloomFilter, FilterMaker::kRibbonFilter, FilterMaker::kWinnow}) {
      AddTrial("", Candidate{maker, kUsualBits, LevelPlan::kUniform, 1});
    }
    if (read_.has_plans) {
      AddTrial("", Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kByLevel, share});
      AddTrial("", Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kAuto, share});
    }
    if (read_.FilterBytesNow() > 0 && read_.AsksInVain()) {
      CompareWithNow(share);
    }
    if (options_.budget_bytes && read_.AsksInVain() && !read_.NoPolicyBuilds()) {
      SpendBudget(share);
    }
    for (const std::string& policy : options_.policies) {
      AdviceTrial trial;
      trial.row.policies.assign(read_.families.size(), policy);
      if (std::none_of(list_.trials.begin(), list_.trials.end(), [&](const AdviceTrial& other) {
            return other.row.policies == trial.row.policies;
          })) {
        list_.trials.push_back(std::move(trial));
      }
    }
    return std::move(list_);
  }

 private:
  void CompareWithNow(double share) {
    const double bytes = shares_.memory * static_cast<double>(read_.FilterBytesNow());
    if (const auto best = BestWithin(read_.formulas, bytes, share)) {
      AddTrial(kInTheMemoryOfNow, best->candidate);
    }
    if (const auto least = LeastFor(read_.formulas, read_.FalseReadsNow(), share)) {
      AddTrial(kForTheReadsOfNow, least->candidate);
    }
    const std::optional<Cost> compacted =
        CompactedCosts(read_.compacted).Of(read_.PoliciesInForce());
    if (!compacted) {
      return;
    }
    const AlsoWithin also = {read_.CompactedFormulas(), kHardlyMore * compacted->false_reads};
    if (const auto best = BestWithin(read_.formulas, bytes, share, &also)) {
      AddTrial(kInTheMemoryAlsoCompacted, best->candidate);
    }
    if (const auto least = LeastFor(read_.formulas, read_.FalseReadsNow(), share, &also)) {
      AddTrial(kForTheReadsAlsoCompacted, least->candidate);
    }
  }

  // The same candidate for all families.
  void AddTrial(const std::string& title, const Candidate& candidate) {
    AddTrial(title, std::vector<Candidate>(read_.families.size(), candidate));
  }

  void AddTrial(const std::string& title, const std::vector<Candidate>& candidates) {
    AdviceTrial trial;
    trial.row.title = title;
    trial.candidates = candidates;
    Cost cost;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      trial.row.policies.push_back(candidates[family].Text());
      cost += CandidateCosts(candidates[family]).Of(read_.formulas[family]);
    }
    trial.row.expected = Cost{cost.bytes, read_.ALookup(cost.false_reads)};
    for (AdviceTrial& other : list_.trials) {
      if (other.row.policies == trial.row.policies) {
        other.row.title = other.row.title.empty() ? title : other.row.title;
        return;
      }
    }
    list_.trials.push_back(std::move(trial));
  }

  // A family that is so small that no lookup was drawn for it still has its share of them; each is
  // taken to ask one of its files.
  double LookupsOf(size_t family) const {
    const auto lookups = static_cast<double>(read_.lookups[family].lookups);
    return lookups > 0 ? lookups
                       : static_cast<double>(read_.num_lookups) *
                             static_cast<double>(read_.families[family].keys) /
                             std::max(1.0, static_cast<double>(read_.keys));
  }

  std::vector<FamilyFormula> FormulasOfAllFamilies() const {
    std::vector<FamilyFormula> formulas = read_.formulas;
    for (size_t family = 0; family < formulas.size(); ++family) {
      double blocks = 0;
      for (const FileGroup& group : formulas[family].groups) {
        blocks += group.blocks;
      }
      for (FileGroup& group : formulas[family].groups) {
        if (read_.lookups[family].lookups == 0) {
          group.asks = LookupsOf(family) * group.blocks / blocks;
        }
      }
    }
    return formulas;
  }

  void SpendBudget(double absent_share) {
    list_.budget_bytes = options_.budget_bytes;
    const std::vector<FamilyFormula> formulas = FormulasOfAllFamilies();
    const double bytes = *options_.budget_bytes * shares_.budget;
    double most_bytes = 0;
    const auto split = SplitBudget(formulas, bytes, absent_share, &list_.least_bytes, &most_bytes);
    list_.budget_is_enough = bytes > most_bytes;
    if (!split) {
      return;
    }
    std::vector<Candidate> candidates;
    for (size_t family = 0; family < split->size(); ++family) {
      const FamilyChoice& choice = (*split)[family];
      const double lookups = LookupsOf(family);
      candidates.push_back(choice.candidate);
      list_.budget.push_back({family, choice.candidate.Text(), choice.cost.bytes,
                              lookups > 0 ? choice.cost.false_reads / lookups : 0});
    }
    AddTrial(kBudget, candidates);
    if (const auto one = BestWithin(formulas, bytes, absent_share); one && split->size() > 1) {
      AddTrial(kBudgetOfOnePolicy, one->candidate);
      list_.one_policy = one->candidate.Text();
    }
  }

  const AdviceReading& read_;
  const AdviceOptions& options_;
  const SpendingShares shares_;
  Shortlist list_;
};

}  // namespace

std::vector<CandidateRow> CandidateRows(const AdviceReading& reading) {
  std::vector<CandidateRow> rows;
  for (const Candidate& candidate : AllCandidates(reading.AbsentShare())) {
    if (candidate.plan != LevelPlan::kUniform && !reading.has_plans) {
      continue;
    }
    const CandidateCosts costs(candidate);
    Cost cost;
    for (const FamilyFormula& formula : reading.formulas) {
      cost += costs.Of(formula);
    }
    rows.push_back({candidate.Text(), cost.bytes, reading.ALookup(cost.false_reads)});
  }
  return rows;
}

Shortlist ListTrials(const AdviceReading& reading, const AdviceOptions& options,
                     const SpendingShares& shares) {
  return Lister(reading, options, shares).List();
}

}  // namespace winnow::inspect
