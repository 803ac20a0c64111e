// A step of eight slots with AVX-512, VBMI and GFNI: finds the pivots among the rows of the pool,
// writes them to their slots, and adds them to the other rows.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX512_PIVOTS_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX512_PIVOTS_H_

#include <immintrin.h>

#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx512_planes.h"
#include "src/simd/ribbon_avx512_pool.h"
#include "src/simd/ribbon_avx512_vectors.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

// Result of the elimination in plane 0.
struct Pivots {
  __m512i combinations;  // one byte per row of the pool: the pivots that are added to the row
  __m512i own;           // byte j of each word: the rows that the pivot of slot j is the sum of
  uint64_t rows;         // byte 7 - j: the row of the pool that is the pivot of slot j

  uint64_t Rows() const { return rows; }
};

// Finds the pivots. The bit of an eliminated slot is 0 in each row of the pool, so its place is
// reused to record whether the slot's pivot was added to the row.
template <unsigned kShards>
WINNOW_INLINE void FindPivots(const RibbonShardState* states, Pivots* pivots) {
  for (unsigned i = 0; i < kShards; ++i) {
    pivots[i] = {_mm512_load_si512(states[i].pool.planes[0]), _mm512_setzero_si512(), 0};
  }
#pragma GCC unroll 8
  for (unsigned slot = 0; slot < kRibbonStepSlots; ++slot) {
    const __m512i bit = _mm512_load_si512(kConstants.bit[slot]);
    const __m512i up_to_bit = _mm512_load_si512(kConstants.up_to_bit[slot]);
#pragma GCC unroll 4
    for (unsigned i = 0; i < kShards; ++i) {
      const __m512i slots = pivots[i].combinations;
      const __mmask64 candidates = _mm512_test_epi8_mask(slots, bit);
      const uint64_t row = _tzcnt_u64(LowestClass(candidates, states[i].pool));
      const __m512i index = _mm512_set1_epi8(static_cast<char>(row));
      // slots ^ pivot if there are candidates, but (slots & bit) is kept
      pivots[i].combinations = _mm512_ternarylogic_epi64(
          slots, _mm512_maskz_permutexvar_epi8(candidates, index, slots), bit, 0xbc);
      const __m512i pivot = _mm512_permutexvar_epi8(index, slots);
      // own | (pivot & up_to_bit)
      pivots[i].own = _mm512_ternarylogic_epi64(pivots[i].own, pivot, up_to_bit, 0xf8);
      pivots[i].rows = pivots[i].rows << 8 | (row & (kRibbonPoolRows - 1));
    }
  }
  // Clears the bytes of slots without a pivot, which lack the slot's bit.
  for (unsigned i = 0; i < kShards; ++i) {
    const __mmask64 found = _mm512_test_epi8_mask(pivots[i].own, Set64(0x8040201008040201u));
    pivots[i].own = _mm512_maskz_mov_epi8(found, pivots[i].own);
  }
}

// Returns the bytes of eight rows in all planes, one word per plane.
template <unsigned kPlanes>
WINNOW_INLINE __m512i Gather(const Planes<kPlanes>& planes, __m512i rows) {
  __m128i words[8];
#pragma GCC unroll 9
  for (unsigned i = 0; i < 8; ++i) {
    words[i] = _mm512_castsi512_si128(_mm512_permutexvar_epi8(rows, planes.plane[i]));
  }
  const __m256i low =
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(words[0], words[1])),
                              _mm_unpacklo_epi64(words[2], words[3]), 1);
  const __m256i high =
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(words[4], words[5])),
                              _mm_unpacklo_epi64(words[6], words[7]), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// Writes the pivots' bytes of each plane as a matrix of 8 x 8 bits, whose row j is the byte of slot
// j's pivot, for products that add pivots to other rows. Returns the first eight matrices in a
// register.
template <unsigned kPlanes>
WINNOW_INLINE __m512i MakeMatrices(const Planes<kPlanes>& planes, uint64_t rows,
                                   uint64_t (&matrices)[kRibbonPlanes]) {
  const __m512i indices = Set64(rows);
  const __m512i first_eight = TransposeBits(Gather(planes, indices));
  _mm512_store_si512(matrices, first_eight);
  KeepInMemory(matrices);
  if constexpr (kPlanes > 8) {
    const __m512i word = _mm512_permutexvar_epi8(indices, planes.plane[8]);
    matrices[8] =
        static_cast<uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(TransposeBits(word))));
  }
  return first_eight;
}

