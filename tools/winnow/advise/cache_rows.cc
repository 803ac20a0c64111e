#include "tools/winnow/advise/cache_rows.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "src/text/numbers.h"

namespace winnow::inspect {
namespace {

// Returns the spread of a count per lookup over the placements.
template <typename Count>
Spread SpreadOf(const std::vector<ReplayFigures>& placements, Count count) {
  Spread spread;
  for (const ReplayFigures& figures : placements) {
    const double value = static_cast<double>(count(figures)) /
                         static_cast<double>(std::max<uint64_t>(figures.lookups, 1));
    spread.least = &figures == &placements.front() ? value : std::min(spread.least, value);
    spread.most = std::max(spread.most, value);
  }
  return spread;
}

}  // namespace

Spread CacheRow::BytesSpread() const {
  return SpreadOf(placements, [](const ReplayFigures& each) {
    return each.filter_bytes + each.index_bytes + each.data_bytes;
  });
}

Spread CacheRow::FilterSpread() const {
  return SpreadOf(placements, [](const ReplayFigures& each) { return each.filter_bytes; });
}

Spread CacheRow::ReadFiltersSpread() const {
  return SpreadOf(placements, [](const ReplayFigures& each) { return each.read_filters; });
}

const CacheRow& CacheAdvice::Now() const {
  return *absl::c_find_if(
      rows, [](const CacheRow& row) { return row.choice.is_now && row.choice.cache_factor == 1; });
}

std::string RangeText(double figure, const Spread& spread, std::string (*format)(double)) {
  const std::string least = format(spread.least);
  const std::string most = format(spread.most);
  if (!spread.IsWide() || least == most) {
    return format(figure);
  }
  const size_t unit = least.find(' ');
  const bool same = unit != std::string::npos && most.find(' ') != std::string::npos &&
                    least.substr(unit) == most.substr(most.find(' '));
  return absl::StrCat(same ? least.substr(0, unit) : least, " to ", most);
}

std::string BytesText(const CacheRow& row) {
  return RangeText(row.BytesALookup(), row.BytesSpread(), ByteSize);
}

std::string FilterBytesText(const CacheRow& row) {
  return RangeText(row.ALookup(row.figures.filter_bytes), row.FilterSpread(), ByteSize);
}

std::string ReadFiltersText(const CacheRow& row) {
  return RangeText(row.ALookup(row.figures.read_filters), row.ReadFiltersSpread(), PartOfAll);
}

}  // namespace winnow::inspect
