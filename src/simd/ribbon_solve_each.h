// Back substitution without vectors.

#ifndef WINNOW_SRC_SIMD_RIBBON_SOLVE_EACH_H_
#define WINNOW_SRC_SIMD_RIBBON_SOLVE_EACH_H_

#include <cstdint>

#include "src/formulas/bytes.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

// Back substitution of one sub-shard after the other, slot by slot from right to left: bit i of a
// column's window is the solution of the slot i places to the right.
template <typename Parity>
WINNOW_INLINE void SolveEach(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                             uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                             unsigned char* words, Parity parity) {
  for (unsigned shard = 0; shard < shards; ++shard) {
    uint64_t window[kRibbonMaxColumns] = {};
    for (uint64_t i = shard_blocks; i-- > 0;) {
      for (unsigned slot = 64; slot-- > 0;) {
        const uint64_t row = rows[shard][i * 64 + slot];
        const uint64_t others = row >> (64 - kRibbonWidth + 1);
        for (unsigned column = 0; column < most; ++column) {
          const uint64_t bit = parity(window[column] & others) ^ row >> column;
          window[column] = window[column] << 1 | (bit & 1);
        }
      }
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = formulas::WideBlocksBefore(block, split);
      const unsigned columns = formulas::ColumnsOf(block, whole, most, split);
      unsigned char* out = words + 8 * formulas::WordsBefore(block, whole, most, wide_before);
      for (unsigned column = 0; column < columns; ++column) {
        formulas::StoreLittle64(out + 8 * column, window[column]);
      }
    }
  }
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_SOLVE_EACH_H_
