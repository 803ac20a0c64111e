// How much of what was inspected has Winnow's filters: how far a roll-out, or the way back, has
// come.

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
  uint64_t entries = 0;       // of the files' tables: what a share of the data is counted by
  uint64_t keys = 0;          // in the filters
  uint64_t filter_bytes = 0;  // of the filters
};

struct ConvertedShare {
  std::array<FamilySum, kNumFilterFamilies> families;

  const FamilySum& operator[](FilterFamily family) const {
    return families[static_cast<size_t>(family)];
  }

  // The share of all entries that lie in files with Winnow's filters, 0 to 1; unset without
  // entries. A file whose partitions are of both families counts for that with more keys.
  std::optional<double> OfEntries() const;
};

// Pure. Files that could not be read count for nothing.
ConvertedShare SumByFamily(const std::vector<SstReport>& files);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_CONVERTED_SHARE_H_
