// Kernels::ribbon_cells: one hash at a time, for machines without fast enough vectors, and in
// groups.

#ifndef WINNOW_SRC_SIMD_RIBBON_CELLS_H_
#define WINNOW_SRC_SIMD_RIBBON_CELLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

inline void RibbonCells(const RibbonGrid& grid, const uint64_t* hashes, size_t n,
                        uint16_t* cells) noexcept {
  for (size_t i = 0; i < n; ++i) {
    const auto shard = static_cast<uint32_t>((hashes[i] >> 1) >> (63 - grid.shard_bits));
    // Computes StartPosition less the starts of the previous sub-shards.
    const uint64_t below_shard = static_cast<uint32_t>(hashes[i] >> 32) << grid.shard_bits;
    const auto in_shard = static_cast<uint32_t>((below_shard * grid.shard_starts) >> 32);
    cells[i] = static_cast<uint16_t>(shard * grid.shard_cells + (in_shard >> grid.cell_bits) -
                                     grid.first_cell);
  }
}

// Finds cells in groups of kSome hashes, by kCells(grid, hashes, cells).
template <size_t kSome, auto kCells>
void CellsBy(const RibbonGrid& grid, const uint64_t* hashes, size_t n, uint16_t* cells) noexcept {
  if (n < kSome) return RibbonCells(grid, hashes, n, cells);
  for (size_t i = 0; i < n; i += kSome) {
    const size_t at = std::min(i, n - kSome);  // the last ones may be computed twice
    kCells(grid, hashes + at, cells + at);
  }
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_CELLS_H_
