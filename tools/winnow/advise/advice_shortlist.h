// Which policies advice tries, of all that formulas know, and by them what a budget buys.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_SHORTLIST_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_candidates.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// Titles of rows.
inline constexpr char kInTheMemoryOfNow[] = "in the memory of now";
inline constexpr char kForTheReadsOfNow[] = "for the reads of now";
// The same under a further condition: once compacted, it reads no more than the policy of now does.
inline constexpr char kInTheMemoryAlsoCompacted[] = "in the memory of now, also once compacted";
inline constexpr char kForTheReadsAlsoCompacted[] = "for the reads of now, also once compacted";
inline constexpr char kBudget[] = "budget";
inline constexpr char kBudgetOfOnePolicy[] = "budget, one policy for all";

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
