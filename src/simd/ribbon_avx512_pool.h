// Pool of a sub-shard in AVX-512 registers, and insertion of rows at a step.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX512_POOL_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX512_POOL_H_

#include <immintrin.h>

#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx512_planes.h"
#include "src/simd/ribbon_avx512_vectors.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

uint64_t RowsOf(unsigned count) { return _bzhi_u64(~uint64_t{0}, count); }

// Planes of the pool, with the interface that ribbon_buckets.h requires.
template <unsigned kPlanes>
struct Planes {
  __m512i plane[kPlanes];

  Planes() = default;
  explicit Planes(const Pool* pool) {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) plane[i] = _mm512_load_si512(pool->planes[i]);
  }
  void Clear(Pool* /*pool*/) {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) plane[i] = _mm512_setzero_si512();
  }
  void Store(Pool* pool) const {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) _mm512_store_si512(pool->planes[i], plane[i]);
  }
  void Drop(uint64_t rows) {
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i) plane[i] = _mm512_maskz_mov_epi8(~rows, plane[i]);
  }

  uint64_t WithCoefficient() const {
    const __m512i bits =
        _mm512_or_si512(_mm512_ternarylogic_epi64(plane[0], plane[1], plane[2], 0xfe),
                        _mm512_ternarylogic_epi64(plane[3], plane[4], plane[5], 0xfe));
    return _mm512_test_epi8_mask(bits, bits);
  }
  uint64_t WithFingerprint() const {
    __m512i bits = plane[kFingerprintPlane];
    if constexpr (kPlanes > 8) bits = _mm512_or_si512(bits, plane[8]);
    return _mm512_test_epi8_mask(bits, bits);
  }
  uint64_t InLowSlots() const { return _mm512_test_epi8_mask(plane[0], _mm512_set1_epi8(0x0f)); }

  WINNOW_INLINE bool PutCarried(const uint64_t* rows, uint64_t free, uint64_t* places) {
    const __m512i all = _mm512_loadu_si512(rows);
    const __mmask8 some = _mm512_test_epi64_mask(all, all);
    if (some == 0) return true;
    const auto count = static_cast<unsigned>(_mm_popcnt_u32(some));
    if (count > static_cast<unsigned>(_mm_popcnt_u64(free))) return false;
    const __m512i slots = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i coefficients =
        _mm512_sllv_epi64(_mm512_srli_epi64(all, 64 - kRibbonWidth), slots);
    const __m512i row =
        _mm512_or_si512(coefficients, _mm512_slli_epi64(all, 8 * kFingerprintPlane));
    alignas(64) uint64_t words[8];
    _mm512_store_si512(words, TransposeBytes(_mm512_maskz_compress_epi64(some, row)));
    KeepInMemory(words);
    *places = _pdep_u64(RowsOf(count), free);
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(words[i]));
      plane[i] = _mm512_mask_expand_epi8(plane[i], *places, _mm512_castsi128_si512(bytes));
    }
    if constexpr (kPlanes > 8) {
      const __m512i high = _mm512_srli_epi64(_mm512_maskz_compress_epi64(some, all), 8);
      plane[8] = _mm512_mask_expand_epi8(plane[8], *places,
                                         _mm512_castsi128_si512(_mm512_cvtepi64_epi8(high)));
    }
    return true;
  }

  WINNOW_INLINE uint64_t PutKeys(const RibbonShardState& state, uint32_t count, uint64_t free) {
    const uint64_t places = _pdep_u64(RowsOf(count), free);
    const unsigned char* bytes = state.keys + state.next_key;
#pragma GCC unroll 9
    for (unsigned i = 0; i < kPlanes; ++i, bytes += state.key_room) {
      plane[i] = _mm512_mask_expand_epi8(plane[i], places, _mm512_loadu_si512(bytes));
    }
    return places;
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX512_POOL_H_
