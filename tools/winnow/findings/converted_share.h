// Share of the inspected data that has Winnow's filters: the progress of a roll-out or a roll-back.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_CONVERTED_SHARE_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_CONVERTED_SHARE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

struct FamilySum {
  uint64_t files = 0;
  uint64_t entries = 0;       // entries of the files' tables; the measure of a share of the data
  uint64_t keys = 0;          // keys in the filters
  uint64_t filter_bytes = 0;  // size of the filters
};

struct ConvertedShare {
  std::array<FamilySum, kNumFilterFamilies> families;

  const FamilySum& operator[](FilterFamily family) const {
    return families[static_cast<size_t>(family)];
  }

  // Share of all entries that are in files with Winnow's filters, 0 to 1; nullopt without entries.
  // A file with partitions of both families counts for the family with more keys.
  std::optional<double> OfEntries() const;
};

// Sums up the files by family of their filters. Files that could not be read are ignored.
ConvertedShare SumByFamily(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_CONVERTED_SHARE_H_
