// Common part of all kernel tables: lookups in one filter, and construction.

#ifndef WINNOW_SRC_SIMD_KERNEL_TABLE_H_
#define WINNOW_SRC_SIMD_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/xxh3.h"
#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

inline uint64_t HashBytes(const void* bytes, size_t size) noexcept {
  return XXH3_64bits(bytes, size);
}

// Returns a table made of a BloomLookups and a RibbonLookups.
template <typename Bloom, typename Ribbon>
constexpr Kernels TableOf(const char* name, decltype(Kernels::ribbon_cells) ribbon_cells,
                          decltype(Kernels::ribbon_solve) ribbon_solve,
                          const RibbonElimination* elimination = nullptr) {
  return {name,
          HashBytes,
          Bloom::Probe,
          Bloom::ProbeMany,
          Bloom::Add,
          Ribbon::kProbe,
          Ribbon::kProbeNarrow,
          Ribbon::ProbeMany,
          Ribbon::Retrieve,
          Ribbon::RetrieveMany,
          ribbon_cells,
          ribbon_solve,
          elimination};
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_KERNEL_TABLE_H_
