// Back substitution of sub-shards, eight columns and four sub-shards at a time, from right to left:
// the part that all kernels share.

#ifndef WINNOW_SRC_SIMD_RIBBON_SOLVE_H_
#define WINNOW_SRC_SIMD_RIBBON_SOLVE_H_

#include <cstdint>

#include "src/formulas/ribbon_layer.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

constexpr unsigned kColumnsAtOnce = 8;

// Solver<kShards> is constructed from the sub-shards' rows, their number of blocks and the first
// column, and has:
//   SolveBlock(i)              solves block i of each sub-shard, from the last block to the first
//   Store(shard, columns, out) writes the first `columns` columns of that block
template <template <unsigned kShards> class Solver, unsigned kShards>
void SolveColumns(const uint64_t* const* rows, uint64_t shard_blocks, uint64_t first_block,
                  unsigned first_column, unsigned whole, unsigned most, uint64_t split,
                  unsigned char* words) {
  Solver<kShards> solver(rows, shard_blocks, first_column);
  for (uint64_t i = shard_blocks; i-- > 0;) {
    solver.SolveBlock(i);
    for (unsigned shard = 0; shard < kShards; ++shard) {
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = formulas::WideBlocksBefore(block, split);
      const unsigned columns = formulas::ColumnsOf(block, whole, most, split);
      if (columns <= first_column) continue;
      const unsigned left = columns - first_column;
      solver.Store(
          shard, left < kColumnsAtOnce ? left : kColumnsAtOnce,
          words + 8 * (formulas::WordsBefore(block, whole, most, wide_before) + first_column));
    }
  }
}

// Implementation of Kernels::ribbon_solve.
template <template <unsigned kShards> class Solver>
void SolveInEights(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                   uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                   unsigned char* words) {
  for (unsigned first_column = 0; first_column < most; first_column += kColumnsAtOnce) {
    if (shards == kRibbonMostShards) {
      SolveColumns<Solver, kRibbonMostShards>(rows, shard_blocks, first_block, first_column, whole,
                                              most, split, words);
      continue;
    }
    for (unsigned shard = 0; shard < shards; ++shard) {
      SolveColumns<Solver, 1>(rows + shard, shard_blocks, first_block + shard * shard_blocks,
                              first_column, whole, most, split, words);
    }
  }
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_SOLVE_H_
