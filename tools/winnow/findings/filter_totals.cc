#include "tools/winnow/findings/filter_totals.h"

#include <algorithm>
#include <cmath>

namespace winnow::inspect {

void FilterTotals::Add(const SstReport& file) {
  if (!file.filter) {
    ++not_read;
    return;
  }
  const FilterSummary& filter = *file.filter;
  ++files;
  entries += file.entries;
  keys += filter.keys;
  bytes += filter.bytes;
  if (filter.range) range_bytes += filter.range->bytes;
  file_bytes += file.file_bytes;
  if (filter.kind == kNoFilter) {
    ++without_filter;
    entries_without_filter += file.entries;
  }
  if (!filter.expected_fpr) {
    return;
  }
  const double rate = *filter.expected_fpr;
  const auto weight = static_cast<double>(filter.keys);
  highest_rate_ = std::max(highest_rate_.value_or(0), rate);
  keys_with_rate_ += weight;
  rate_by_keys_ += weight * rate;
  if (filter.keys > 0 && rate > 0 && !filter.is_single()) {
    bound_bits_ -= weight * std::log2(std::min(rate, 1.0));
    bounded_bytes_ += filter.bytes_without_range();
  }
}

double FilterTotals::bits_per_key() const {
  return keys == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(keys);
}

double FilterTotals::range_bits_per_key() const {
  return keys == 0 ? 0 : 8 * static_cast<double>(range_bytes) / static_cast<double>(keys);
}

std::optional<double> FilterTotals::mean_fpr() const {
  return keys_with_rate_ > 0 ? rate_by_keys_ / keys_with_rate_ : highest_rate_;
}

std::optional<double> FilterTotals::share_above_bound() const {
  return bound_bits_ > 0 ? std::optional(bytes_above_bound() / bound_bytes()) : std::nullopt;
}

TotalsOfFiles TotalsOf(const std::vector<SstReport>& files) {
  TotalsOfFiles totals;
  for (const SstReport& file : files) {
    totals.all.Add(file);
    if (!file.column_family.empty() || file.filter) {
      totals.by_family[{file.database, file.column_family}].Add(file);
    }
    if (file.level) {
      totals.by_level[*file.level].Add(file);
    }
    if (file.filter) {
      totals.by_kind[file.filter->kind].Add(file);
    }
  }
  return totals;
}

}  // namespace winnow::inspect
