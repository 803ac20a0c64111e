#include "tools/winnow/advise/advice_budget.h"

#include <algorithm>
#include <cmath>

namespace winnow::inspect {
namespace {

std::vector<Candidate> Choices(bool has_plans, double absent_share) {
  std::vector<Candidate> choices;
  const int steps =
      static_cast<int>(std::lround((kMostBudgetBits - kFewestBudgetBits) / kBudgetStep));
  for (int i = 0; i <= steps; ++i) {
    const double bits = std::round((kFewestBudgetBits + i * kBudgetStep) * 1000) / 1000;
    choices.push_back({FilterMaker::kWinnow, bits, LevelPlan::kUniform, 1});
    if (has_plans) {
      choices.push_back({FilterMaker::kWinnow, bits, LevelPlan::kAuto, absent_share});
    }
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

std::vector<FamilyChoice> CostsOfAll(const std::vector<FamilyFormula>& families,
                                     double absent_share, const AlsoWithin* also = nullptr) {
  const bool has_plans = std::any_of(families.begin(), families.end(),
                                     [](const FamilyFormula& family) { return family.has_plans; });
  std::vector<FamilyChoice> choices;
  for (const Candidate& candidate : Choices(has_plans, absent_share)) {
    const CandidateCosts costs(candidate);
    if (also == nullptr || Sum(costs, also->families).false_reads <= also->false_reads) {
      choices.push_back({candidate, Sum(costs, families)});
    }
  }
  return WorthIt(std::move(choices));
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
    totals.depth += group.keys * group.blocks * (2 + group.levels_below[1]);
  }
  return totals;
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
std::optional<std::vector<FamilyChoice>> SplitUnlike(const std::vector<FamilyFormula>& families,
                                                     double bytes, double absent_share,
                                                     double* least, double* most_useful) {
  std::vector<std::vector<FamilyChoice>> worth;
  std::vector<std::vector<FamilyChoice>> corners;
  std::vector<size_t> at(families.size(), 0);
  *least = 0;
  *most_useful = 0;
  for (const FamilyFormula& family : families) {
    worth.push_back(CostsOfAll({family}, absent_share));
    corners.push_back(Corners(worth.back()));
    *least += corners.back().front().cost.bytes;
    *most_useful += worth.back().back().cost.bytes;
  }
  if (*least > bytes) {
    return std::nullopt;
  }
  double left = bytes - *least;
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
  std::vector<FamilyChoice> chosen;
  for (size_t family = 0; family < families.size(); ++family) {
    chosen.push_back(corners[family][at[family]]);
  }
  SpendRest(worth, left, &chosen);
  return chosen;
}

}  // namespace

std::optional<std::vector<FamilyChoice>> SplitBudget(const std::vector<FamilyFormula>& families,
                                                     double bytes, double absent_share,
                                                     double* least, double* most) {
  const std::vector<std::vector<size_t>> groups = GroupAlike(families);
  std::vector<FamilyFormula> unlike;
  for (const std::vector<size_t>& group : groups) {
    unlike.push_back(Merge(families, group));
  }
  double least_bytes = 0;
  double most_bytes = 0;
  const auto split = SplitUnlike(unlike, bytes, absent_share, &least_bytes, &most_bytes);
  if (least != nullptr) {
    *least = least_bytes;
  }
  if (most != nullptr) {
    *most = most_bytes;
  }
  if (!split) {
    return std::nullopt;
  }
  std::vector<FamilyChoice> chosen(families.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const CandidateCosts costs((*split)[i].candidate);
    for (const size_t family : groups[i]) {
      chosen[family] = {(*split)[i].candidate, costs.Of(families[family])};
    }
  }
  return chosen;
}

std::optional<FamilyChoice> BestWithin(const std::vector<FamilyFormula>& families, double bytes,
                                       double absent_share, const AlsoWithin* also) {
  std::optional<FamilyChoice> best;
  for (const FamilyChoice& choice : CostsOfAll(families, absent_share, also)) {
    if (choice.cost.bytes <= bytes) {
      best = choice;
    }
  }
  return best;
}

std::optional<FamilyChoice> LeastFor(const std::vector<FamilyFormula>& families, double false_reads,
                                     double absent_share, const AlsoWithin* also) {
  for (const FamilyChoice& choice : CostsOfAll(families, absent_share, also)) {
    if (choice.cost.false_reads <= false_reads) {
      return choice;
    }
  }
  return std::nullopt;
}

}  // namespace winnow::inspect
