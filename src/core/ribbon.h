// What queries and construction of Ribbon filters share.

#ifndef WINNOW_SRC_CORE_RIBBON_H_
#define WINNOW_SRC_CORE_RIBBON_H_

#include <cstdint>

#include "src/core/format.h"
#include "src/simd/kernels.h"

namespace winnow::core {

// The hash by which a bumped key is known in the next layer. A bijection: distinct hashes stay so.
inline uint64_t NextLayerHash(uint64_t hash) noexcept {
  hash *= 0xa0761d6478bd642fu;
  return hash ^ hash >> 32;
}

// 48 bits, the lowest one set.
inline uint64_t Coefficient(uint64_t hash) noexcept {
  return ((hash * simd::kCoefficientMultiplier) >> (64 - simd::kRibbonWidth)) | 1;
}

// bits from 1 to 32.
inline uint64_t Fingerprint(uint64_t hash, unsigned bits) noexcept {
  return ((hash ^ hash >> 31) * simd::kFingerprintMultiplier) >> (64 - bits);
}

// The position below `positions` that a hash is given.
inline uint32_t StartPosition(uint64_t hash, uint32_t positions) noexcept {
  return static_cast<uint32_t>(((hash >> 32) * positions) >> 32);
}

// The start positions of a Ribbon without bumping, of `blocks` blocks of 64 slots: no row leaves
// it.
inline uint32_t SmallStarts(uint32_t blocks) noexcept {
  return blocks * 64 - (simd::kRibbonWidth - 1);
}

// A bumped layer whose bytes begin at `words`, as kernels take it.
inline simd::RibbonLayer LayerForKernels(unsigned shard_bits, uint32_t buckets, Columns columns,
                                         const unsigned char* words) noexcept {
  const BumpedLayout layout = LayOut(shard_bits, buckets, columns);
  simd::RibbonLayer layer;
  layer.words = words;
  layer.thresholds = words + layout.words_bytes;
  layer.starts = static_cast<uint32_t>(layout.starts);
  layer.split = static_cast<uint32_t>(layout.split);
  layer.lanes[0] = static_cast<uint16_t>((1u << columns.whole) - 1);
  layer.lanes[1] = static_cast<uint16_t>((1u << columns.most()) - 1);
  layer.columns = static_cast<uint8_t>(columns.whole);
  layer.shard_shift = static_cast<uint8_t>(32 - shard_bits);
  layer.fingerprint_shift = static_cast<uint8_t>(64 - columns.most());
  return layer;
}

// The share of a bumped layer's start positions whose keys it bumps, 0 to 1.
double BumpedShare(const unsigned char* thresholds, uint64_t starts) noexcept;

// Whether a layer of type kSmall or kList holds the hash's fingerprint. At least 7 readable bytes
// must follow the layer's.
bool ProbeSmall(const unsigned char* words, uint32_t blocks, unsigned columns,
                uint64_t hash) noexcept;
bool ProbeList(const unsigned char* fingerprints, uint32_t count, unsigned bits,
               uint64_t hash) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_H_
