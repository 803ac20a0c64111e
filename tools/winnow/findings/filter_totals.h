// Sums over SST files by kind of filter, level and column family: sizes and expected false-positive
// rates.

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

// Sums over files. Files that could not be read are counted only in not_read.
class FilterTotals {
 public:
  uint64_t files = 0;
  uint64_t not_read = 0;
  uint64_t without_filter = 0;          // files of kind kNoFilter
  uint64_t entries_without_filter = 0;  // entries of files without a filter
  uint64_t entries = 0;
  uint64_t keys = 0;  // keys in the filters
  uint64_t bytes = 0;
  uint64_t range_bytes = 0;  // bytes of range filters, included in `bytes`
  uint64_t file_bytes = 0;   // size of the SST files

  void Add(const SstReport& file);

  double bits_per_key() const;        // 0 without keys
  double range_bits_per_key() const;  // bits of range filters; 0 without keys

  // Expected false-positive rate, 0 to 1: the mean over the filters, weighted by their keys.
  // Without keys, the highest rate of any file. nullopt if no filter's rate is known.
  std::optional<double> mean_fpr() const;

  // Information-theoretic lower bound for filters of these rates and keys: the sum of n
  // log2(1/rate) bits. Filters whose keys or rate are unknown, range filters, and files with only
  // these count neither here nor for bytes_above_bound().
  double bound_bytes() const { return bound_bits_ / 8; }

  // Bytes of the filters above the lower bound; as a share of it, nullopt if the bound is 0.
  double bytes_above_bound() const { return static_cast<double>(bounded_bytes_) - bound_bytes(); }
  std::optional<double> share_above_bound() const;

 private:
  double keys_with_rate_ = 0;
  double rate_by_keys_ = 0;  // sum of keys times rate
  std::optional<double> highest_rate_;
  double bound_bits_ = 0;
  uint64_t bounded_bytes_ = 0;
};

// A column family of a database; both strings are empty for files about which nothing is known.
using FamilyName = std::pair<std::string, std::string>;  // the database's folder, the family's name

struct TotalsOfFiles {
  FilterTotals all;
  std::map<FamilyName, FilterTotals> by_family;
  std::map<int, FilterTotals> by_level;  // files of known level
  std::map<std::string, FilterTotals> by_kind;
};

// Sums up the files.
TotalsOfFiles TotalsOf(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILTER_TOTALS_H_
