// Which policies advice tries, of all that formulas know, and by them what a budget buys.

#ifndef WINNOW_SRC_INSPECT_ADVICE_SHORTLIST_H_
#define WINNOW_SRC_INSPECT_ADVICE_SHORTLIST_H_

#include <optional>
#include <vector>

#include "src/inspect/advice.h"
#include "src/inspect/advice_candidates.h"
#include "src/inspect/advice_reading.h"

namespace winnow::inspect {

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
};

// What each candidate would take and let through, in all files.
std::vector<CandidateRow> CandidateRows(const AdviceReading& reading);

// Formulas may spend `budget_share` of the budget that the options have.
Shortlist ListTrials(const AdviceReading& reading, const AdviceOptions& options,
                     double budget_share);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_ADVICE_SHORTLIST_H_
