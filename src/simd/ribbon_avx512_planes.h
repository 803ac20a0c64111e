// Conversion of keys to rows in planes, the form in which rows enter the pool: make_keys of
// RibbonElimination with AVX-512, VBMI and GFNI.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX512_PLANES_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX512_PLANES_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx512_vectors.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_elimination.h"

namespace winnow::simd {
namespace {

// Transposes eight registers of eight words: word j of register i becomes word i of register j.
void TransposeWords(__m512i* words) {
  __m512i pairs[8];
  for (unsigned i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64(words[i], words[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi64(words[i], words[i + 1]);
  }
  __m512i fours[8];
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned odd = 0; odd < 2; ++odd) {
      const __m512i a = pairs[4 * half + odd];
      const __m512i b = pairs[4 * half + odd + 2];
      fours[4 * half + odd] = _mm512_shuffle_i64x2(a, b, 0x88);      // words 0 and 4 of each
      fours[4 * half + odd + 2] = _mm512_shuffle_i64x2(a, b, 0xdd);  // words 2 and 6
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0x88);
    words[i + 4] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0xdd);
  }
}

void MakePlanes(const uint64_t* hashes, size_t n, uint32_t starts, RibbonRows kind,
                unsigned char* planes, size_t plane_bytes) {
  const unsigned fingerprint_bits = kind.fingerprint_bits;
  const __m512i value_mask = Set64(kind.value_mask());
  const __m512i coefficient_multiplier = Set64(kCoefficientMultiplier);
  const __m512i fingerprint_multiplier = Set64(kFingerprintMultiplier);
  const __m128i fingerprint_shift = _mm_cvtsi32_si128(static_cast<int>(64 - fingerprint_bits));
  for (size_t first = 0; first < n; first += 64) {
    __m512i rows[8];
    __m128i high_fingerprints[8];
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      const size_t at = first + 8 * i;
      const auto lanes = static_cast<__mmask8>(at + 8 <= n ? 0xff
                                               : at >= n   ? 0
                                                           : (1u << (n - at)) - 1);
      const __m512i item = _mm512_maskz_loadu_epi64(lanes, hashes + at);
      const __m512i hash = _mm512_andnot_si512(value_mask, item);
      const __m512i start =
          _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(hash, 32), Set64(starts)), 32);
      const __m512i coefficient = _mm512_or_si512(
          _mm512_srli_epi64(_mm512_mullo_epi64(hash, coefficient_multiplier), 64 - kRibbonWidth),
          Set64(1));
      const __m512i of_hash =
          _mm512_srl_epi64(_mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 31)),
                                              fingerprint_multiplier),
                           fingerprint_shift);
      // value_mask ? item : of_hash
      const __m512i fingerprint = _mm512_ternarylogic_epi64(value_mask, item, of_hash, 0xca);
      const __m512i shift = _mm512_and_si512(start, Set64(kRibbonStepSlots - 1));
      rows[i] =
          TransposeBytes(_mm512_or_si512(_mm512_sllv_epi64(coefficient, shift),
                                         _mm512_slli_epi64(fingerprint, 8 * kFingerprintPlane)));
      high_fingerprints[i] = _mm512_cvtepi64_epi8(_mm512_srli_epi64(fingerprint, 8));
    }
    TransposeWords(rows);
    for (unsigned plane = 0; plane < 8; ++plane) {
      _mm512_storeu_si512(planes + plane * plane_bytes + first, rows[plane]);
    }
    if (fingerprint_bits <= kNarrowColumns) continue;
#pragma GCC unroll 9
    for (unsigned i = 0; i < 8; ++i) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(planes + 8 * plane_bytes + first + 8 * i),
                       high_fingerprints[i]);
    }
  }
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX512_PLANES_H_
