// Advice based on the counters of filters in a running program (winnow/rocksdb_filter_use.h)
// instead of recorded lookups, so that no key leaves the process.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// Counters of the filters that record one level. Numbers of queries are estimates.
struct UseOfLevel {
  int level = -1;  // -1: they record no level
  double asks = 0;
  double denied = 0;
  double false_positives = 0;
  double filters = 0;
  double keys = 0;
  double bytes = 0;
  std::optional<double> asks_counted;  // counted queries; not in a LOG
};

// Counters of a policy, over all column families that use it.
struct UseOfPolicy {
  std::string policy;  // an options string
  std::vector<std::string> databases;
  std::vector<std::string> families;
  double seconds = 0;  // since the policy was created
  std::vector<UseOfLevel> levels;

  UseOfLevel Sum() const;
  double false_reads_a_second() const;
};

// Minimum number of counted queries, of a policy or on a level, for advice.
inline constexpr double kEnoughAsks = 400;

struct FilterUseFile {
  double one_counted_of = 512;
  std::vector<UseOfPolicy> policies;

  bool HasEnoughAsks(const UseOfLevel& use) const {
    return use.asks_counted.value_or(use.asks / one_counted_of) >= kEnoughAsks;
  }
};

// Reads JSON (winnow.filter_use/1) or the last table of a LOG; the path "-" is standard input. Sets
// *problem to a sentence that names the file and its fault if it has neither.
FilterUseFile ReadFilterUse(const std::string& path, std::string* problem);

// A policy with the results about it.
struct UseRow {
  UseOfPolicy use;
  PolicyOptions policy;                // parsed from the options string
  std::optional<double> advised_bits;  // set if other bits are better
  double advised_bytes = 0;            // size of its filters with advised_bits
  double advised_false_reads = 0;      // per second
  bool has_enough_asks = false;        // false: there is no verdict on the policy

  double bits_per_key() const { return policy.bits_per_key; }
};

struct UseFinding {
  std::string families;
  std::string says;
  std::string policy;  // to paste; empty if no policy should change
  bool spares_reads = false;
};

struct UseAdvice {
  std::vector<UseRow> rows;  // sorted by false reads per second, descending
  std::string no_verdict;    // sentences that say why no row has a verdict; else empty
  double budget_bytes = 0;
  bool fits = true;  // the filters with the fewest bits fit the budget
  double bytes = 0;  // size of the filters now, and with the advised bits
  double advised_bytes = 0;
  double false_reads = 0;  // per second
  double advised_false_reads = 0;
  std::vector<UseFinding> mend;      // findings that waste reads or memory
  std::vector<UseFinding> gain;      // possible improvements
  std::vector<std::string> unknown;  // sentences on questions that counters can't answer
};

// Advises on policies. Without a budget, the filters may take their current memory, and 10% more if
// fewer policies then have to change.
UseAdvice AdviseByUse(const FilterUseFile& file, std::optional<double> budget_bytes);

// Returns the column families of a policy: "hot, warm of /var/lib/db".
std::string FamiliesText(const UseOfPolicy& use);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_
