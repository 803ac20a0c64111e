// Which policies advice tries, of all that formulas know; the best filters for a given memory, over
// all column families together.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_candidates.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// The bits_per_key that are looked through, in steps of kBudgetStep.
inline constexpr double kFewestBudgetBits = 2;
inline constexpr double kMostBudgetBits = 24;
inline constexpr double kBudgetStep = 0.05;

struct FamilyChoice {
  Candidate candidate;
  Cost cost;
};

// Winnow's filters for each family, each with bits of its own, without a plan and with the plan
// auto where that changes something: such that all together take at most `bytes`, and as few
// lookups are wasted as can be. Nothing where even the fewest bits take more; *least is what they
// take, *most what the most bits take: more memory buys nothing. Either may be null.
//
// Families that are alike, but for some hundredths of their keys and lookups, get the same.
//
// False reads as a function of the memory are taken for convex, as they are but for rounding: the
// step that saves most reads a byte is taken first, whichever family it is in.
std::optional<std::vector<FamilyChoice>> SplitBudget(const std::vector<FamilyFormula>& families,
                                                     double bytes, double absent_share,
                                                     double* least, double* most = nullptr);

// What a policy must keep in another state of the families, too.
struct AlsoWithin {
  std::vector<FamilyFormula> families;
  double false_reads = 0;  // at most
};

// One policy for all families: of those that take at most `bytes` the one with the fewest false
// reads; of those with at most so many false reads the one that takes least. `also` may be null.
// Nothing: there is none.
std::optional<FamilyChoice> BestWithin(const std::vector<FamilyFormula>& families, double bytes,
                                       double absent_share, const AlsoWithin* also = nullptr);
std::optional<FamilyChoice> LeastFor(const std::vector<FamilyFormula>& families, double false_reads,
                                     double absent_share, const AlsoWithin* also = nullptr);

// What the formulas may be off by, where a policy is to take the memory of now.
inline constexpr double kSameMemory = 0.01;

// What is tried in one row, before it has been.
struct AdviceTrial {
  AdviceRow row;
  std::vector<Candidate> candidates;  // for each family; empty: no formula knows them
};

struct Shortlist {
  std::vector<AdviceTrial> trials;

  // As members of Advice.
  std::optional<double> budget_bytes;
  std::vector<BudgetPart> budget;
  double least_bytes = 0;
  bool budget_is_enough = false;
  std::string one_policy;
};

// What each candidate would take and let through, in all files.
std::vector<CandidateRow> CandidateRows(const AdviceReading& reading);

// What formulas may spend: less than there is, where filters turn out to take more than they say.
struct SpendingShares {
  double budget = 1;  // of the budget that the options have
  double memory = 1;  // of the memory of now
};

Shortlist ListTrials(const AdviceReading& reading, const AdviceOptions& options,
                     const SpendingShares& shares);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_
