// Query of a bumped Ribbon layer: the place of a hash's bits, and the parities they must have.

#ifndef WINNOW_SRC_SIMD_RIBBON_QUERY_H_
#define WINNOW_SRC_SIMD_RIBBON_QUERY_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

// Query of a layer for a hash.
struct RibbonQuery {
  const unsigned char* low;   // columns of the first block
  const unsigned char* high;  // columns of the next block
  uint64_t hash;
  uint64_t coefficient;
  uint64_t fingerprint;
  uint32_t start;
  uint32_t columns;  // number of relevant columns: those of the first block
};

WINNOW_INLINE uint32_t StartOf(const RibbonLayer& layer, uint64_t hash) {
  return formulas::StartPosition(hash, layer.starts);
}

WINNOW_INLINE bool IsBumped(const RibbonLayer& layer, uint32_t start) {
  return formulas::IsBumped(layer.thresholds, start);
}

// Returns the query for the block whose `columns` columns begin at `low`.
WINNOW_INLINE RibbonQuery QueryAt(const unsigned char* low, uint32_t columns, uint32_t start,
                                  uint32_t fingerprint_shift, uint64_t hash) {
  return {low,
          low + size_t{8} * columns,
          hash,
          formulas::Coefficient(hash),
          formulas::FingerprintSource(hash) >> fingerprint_shift,
          start,
          columns};
}

WINNOW_INLINE RibbonQuery QueryOf(const RibbonLayer& layer, uint32_t start, uint64_t hash) {
  const uint64_t block = formulas::BlockOf(hash, start, layer.shard_shift);
  const auto past_split = static_cast<int32_t>(static_cast<uint32_t>(block) - layer.split);
  const uint64_t wide_before = formulas::WideBlocksBefore(past_split);
  const uint32_t columns = formulas::ColumnsOf(past_split, layer.columns);
  const unsigned char* low =
      layer.words + 8 * formulas::WordsBefore(block, layer.columns, wide_before);
  return QueryAt(low, columns, start, layer.fingerprint_shift, hash);
}

// Returns whether the relevant columns have the parities of the fingerprint. `parities` may have
// more bits than there are columns.
WINNOW_INLINE bool IsFingerprint(const RibbonQuery& query, uint64_t parities) {
  return ((parities ^ query.fingerprint) & ((uint64_t{1} << query.columns) - 1)) == 0;
}

using formulas::RibbonMasks;

WINNOW_INLINE RibbonMasks MasksOf(const RibbonQuery& query) {
  return formulas::MasksAt(query.coefficient, query.start);
}

// Returns the parities of all columns that a block may have, eight at a time, for kernels with
// eight lanes (avx2, neon). kParities returns those of up to eight columns; bit j is that of column
// j.
template <uint32_t (*kParities)(const unsigned char* low, const unsigned char* high,
                                unsigned columns, const RibbonMasks& masks)>
WINNOW_INLINE uint32_t ParitiesInEights(const RibbonLayer& layer, const RibbonQuery& query) {
  const RibbonMasks masks = MasksOf(query);
  const unsigned columns = 64u - layer.fingerprint_shift;
  if (columns <= 8) return kParities(query.low, query.high, columns, masks);
  return kParities(query.low, query.high, 8, masks) |
         kParities(query.low + 64, query.high + 64, columns - 8, masks) << 8;
}

// Match function of RibbonLookups, by parities.
template <uint32_t (*kParities)(const RibbonLayer& layer, const RibbonQuery& query)>
WINNOW_INLINE bool MatchParities(const RibbonLayer& layer, const RibbonQuery& query) {
  return IsFingerprint(query, kParities(layer, query));
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_QUERY_H_
