// Parts shared by lookups and construction of Ribbon filters.

#ifndef WINNOW_SRC_CORE_RIBBON_H_
#define WINNOW_SRC_CORE_RIBBON_H_

#include <cstdint>

#include "src/core/format.h"
#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/kernels.h"

namespace winnow::core {

using formulas::Coefficient;
using formulas::Fingerprint;
using formulas::NextLayerHash;
using formulas::SmallStarts;
using formulas::StartPosition;

// Returns a bumped layer at `words` in the form that kernels take.
inline simd::RibbonLayer LayerForKernels(unsigned shard_bits, uint32_t buckets, Columns columns,
                                         const unsigned char* words) noexcept {
  const BumpedLayout layout = LayOut(shard_bits, buckets, columns);
  simd::RibbonLayer layer;
  layer.words = words;
  layer.thresholds = words + layout.words_bytes;
  layer.starts = static_cast<uint32_t>(layout.starts);
  layer.split = static_cast<uint32_t>(layout.split);
  layer.column_mask = static_cast<uint16_t>((1u << columns.most()) - 1);
  layer.columns = static_cast<uint8_t>(columns.whole);
  layer.shard_shift = static_cast<uint8_t>(32 - shard_bits);
  layer.fingerprint_shift = static_cast<uint8_t>(64 - columns.most());
  return layer;
}

// Returns the share, 0 to 1, of a bumped layer's start positions whose keys are bumped.
double BumpedShare(const unsigned char* thresholds, uint64_t starts) noexcept;

// Return whether a layer of type kSmall or kList has the hash's fingerprint. At least 7 readable
// bytes must follow the layer.
bool ProbeSmall(const unsigned char* words, uint32_t blocks, unsigned columns,
                uint64_t hash) noexcept;
bool ProbeList(const unsigned char* fingerprints, uint32_t count, unsigned bits,
               uint64_t hash) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_H_
