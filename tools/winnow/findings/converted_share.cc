#include "tools/winnow/findings/converted_share.h"

namespace winnow::inspect {

std::optional<double> ConvertedShare::OfEntries() const {
  uint64_t all = 0;
  for (const FamilySum& family : families) {
    all += family.entries;
  }
  if (all == 0) {
    return std::nullopt;
  }
  return static_cast<double>((*this)[FilterFamily::kWinnow].entries) / static_cast<double>(all);
}

ConvertedShare SumByFamily(const std::vector<SstReport>& files) {
  ConvertedShare share;
  for (const SstReport& file : files) {
    if (!file.filter) {
      continue;
    }
    FamilySum& sum = share.families[static_cast<size_t>(RowOf(file.filter->kind).family)];
    ++sum.files;
    sum.entries += file.entries;
    sum.keys += file.filter->keys;
    sum.filter_bytes += file.filter->bytes;
  }
  return share;
}

}  // namespace winnow::inspect
