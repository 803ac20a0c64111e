// The options and answers of advice: types that all its parts have in common.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TYPES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TYPES_H_

#include <absl/algorithm/container.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/text/rate_interval.h"
#include "tools/winnow/advise/scans/scan_types.h"

namespace winnow::inspect {

struct AdviceOptions {
  // Column families to look at, as FamiliesNamed takes them; empty: all.
  std::vector<std::string> families;

  // Recorded lookups, in any order, without timestamps; they are of the one family that there is.
  // Unset: they are drawn.
  std::optional<std::vector<std::string>> recorded;
  // They are in the order of time: what follows the first half tells what this half is worth as a
  // forecast. Else the halves are chosen by chance.
  bool recorded_in_time = false;
  // True for each of `recorded` that is of the same MultiGet as the one before. Empty: none is.
  std::vector<bool> recorded_joins;
  // TraceNotes::may_read_one_by_one.
  bool recorded_may_be_read_one_by_one = false;
  // Likewise of the one family. Unset: none were recorded.
  std::optional<RecordedScans> recorded_scans;

  uint64_t lookups = 200'000;  // to draw, over all families by their keys
  double absent_share = 1;     // of them
  uint64_t sample_keys = 0;    // files of about so many keys are read as a whole, 0: all
  std::optional<double> budget_bytes;
  std::vector<std::string> policies;  // to try besides, as options strings
  int jobs = 1;

  // The seconds after which range filters are built for no further file, but for one; 0: no bound.
  double seconds = 0;

  // The filters that lookups ask in all, at most: where many files have the same range, lookups are
  // thinned out, evenly, and each then tells as much of a policy.
  uint64_t most_asks = 4'000'000;
};

// How far it is: in which step of the work, and how much of it is done.
struct AdviceStep {
  std::string name;
  size_t done = 0;  // of the files
  size_t files = 0;
  double share = 0;  // of the work, 0 to 1, by the files' entries
};
using AdviceProgress = std::function<void(const AdviceStep& step)>;

// The options string of Winnow's policy with these options.
std::string WinnowText(double bits_per_key, double absent_share = 1, bool learns = false);

// The memory of filters, and what they let through.
struct Cost {
  double bytes = 0;
  double false_reads = 0;  // expected, of all lookups together

  Cost& operator+=(const Cost& other) {
    bytes += other.bytes;
    false_reads += other.false_reads;
    return *this;
  }
};

// The purpose of a row.
enum class RowPurpose {
  kComparison,
  kNow,          // what there is
  kMemoryOfNow,  // the fewest false reads in it
  kReadsOfNow,   // the least memory for them
  kBudget,
  kBudgetOfOnePolicy,
};

// As people and programs read it; empty for a comparison.
inline std::string TitleOf(RowPurpose purpose) {
  switch (purpose) {
    case RowPurpose::kComparison:
      break;
    case RowPurpose::kNow:
      return "now";
    case RowPurpose::kMemoryOfNow:
      return "in the memory of now";
    case RowPurpose::kReadsOfNow:
      return "for the reads of now";
    case RowPurpose::kBudget:
      return "budget";
    case RowPurpose::kBudgetOfOnePolicy:
      return "budget, one policy for all";
  }
  return std::string();
}

// A policy, or a policy for each family, and what it costs.
struct AdviceRow {
  RowPurpose purpose = RowPurpose::kComparison;
  std::vector<std::string> policies;  // for each family; of "now" none

  double bytes = 0;
  double false_reads = 0;  // a lookup

  // The false reads of "now" that were counted, and what they may be for lookups that are drawn
  // alike.
  std::optional<uint64_t> counted;
  Interval interval;

  // The memory of the filters, and false reads a lookup, once each family is compacted into one
  // level under these policies; "now": under those that the OPTIONS file has. Unset: not known.
  std::optional<Cost> compacted;

  // One options string for all families; empty where they have different ones, and of "now".
  std::string OnePolicy() const {
    const bool same =
        !policies.empty() && absl::c_all_of(policies, [this](const std::string& policy) {
          return policy == policies.front();
        });
    return same ? policies.front() : std::string();
  }
};

struct AdviceFamilyReport {
  std::string database;  // empty: its files were given one by one
  std::string name;
  size_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;  // without range filters
  uint64_t range_bytes = 0;   // of range filters
  uint64_t lookups = 0;
  uint64_t absent = 0;
  double false_reads = 0;                               // a lookup of this family, now
  std::vector<std::pair<int, uint64_t>> keys_by_level;  // -1: not known
  uint64_t keys_compacted = 0;                          // about, once all is in one level
};

// A point of the curve of memory against false reads.
struct CurvePoint {
  std::string maker;  // of the filters, as "winnow, level_plan=learned"
  std::string policy;
  double bytes = 0;
  double false_reads = 0;  // a lookup
};

// A family's part of the budget.
struct BudgetPart {
  size_t family = 0;
  std::string policy;
  double bytes = 0;
  double false_reads = 0;  // a lookup of this family
};

struct FileError {
  std::string path;
  std::optional<std::string> error;  // set, a sentence
};

struct Advice {
  std::vector<AdviceFamilyReport> families;
  uint64_t keys = 0;     // of all files
  uint64_t lookups = 0;  // that count
  uint64_t absent = 0;   // of them
  bool recorded = false;
  uint64_t lookups_left_out = 0;  // for most_asks

  // Lookups that level_plan=learned learned from, and those of the other half, by which it is
  // judged. 0 where it is not among the policies, for learning_problem, a clause.
  uint64_t learned_from = 0;
  uint64_t judged_by = 0;
  std::string learning_problem;

  uint64_t lookups_dropped = 0;  // made-up ones of keys that are there, or in no file's range

  std::vector<AdviceRow> rows;    // "now" first, the others by what they take
  std::vector<CurvePoint> curve;  // maker by maker, from few bits to many

  uint64_t files = 0;

  std::optional<double> budget_bytes;
  std::vector<BudgetPart> budget;  // empty: it is too small
  double budget_taken = 0;         // by the filters of the budget's split
  double least_bytes = 0;          // for which there would be an answer to a budget
  bool budget_is_enough = false;   // more of it would buy nothing
  std::string one_policy;          // the best one within the budget for all families

  std::string choice;          // the policy that is recommended, if it is one for all families
  std::string recommendation;  // sentences with the options string to paste; may be empty
  std::vector<std::string>
      assumptions;  // sentences: what was taken for granted, what can't be told

  std::optional<ScanAdvice> scans;  // where scans were recorded

  std::vector<FileError> errors;

  bool FitsBudget() const { return !budget.empty() && budget_taken <= *budget_bytes; }
};

// An SST file, and the folder of the database that it was listed for; empty: it was given itself.
struct AdviceTable {
  std::string database;
  std::string path;
  std::optional<int> level;
  std::string column_family = {};  // that has it, whatever the file says; empty: the file's
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TYPES_H_
