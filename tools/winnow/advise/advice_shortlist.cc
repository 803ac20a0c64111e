#include "tools/winnow/advise/advice_shortlist.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace winnow::inspect {
namespace {

// Filters that learn need lookups that go on as they are: they are to save so much of what is read
// under a plan that needs no lookups, in the same memory.
constexpr double kWorthLearning = 0.1;

bool LearnFromLookups(const std::vector<FamilyFormula>& families) {
  return families.size() == 1 && families.front().learning != nullptr;
}

// Fewer in a larger tree: for each, the policy's part in all its writes is gone through.
bool AreTriedForLearning(double bits_per_key, const std::vector<FamilyFormula>& families) {
  if (!LearnFromLookups(families)) return false;
  constexpr size_t kFewFiles = 500;
  constexpr size_t kManyFiles = 2'000;
  const size_t files = families.front().files.size();
  const double step = files <= kFewFiles ? 0.5 : files <= kManyFiles ? 1 : 2;
  const double steps = bits_per_key / step;
  return std::abs(steps - std::round(steps)) < 1e-6;
}

std::vector<Candidate> Choices(bool has_plans, double absent_share) {
  std::vector<Candidate> choices;
  const int steps = static_cast<int>(std::lround((kMaxBudgetBits - kMinBudgetBits) / kBudgetStep));
  for (int i = 0; i <= steps; ++i) {
    const double bits = std::round((kMinBudgetBits + i * kBudgetStep) * 1000) / 1000;
    choices.push_back({FilterMaker::kWinnow, bits, LevelPlan::kAuto, has_plans ? absent_share : 1});
  }
  return choices;
}

// By rising memory and falling false reads: what is no better than a smaller one is left out.
std::vector<FamilyChoice> WorthIt(std::vector<FamilyChoice> choices) {
  std::stable_sort(
      choices.begin(), choices.end(), [](const FamilyChoice& a, const FamilyChoice& b) {
        return a.cost.bytes < b.cost.bytes ||
               (a.cost.bytes == b.cost.bytes && a.cost.false_reads < b.cost.false_reads);
      });
  std::vector<FamilyChoice> worth;
  for (const FamilyChoice& choice : choices) {
    if (worth.empty() || choice.cost.false_reads < worth.back().cost.false_reads) {
      worth.push_back(choice);
    }
  }
  return worth;
}

double SavingOfAByte(const FamilyChoice& from, const FamilyChoice& to) {
  return (from.cost.false_reads - to.cost.false_reads) / (to.cost.bytes - from.cost.bytes);
}

// Of choices that are worth it, those at the corners of the convex line below all.
std::vector<FamilyChoice> Corners(const std::vector<FamilyChoice>& worth) {
  std::vector<FamilyChoice> corners;
  for (const FamilyChoice& choice : worth) {
    while (corners.size() >= 2 && SavingOfAByte(corners[corners.size() - 2], corners.back()) <=
                                      SavingOfAByte(corners.back(), choice)) {
      corners.pop_back();
    }
    corners.push_back(choice);
  }
  return corners;
}

// What is left is given to the family that makes most of it, over and over: corners may lie wide
// apart.
void SpendRest(const std::vector<std::vector<FamilyChoice>>& worth, double left,
               std::vector<FamilyChoice>* chosen) {
  for (;;) {
    size_t best_family = worth.size();
    FamilyChoice best;
    double most_saved = 0;
    for (size_t family = 0; family < worth.size(); ++family) {
      const FamilyChoice& now = (*chosen)[family];
      for (const FamilyChoice& choice : worth[family]) {
        const double saved = now.cost.false_reads - choice.cost.false_reads;
        if (choice.cost.bytes > now.cost.bytes && choice.cost.bytes - now.cost.bytes <= left &&
            saved > most_saved) {
          most_saved = saved;
          best_family = family;
          best = choice;
        }
      }
    }
    if (best_family == worth.size()) {
      return;
    }
    left -= best.cost.bytes - (*chosen)[best_family].cost.bytes;
    (*chosen)[best_family] = best;
  }
}

Cost Sum(const CandidateCosts& costs, const std::vector<FamilyFormula>& families) {
  Cost sum;
  for (const FamilyFormula& family : families) {
    sum += costs.Of(family);
  }
  return sum;
}

struct Totals {
  double keys = 0;
  double blocks = 0;
  double asks = 0;
  double depth = 0;  // keys times the levels below them
};

Totals TotalsOf(const FamilyFormula& family) {
  Totals totals;
  for (const FileGroup& group : family.groups) {
    totals.keys += group.keys * group.blocks;
    totals.blocks += group.blocks;
    totals.asks += group.asks;
    totals.depth += group.keys * group.blocks * (2 + group.levels_below);
  }
  return totals;
}

// With so many bits, where it is worth it: beside the plan of the same bits, which costs so much.
void AddLearned(double bits_per_key, const Cost& of_plan,
                const std::vector<FamilyFormula>& families, const AlsoWithin* also,
                std::vector<FamilyChoice>* choices) {
  const Candidate candidate = {FilterMaker::kWinnow, bits_per_key, LevelPlan::kLearned, 1};
  const CandidateCosts costs(candidate);
  const Cost cost = Sum(costs, families);
  // A bit more for each key would halve what is read.
  const double more_bits =
      8 * (cost.bytes - of_plan.bytes) / std::max(1.0, TotalsOf(families.front()).keys);
  if (cost.false_reads < (1 - kWorthLearning) * of_plan.false_reads * std::exp2(-more_bits) &&
      (also == nullptr || Sum(costs, also->families).false_reads <= also->false_reads)) {
    choices->push_back({candidate, cost});
  }
}

// Lookups that are drawn are as many but for what chance makes of it.
bool AreAlike(const FamilyFormula& one, const FamilyFormula& other) {
  constexpr double kShare = 0.05;
  constexpr double kDeviations = 4;
  const auto near = [](double a, double b, double chance) {
    return std::abs(a - b) <= kShare * std::max(a, b) + chance;
  };
  const Totals a = TotalsOf(one);
  const Totals b = TotalsOf(other);
  return one.has_plans == other.has_plans && near(a.keys, b.keys, 0) &&
         near(a.blocks, b.blocks, 0) && near(a.depth, b.depth, 0) &&
         near(a.asks, b.asks, kDeviations * std::sqrt(a.asks + b.asks));
}

// Families that are alike, by their places.
std::vector<std::vector<size_t>> GroupAlike(const std::vector<FamilyFormula>& families) {
  std::vector<std::vector<size_t>> groups;
  for (size_t family = 0; family < families.size(); ++family) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) {
      return AreAlike(families[known.front()], families[family]);
    });
    if (group == groups.end()) {
      groups.push_back({family});
    } else {
      group->push_back(family);
    }
  }
  return groups;
}

