// Advice on existing files: memory and false reads under other filter policies.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_

#include <absl/algorithm/container.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/database/table_list.h"
#include "src/text/rate_interval.h"
#include "tools/winnow/advise/scans/scan_types.h"

namespace winnow::inspect {

struct AdviceOptions {
  // Column families to examine, as for FamiliesNamed(); empty: all.
  std::vector<std::string> families;

  // Recorded lookups, in any order, without timestamps. They are made in each database, in its only
  // column family. If unset, lookups are drawn.
  std::optional<std::vector<std::string>> recorded;
  // True if `recorded` is in order of time: the first half is learned from and the second half
  // evaluates the forecast. Otherwise the halves are chosen at random.
  bool recorded_in_time = false;
  // Recorded scans, likewise. Unset if none were recorded.
  std::optional<RecordedScans> recorded_scans;

  uint64_t lookups = 200'000;  // lookups to draw, divided among families by their keys
  double absent_share = 1;     // share of drawn lookups whose key is absent
  // Files with about this number of keys are read completely; 0: all files.
  uint64_t sample_keys = 0;
  std::optional<double> budget_bytes;
  std::vector<std::string> policies;  // further policies to try, as options strings
  int jobs = 1;

  // Maximum number of filters that lookups query in total. If many files overlap, lookups are
  // thinned out evenly.
  uint64_t most_asks = 4'000'000;
};

// Progress of the work.
struct AdviceStep {
  std::string name;
  size_t done = 0;  // number of finished files
  size_t files = 0;
  double share = 0;  // 0 to 1, weighted by the files' entries
};
using AdviceProgress = std::function<void(const AdviceStep& step)>;

// Returns the options string of Winnow's policy with these options.
std::string WinnowText(double bits_per_key);

// Size and false reads of filters.
struct Cost {
  double bytes = 0;
  double false_reads = 0;  // expected, summed over all lookups

  Cost& operator+=(const Cost& other) {
    bytes += other.bytes;
    false_reads += other.false_reads;
    return *this;
  }
};

// Purpose of a row.
enum class RowPurpose {
  kComparison,
  kNow,          // the current filters
  kMemoryOfNow,  // the fewest false reads with the memory of kNow
  kReadsOfNow,   // the least memory with the false reads of kNow
  kBudget,
  kBudgetOfOnePolicy,
};

// Returns the title of a row; empty for a comparison.
inline std::string TitleOf(RowPurpose purpose) {
  switch (purpose) {
    case RowPurpose::kComparison:
      break;
    case RowPurpose::kNow:
      return "now";
    case RowPurpose::kMemoryOfNow:
      return "with the same memory";
    case RowPurpose::kReadsOfNow:
      return "with the same reads";
    case RowPurpose::kBudget:
      return "budget";
    case RowPurpose::kBudgetOfOnePolicy:
      return "budget, one policy for all";
  }
  return std::string();
}

// A policy, or a policy per family, and its cost.
struct AdviceRow {
  RowPurpose purpose = RowPurpose::kComparison;
  std::vector<std::string> policies;  // one per family; none for kNow

  double bytes = 0;
  double false_reads = 0;  // per lookup

  // Counted false reads of kNow, and the confidence interval of false_reads for the lookups that
  // they are a sample of.
  std::optional<uint64_t> counted;
  Interval interval;

  // Size of the filters, and false reads per lookup, after each family is compacted into one level
  // under these policies, or under those of the OPTIONS file for kNow. nullopt if unknown.
  std::optional<Cost> compacted;

  // Returns the options string if all families have one policy; empty if they differ, and for kNow.
  std::string OnePolicy() const {
    const bool same =
        !policies.empty() && absl::c_all_of(policies, [this](const std::string& policy) {
          return policy == policies.front();
        });
    return same ? policies.front() : std::string();
  }
};

struct AdviceFamilyReport {
  std::string database;  // empty if the files were given one by one
  std::string name;
  size_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;  // without range filters
  uint64_t range_bytes = 0;   // size of the range filters
  uint64_t lookups = 0;
  uint64_t absent = 0;
  double false_reads = 0;  // per lookup of this family, with the current filters
  std::vector<std::pair<int, uint64_t>> keys_by_level;  // -1: unknown
  uint64_t keys_compacted = 0;                          // estimate after a full compaction
};

// A point on the curve of false reads by memory.
struct CurvePoint {
  std::string maker;  // kind of policy, as "winnow"
  std::string policy;
  double bytes = 0;
  double false_reads = 0;  // per lookup
};

// A family's part of the budget.
struct BudgetPart {
  size_t family = 0;
  std::string policy;
  double bytes = 0;
  double false_reads = 0;  // per lookup of this family
};

struct Verdict {
  std::string choice;              // the recommended policy, if it is one for all families
  std::string says;                // one or two sentences, with the options string to paste
  std::vector<std::string> notes;  // sentences on what else changes what the reader does
};

struct FileError {
  std::string path;
  std::optional<std::string> error;  // always set, to a sentence
};

struct Advice {
  std::vector<AdviceFamilyReport> families;
  uint64_t keys = 0;     // keys in all files
  uint64_t lookups = 0;  // lookups that count
  uint64_t absent = 0;   // lookups whose key is in no file
  bool recorded = false;
  uint64_t lookups_left_out = 0;  // dropped by most_asks

  uint64_t lookups_dropped = 0;  // drawn lookups that found a key, or are in no file's key range

  std::vector<AdviceRow> rows;    // kNow first, the others by memory
  std::vector<CurvePoint> curve;  // grouped by maker, in ascending order of bits

  uint64_t files = 0;

  std::optional<double> budget_bytes;
  std::vector<BudgetPart> budget;  // empty if the budget is too small
  double budget_taken = 0;         // bytes of the filters in `budget`
  double least_bytes = 0;          // smallest budget that filters fit into
  bool budget_is_enough = false;   // a larger budget would not reduce false reads
  std::string one_policy;          // best policy within the budget that all families share

  Verdict verdict;

  std::optional<ScanAdvice> scans;  // set if scans were recorded

  std::vector<FileError> errors;

  bool FitsBudget() const { return !budget.empty() && budget_taken <= *budget_bytes; }
};

// Reads the files in several worker processes. Sets *problem to a sentence if no advice is
// possible; the result is then unusable.
Advice Advise(const std::vector<ListedTable>& tables, const AdviceOptions& options,
              const AdviceProgress& progress, std::string* problem);

// Removes the recommendation, for advice that lacks unreadable or missing files.
void TakeBackVerdict(Advice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_H_
