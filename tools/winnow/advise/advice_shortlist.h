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
inline constexpr double kMinBudgetBits = 2;
inline constexpr double kMaxBudgetBits = 24;
inline constexpr double kBudgetStep = 0.05;

struct FamilyChoice {
  Candidate candidate;
  Cost cost;
};

// Winnow's filters for each family, each with bits of its own.
struct BudgetSplit {
  std::vector<FamilyChoice> choices;  // of each family; empty: even the fewest bits take more
  double least = 0;                   // bytes that the fewest bits take
  double most = 0;                    // and the most bits: more memory buys nothing
};

// Winnow's filters by file, such that all together take at most `bytes`, and have as few false
// reads as can be.
//
// Families that are alike, but for some hundredths of their keys and lookups, get the same.
//
// False reads as a function of the memory are taken for convex, as they are but for rounding: the
// step that saves most reads a byte is taken first, whichever family it is in.
BudgetSplit SplitBudget(const std::vector<FamilyFormula>& families, double bytes,
                        double absent_share);

// What a policy must keep in another state of the families, too.
struct AlsoWithin {
  std::vector<FamilyFormula> families;
  double false_reads = 0;  // at most
};

// One policy for all families: those that are worth it, by rising memory and falling false reads.
// `also` may be null.
std::vector<FamilyChoice> WorthwhileChoices(const std::vector<FamilyFormula>& families,
                                            double absent_share, const AlsoWithin* also = nullptr);

// Of these, the one with the fewest false reads that takes at most `bytes`; the one that takes
// least with at most so many false reads. Nothing: there is none.
std::optional<FamilyChoice> BestWithin(const std::vector<FamilyChoice>& choices, double bytes);
std::optional<FamilyChoice> LeastFor(const std::vector<FamilyChoice>& choices, double false_reads);

// What the formulas may be off by, where a policy is to take the memory of now.
inline constexpr double kSameMemory = 0.01;

// What each candidate would take and let through, in all files.
std::vector<CandidateRow> CandidateRows(const AdviceReading& reading);

// What formulas may spend: less than there is, where filters turn out to take more than they say.
struct SpendingShares {
  double budget = 1;  // of the budget that the options have
  double memory = 1;  // of the memory of now
};

// Sets the rows of advice to what is to be tried, and its budget, but for what that takes.
void ListTrials(const AdviceReading& reading, const AdviceOptions& options,
                const SpendingShares& shares, Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_