FamilyFormula Merge(const std::vector<FamilyFormula>& families, const std::vector<size_t>& some) {
  FamilyFormula merged = families[some.front()];
  for (size_t i = 1; i < some.size(); ++i) {
    const std::vector<FileGroup>& more = families[some[i]].groups;
    merged.groups.insert(merged.groups.end(), more.begin(), more.end());
  }
  return merged;
}

// The split over families of which no two are alike.
BudgetSplit SplitUnlike(const std::vector<FamilyFormula>& families, double bytes,
                        double absent_share) {
  BudgetSplit split;
  std::vector<std::vector<FamilyChoice>> worth;
  std::vector<std::vector<FamilyChoice>> corners;
  std::vector<size_t> at(families.size(), 0);
  for (const FamilyFormula& family : families) {
    worth.push_back(WorthwhileChoices({family}, absent_share));
    corners.push_back(Corners(worth.back()));
    split.least += corners.back().front().cost.bytes;
    split.most += worth.back().back().cost.bytes;
  }
  if (split.least > bytes) {
    return split;
  }
  double left = bytes - split.least;
  for (;;) {
    size_t best = families.size();
    double most = 0;
    for (size_t family = 0; family < families.size(); ++family) {
      if (at[family] + 1 >= corners[family].size()) {
        continue;
      }
      const FamilyChoice& from = corners[family][at[family]];
      const FamilyChoice& to = corners[family][at[family] + 1];
      if (to.cost.bytes - from.cost.bytes <= left && SavingOfAByte(from, to) > most) {
        most = SavingOfAByte(from, to);
        best = family;
      }
    }
    if (best == families.size()) {
      break;
    }
    left -= corners[best][at[best] + 1].cost.bytes - corners[best][at[best]].cost.bytes;
    ++at[best];
  }
  for (size_t family = 0; family < families.size(); ++family) {
    split.choices.push_back(corners[family][at[family]]);
  }
  SpendRest(worth, left, &split.choices);
  return split;
}

