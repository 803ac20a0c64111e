// Sums over SST files: what their filters take and promise, together, by kind, level and column
// family.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_TOTALS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_TOTALS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Sums over files that could be read; of the others only the number.
class FilterTotals {
 public:
  uint64_t files = 0;
  uint64_t not_read = 0;
  uint64_t without_filter = 0;          // files of kind none
  uint64_t entries_without_filter = 0;  // of these
  uint64_t entries = 0;
  uint64_t keys = 0;  // in the filters
  uint64_t bytes = 0;
  uint64_t range_bytes = 0;  // of these, range filters
  uint64_t file_bytes = 0;   // of the files themselves

  void Add(const SstReport& file);

  double bits_per_key() const;        // 0 without keys
  double range_bits_per_key() const;  // of these, those of range filters

  // The share of absent keys for which a filter says "may contain", 0 to 1: the mean over the
  // filters by their keys. Without keys the highest of any file. Unset: unknown for all of them.
  std::optional<double> mean_fpr() const;

  // The least that any filters of these rates for these keys could take: n log2(1/rate) bits for
  // each. Filters whose keys or rate are unknown count neither here nor for bytes_above_bound, nor
  // do range filters.
  double bound_bytes() const { return bound_bits_ / 8; }

  // Bytes that the filters take beyond that, and as a share of it; unset without a bound.
  double bytes_above_bound() const { return static_cast<double>(bounded_bytes_) - bound_bytes(); }
  std::optional<double> share_above_bound() const;

 private:
  double keys_with_rate_ = 0;
  double rate_by_keys_ = 0;  // sum of keys times rate
  std::optional<double> highest_rate_;
  double bound_bits_ = 0;
  uint64_t bounded_bytes_ = 0;
};

// A column family of one database; both are empty for files of which nothing is known.
using FamilyName = std::pair<std::string, std::string>;  // the database's folder, the name

struct TotalsOfFiles {
  FilterTotals all;
  std::map<FamilyName, FilterTotals> by_family;
  std::map<int, FilterTotals> by_level;  // files whose level is known
  std::map<std::string, FilterTotals> by_kind;
};

// Pure.
TotalsOfFiles TotalsOf(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_TOTALS_H_
