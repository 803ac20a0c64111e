// Advice by what filters answered while a program ran (winnow/rocksdb_filter_use.h), in
// place of lookups that were recorded: no key leaves the process.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// The filters that state one level. Numbers of asks are estimates.
struct UseOfLevel {
  int level = -1;  // -1: they state none
  double asks = 0;
  double denied = 0;
  double false_positives = 0;
  double filters = 0;
  double keys = 0;
  double bytes = 0;
  std::optional<double> asks_counted;  // what a LOG does not have
};

// A policy, for all column families that it serves.
struct UseOfPolicy {
  std::string policy;  // an options string
  std::vector<std::string> databases;
  std::vector<std::string> families;
  double seconds = 0;  // since the policy was made
  std::vector<UseOfLevel> levels;

  UseOfLevel Sum() const;
  double false_reads_a_second() const;
};

// The counted asks of a policy, or of a level of it, below which nothing is said.
inline constexpr double kEnoughAsks = 400;

struct FilterUseFile {
  double one_counted_of = 512;
  std::vector<UseOfPolicy> policies;

  bool HasEnoughAsks(const UseOfLevel& use) const {
    return use.asks_counted.value_or(use.asks / one_counted_of) >= kEnoughAsks;
  }
};

// Reads JSON (winnow.filter_use/1), or the last table of a LOG. "-" is standard input. A sentence
// that names the file and its fault in *problem where there is neither.
FilterUseFile ReadFilterUse(const std::string& path, std::string* problem);

// One policy with what was found about it.
struct UseRow {
  UseOfPolicy use;
  PolicyOptions policy;                // by its text
  std::optional<double> advised_bits;  // where others are better
  double advised_bytes = 0;            // of its filters, with these
  double advised_false_reads = 0;      // a second
  bool has_enough_asks = false;        // else there is no verdict on it

  double bits_per_key() const { return policy.bits_per_key; }
};

struct UseFinding {
  std::string families;
  std::string says;
  std::string policy;  // to paste; empty: no policy is to be changed
  bool spares_reads = false;
};

struct UseAdvice {
  std::vector<UseRow> rows;  // the most false reads a second first
  std::string no_verdict;    // sentences: why there is none on any row; empty: there is one
  double budget_bytes = 0;
  bool fits = true;  // whether the filters with the fewest bits do
  double bytes = 0;  // now, and as advised
  double advised_bytes = 0;
  double false_reads = 0;  // a second
  double advised_false_reads = 0;
  std::vector<UseFinding> mend;      // what wastes reads or memory
  std::vector<UseFinding> gain;      // what could be better than good
  std::vector<std::string> unknown;  // what can't be said without keys
};

// Without a budget, the filters may take what they take now, and a tenth more where that spares
// changes of other policies.
UseAdvice AdviseByUse(const FilterUseFile& file, std::optional<double> budget_bytes);

// "hot, warm of /var/lib/db".
std::string FamiliesText(const UseOfPolicy& use);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_USE_USE_ADVICE_H_