// A policy that reads so much more than now's once compacted is none to be warned of.
constexpr double kHardlyMore = 1.02;

class Lister {
 public:
  Lister(const AdviceReading& reading, const AdviceOptions& options, const SpendingShares& shares,
         Advice* advice)
      : read_(reading), options_(options), shares_(shares), advice_(*advice) {}

  void List() {
    const double share = read_.AbsentShare();
    for (const FilterMaker maker : {FilterMaker::kBloomFilter, FilterMaker::kRibbonFilter}) {
      AddTrial(RowPurpose::kComparison, Candidate{maker, kUsualBits, LevelPlan::kUniform, 1});
    }
    AddTrial(RowPurpose::kComparison,
             Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kAuto, 1});
    if (read_.has_plans) {
      AddTrial(RowPurpose::kComparison,
               Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kAuto, share});
      if (LearnFromLookups(read_.formulas)) {
        AddTrial(RowPurpose::kComparison,
                 Candidate{FilterMaker::kWinnow, kUsualBits, LevelPlan::kLearned, 1});
      }
    }
    if (read_.FilterBytesNow() > 0 && read_.AsksInVain()) {
      CompareWithNow(share);
    }
    if (options_.budget_bytes && read_.AsksInVain() && !read_.NoPolicyBuilds()) {
      SpendBudget(share);
    }
    for (const std::string& policy : options_.policies) {
      AdviceRow row;
      row.policies.assign(read_.families.size(), policy);
      Add(std::move(row));
    }
  }

 private:
  void CompareWithNow(double share) {
    const double bytes = shares_.memory * static_cast<double>(read_.FilterBytesNow());
    const std::vector<FamilyChoice> choices = WorthwhileChoices(read_.formulas, share);
    AddTrial(RowPurpose::kMemoryOfNow, BestWithin(choices, bytes));
    const bool fewer_may_do = !read_.SomeServeScansAlone();
    if (fewer_may_do) {
      AddTrial(RowPurpose::kReadsOfNow, LeastFor(choices, read_.FalseReadsNow()));
    }
    const std::optional<Cost> compacted =
        CompactedCosts(read_.compacted).Of(read_.PoliciesInForce());
    if (!compacted) {
      return;
    }
    const AlsoWithin also = {read_.CompactedFormulas(), kHardlyMore * compacted->false_reads};
    const std::vector<FamilyChoice> lasting = WorthwhileChoices(read_.formulas, share, &also);
    AddTrial(RowPurpose::kMemoryAlsoCompacted, BestWithin(lasting, bytes));
    if (fewer_may_do) {
      AddTrial(RowPurpose::kReadsAlsoCompacted, LeastFor(lasting, read_.FalseReadsNow()));
    }
  }

  void AddTrial(RowPurpose purpose, const std::optional<FamilyChoice>& choice) {
    if (choice) AddTrial(purpose, choice->candidate);
  }

  // The same candidate for all families.
  void AddTrial(RowPurpose purpose, const Candidate& candidate) {
    AddTrial(purpose, std::vector<Candidate>(read_.families.size(), candidate));
  }

  void AddTrial(RowPurpose purpose, const std::vector<Candidate>& candidates) {
    AdviceRow row;
    row.purpose = purpose;
    row.candidates = candidates;
    Cost cost;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      row.policies.push_back(candidates[family].Text());
      cost += CandidateCosts(candidates[family]).Of(read_.formulas[family]);
    }
    row.expected = Cost{cost.bytes, read_.ALookup(cost.false_reads)};
    Add(std::move(row));
  }

  // Each policy once; its purpose is the first one but a comparison.
  void Add(AdviceRow row) {
    const auto known =
        std::find_if(advice_.rows.begin(), advice_.rows.end(),
                     [&](const AdviceRow& other) { return other.policies == row.policies; });
    if (known == advice_.rows.end()) {
      advice_.rows.push_back(std::move(row));
    } else if (known->purpose == RowPurpose::kComparison) {
      known->purpose = row.purpose;
    }
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
    advice_.budget_bytes = options_.budget_bytes;
    const std::vector<FamilyFormula> formulas = FormulasOfAllFamilies();
    const double bytes = *options_.budget_bytes * shares_.budget;
    const BudgetSplit split = SplitBudget(formulas, bytes, absent_share);
    advice_.least_bytes = split.least;
    advice_.budget_is_enough = bytes > split.most;
    std::vector<Candidate> candidates;
    for (const FamilyChoice& choice : split.choices) {
      const size_t family = candidates.size();
      const double lookups = LookupsOf(family);
      candidates.push_back(choice.candidate);
      advice_.budget.push_back({family, choice.candidate.Text(), choice.cost.bytes,
                                lookups > 0 ? choice.cost.false_reads / lookups : 0});
    }
    if (candidates.empty()) {
      return;
    }
    AddTrial(RowPurpose::kBudget, candidates);
    const auto one = BestWithin(WorthwhileChoices(formulas, absent_share), bytes);
    if (one && candidates.size() > 1) {
      AddTrial(RowPurpose::kBudgetOfOnePolicy, one->candidate);
      advice_.one_policy = one->candidate.Text();
    }
  }

  const AdviceReading& read_;
  const AdviceOptions& options_;
  const SpendingShares shares_;
  Advice& advice_;
};

}  // namespace