// Pivots as the rows of the step's slots.
struct SlotRows {
  __m512i coefficients;
  __m512i fingerprints;

  void Store(uint64_t* rows) const {
    _mm512_storeu_si512(
        rows, _mm512_or_si512(_mm512_slli_epi64(coefficients, 64 - kRibbonWidth), fingerprints));
  }
};

template <unsigned kPlanes>
WINNOW_INLINE SlotRows RowsOfSlots(const Pivots& pivots, __m512i low_matrices,
                                   const uint64_t (&matrices)[kRibbonPlanes]) {
  const __m512i rows = TransposeBytes(_mm512_gf2p8affine_epi64_epi8(pivots.own, low_matrices, 0));
  const __m512i coefficients = _mm512_srlv_epi64(_mm512_and_si512(rows, Set64(~uint64_t{0} >> 8)),
                                                 _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  __m512i fingerprints = _mm512_srli_epi64(rows, 8 * kFingerprintPlane);
  if constexpr (kPlanes > 8) {
    const __m512i high = _mm512_gf2p8affine_epi64_epi8(pivots.own, MatrixForAll(matrices[8]), 0);
    fingerprints = _mm512_or_si512(
        fingerprints, _mm512_slli_epi64(_mm512_cvtepu8_epi64(_mm512_castsi512_si128(high)), 8));
  }
  return {coefficients, fingerprints};
}

// Adds the pivots to all rows that have bits in their slots, including the pivots themselves, which
// vanish. Plane 0 is then 0, and the other planes move down.
template <unsigned kPlanes>
WINNOW_INLINE void AddPivots(const Pivots& pivots, const uint64_t (&matrices)[kRibbonPlanes],
                             const Planes<kPlanes>& planes, Planes<kPlanes>* next) {
#pragma GCC unroll 9
  for (unsigned i = 1; i < kPlanes; ++i) {
    const __m512i sums =
        _mm512_gf2p8affine_epi64_epi8(pivots.combinations, MatrixForAll(matrices[i]), 0);
    next->plane[i < kCoefficientPlanes ? i - 1 : i] = _mm512_xor_si512(planes.plane[i], sums);
  }
  next->plane[kCoefficientPlanes - 1] = _mm512_setzero_si512();
}

// Steps for ribbon_buckets.h, with planes in registers.
template <unsigned kPlaneCount>
struct StepsInRegisters {
  using Planes = simd::Planes<kPlaneCount>;
  using Pivots = simd::Pivots;

  template <unsigned kShards>
  WINNOW_INLINE static void FindPivots(const RibbonShardState* states, Pivots* pivots) {
    simd::FindPivots<kShards>(states, pivots);
  }

  static void FreeSlots(uint64_t pivots, uint64_t failed, uint64_t* rows) {
    const auto kept = static_cast<__mmask8>(~_mm_bitshuffle_epi64_mask(
        _mm_set1_epi64x(static_cast<long long>(failed)),
        _mm_cvtsi64_si128(static_cast<long long>(__builtin_bswap64(pivots)))));
    _mm512_storeu_si512(rows, _mm512_maskz_loadu_epi64(kept, rows));
  }

  WINNOW_INLINE static void AddPivots(const Pivots& pivots, const Pool* pool, uint64_t* rows,
                                      Planes* next) {
    Planes planes(pool);  // g++ 12 would put a const object on the stack
    alignas(64) uint64_t matrices[kRibbonPlanes];
    const __m512i low_matrices = MakeMatrices(planes, pivots.rows, matrices);
    const SlotRows slots = RowsOfSlots<kPlaneCount>(pivots, low_matrices, matrices);
    simd::AddPivots(pivots, matrices, planes, next);
    // The store is last, since the compiler must assume that it changes the pool.
    if (__builtin_expect(rows != nullptr, 1)) slots.Store(rows);
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX512_PIVOTS_H_