std::vector<FamilyChoice> WorthwhileChoices(const std::vector<FamilyFormula>& families,
                                            double absent_share, const AlsoWithin* also) {
  const bool has_plans = std::any_of(families.begin(), families.end(),
                                     [](const FamilyFormula& family) { return family.has_plans; });
  std::vector<FamilyChoice> choices;
  for (const Candidate& candidate : Choices(has_plans, absent_share)) {
    const CandidateCosts costs(candidate);
    if (also == nullptr || Sum(costs, also->families).false_reads <= also->false_reads) {
      choices.push_back({candidate, Sum(costs, families)});
    }
    if (candidate.plan == LevelPlan::kAuto &&
        AreTriedForLearning(candidate.bits_per_key, families)) {
      AddLearned(candidate.bits_per_key, Sum(costs, families), families, also, &choices);
    }
  }
  return WorthIt(std::move(choices));
}

BudgetSplit SplitBudget(const std::vector<FamilyFormula>& families, double bytes,
                        double absent_share) {
  const std::vector<std::vector<size_t>> groups = GroupAlike(families);
  std::vector<FamilyFormula> unlike;
  for (const std::vector<size_t>& group : groups) {
    unlike.push_back(Merge(families, group));
  }
  BudgetSplit split = SplitUnlike(unlike, bytes, absent_share);
  if (split.choices.empty()) {
    return split;
  }
  std::vector<FamilyChoice> chosen(families.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const CandidateCosts costs(split.choices[i].candidate);
    for (const size_t family : groups[i]) {
      chosen[family] = {split.choices[i].candidate, costs.Of(families[family])};
    }
  }
  split.choices = std::move(chosen);
  return split;
}

std::optional<FamilyChoice> BestWithin(const std::vector<FamilyChoice>& choices, double bytes) {
  const auto beyond = std::find_if(choices.begin(), choices.end(), [&](const FamilyChoice& choice) {
    return choice.cost.bytes > bytes;
  });
  return beyond == choices.begin() ? std::nullopt : std::optional(*std::prev(beyond));
}

std::optional<FamilyChoice> LeastFor(const std::vector<FamilyChoice>& choices, double false_reads) {
  const auto found = std::find_if(choices.begin(), choices.end(), [&](const FamilyChoice& choice) {
    return choice.cost.false_reads <= false_reads;
  });
  return found == choices.end() ? std::nullopt : std::optional(*found);
}

std::vector<CandidateRow> CandidateRows(const AdviceReading& reading) {
  std::vector<CandidateRow> rows;
  for (const Candidate& candidate : AllCandidates(reading.AbsentShare())) {
    const bool needs_plans = candidate.plan == LevelPlan::kLearned || candidate.absent_share < 1;
    if ((needs_plans && !reading.has_plans) ||
        (candidate.plan == LevelPlan::kLearned &&
         !AreTriedForLearning(candidate.bits_per_key, reading.formulas))) {
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

void ListTrials(const AdviceReading& reading, const AdviceOptions& options,
                const SpendingShares& shares, Advice* advice) {
  Lister(reading, options, shares, advice).List();
}

}  // namespace winnow::inspect
