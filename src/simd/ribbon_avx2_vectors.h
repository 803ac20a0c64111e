// AVX2 operations for ribbon_steps.h and ribbon_solve_sums.h. Products use tables or GFNI.

#ifndef WINNOW_SRC_SIMD_RIBBON_AVX2_VECTORS_H_
#define WINNOW_SRC_SIMD_RIBBON_AVX2_VECTORS_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "src/simd/inline.h"
#include "src/simd/ribbon_sum_tables.h"

namespace winnow::simd {
namespace {

struct Avx2Vectors {
  using Bytes = __m256i;
  using Eight = __m128i;

  WINNOW_INLINE static Bytes Load(const unsigned char* bytes) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
  }
  WINNOW_INLINE static void Store(unsigned char* bytes, Bytes value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes), value);
  }
  WINNOW_INLINE static Bytes Set(unsigned char value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }
  WINNOW_INLINE static Bytes SetEight(uint64_t value) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
  }
  WINNOW_INLINE static Eight LowEight(Bytes bytes) { return _mm256_castsi256_si128(bytes); }

  WINNOW_INLINE static Bytes LoadOne(const unsigned char* byte) {
    return _mm256_set1_epi8(static_cast<char>(*byte));
  }
  WINNOW_INLINE static void StoreWord(unsigned char* bytes, Bytes value) {
    _mm_storeu_si64(bytes, _mm256_castsi256_si128(value));
  }
  WINNOW_INLINE static Bytes HavingOneOf(Bytes bytes, Bytes bits) {
    const __m256i zero = _mm256_setzero_si256();
    return _mm256_cmpeq_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), zero), zero);
  }

  // Returns bytes of which only the top bits are meaningful.
  WINNOW_INLINE static Bytes Having(Bytes bytes, unsigned slot) {
    return _mm256_slli_epi16(bytes, static_cast<int>(7 - slot));
  }
  WINNOW_INLINE static Bytes Where(Bytes having, Bytes value) {
    return _mm256_blendv_epi8(_mm256_setzero_si256(), value, having);
  }
  WINNOW_INLINE static uint64_t Bits(Bytes low, Bytes high) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           static_cast<uint64_t>(_mm256_movemask_epi8(high)) << 32;
  }
  WINNOW_INLINE static uint64_t NonZero(Bytes low, Bytes high) {
    const __m256i zero = _mm256_setzero_si256();
    return ~Bits(_mm256_cmpeq_epi8(low, zero), _mm256_cmpeq_epi8(high, zero));
  }
  WINNOW_INLINE static size_t LowestBit(uint64_t bits) { return _tzcnt_u64(bits); }

  // Indices of a shuffle, which looks up 16-byte lanes: those below 16 select a byte, those with
  // the top bit set give 0.
  struct Rows {
    Bytes low;
    Bytes high;

    WINNOW_INLINE explicit Rows(uint64_t rows) {
      const __m256i all = _mm256_set1_epi64x(static_cast<long long>(rows));
      const __m256i to_top = _mm256_set1_epi8(0x70);
      const __m256i lanes = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi8(16), 1);
      low = _mm256_add_epi8(_mm256_xor_si256(all, lanes), to_top);
      high = _mm256_add_epi8(_mm256_xor_si256(all, _mm256_or_si256(lanes, _mm256_set1_epi8(32))),
                             to_top);
    }
  };
  // Returns the eight bytes, four times.
  WINNOW_INLINE static Bytes Gather(Bytes low, Bytes high, const Rows& rows) {
    const __m256i lanes =
        _mm256_or_si256(_mm256_shuffle_epi8(low, rows.low), _mm256_shuffle_epi8(high, rows.high));
    return _mm256_or_si256(lanes, _mm256_permute2x128_si256(lanes, lanes, 1));
  }

  WINNOW_INLINE static void TransposeBytes(const Eight* rows, Eight (&columns)[4]) {
    const __m128i pairs[] = {
        _mm_unpacklo_epi8(rows[0], rows[1]), _mm_unpacklo_epi8(rows[2], rows[3]),
        _mm_unpacklo_epi8(rows[4], rows[5]), _mm_unpacklo_epi8(rows[6], rows[7])};
    const __m128i first[] = {_mm_unpacklo_epi16(pairs[0], pairs[1]),
                             _mm_unpackhi_epi16(pairs[0], pairs[1])};
    const __m128i last[] = {_mm_unpacklo_epi16(pairs[2], pairs[3]),
                            _mm_unpackhi_epi16(pairs[2], pairs[3])};
    columns[0] = _mm_unpacklo_epi32(first[0], last[0]);
    columns[1] = _mm_unpackhi_epi32(first[0], last[0]);
    columns[2] = _mm_unpacklo_epi32(first[1], last[1]);
    columns[3] = _mm_unpackhi_epi32(first[1], last[1]);
  }

  WINNOW_INLINE static Bytes Lookup(Bytes tables, Bytes indices) {
    return _mm256_shuffle_epi8(tables, indices);
  }
  // Returns two rows in each half; the first one is in slot `slot` of its eight.
  WINNOW_INLINE static Bytes RowBytes(const uint64_t* low, const uint64_t* high, unsigned slot,
                                      unsigned fingerprint_shift) {
    const __m256i rows = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
    const __m256i slots = _mm256_setr_epi64x(slot, slot + 1, slot, slot + 1);
    const __m256i coefficients = _mm256_sllv_epi64(_mm256_srli_epi64(rows, 16), slots);
    const __m256i in_top_byte = _mm256_slli_epi64(_mm256_set1_epi64x(0xff), 56);
    const __m256i fingerprints = _mm256_and_si256(
        _mm256_sll_epi64(rows, _mm_cvtsi32_si128(static_cast<int>(fingerprint_shift))),
        in_top_byte);
    return _mm256_or_si256(coefficients, fingerprints);
  }
  // Transposes 8 x 8 bytes in each half, given the rows in pairs, and reverses the order of rows.
  WINNOW_INLINE static void TransposePairs(Bytes (*pairs)[4]) {
    const __m256i zip = _mm256_setr_epi8(8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7, 8, 0,
                                         9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7);
    __m256i zipped[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) zipped[i] = _mm256_shuffle_epi8((*pairs)[i], zip);
    const __m256i last[] = {_mm256_unpacklo_epi16(zipped[3], zipped[2]),
                            _mm256_unpackhi_epi16(zipped[3], zipped[2])};
    const __m256i first[] = {_mm256_unpacklo_epi16(zipped[1], zipped[0]),
                             _mm256_unpackhi_epi16(zipped[1], zipped[0])};
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; ++i) {
      (*pairs)[2 * i] = _mm256_unpacklo_epi32(last[i], first[i]);
      (*pairs)[2 * i + 1] = _mm256_unpackhi_epi32(last[i], first[i]);
    }
  }
  WINNOW_INLINE static void StoreWords(Bytes bytes, unsigned char* first, unsigned char* second,
                                       unsigned char* third, unsigned char* fourth) {
    const __m128d low = _mm_castsi128_pd(_mm256_castsi256_si128(bytes));
    const __m128d high = _mm_castsi128_pd(_mm256_extracti128_si256(bytes, 1));
    _mm_storel_pd(reinterpret_cast<double*>(first), low);
    _mm_storeh_pd(reinterpret_cast<double*>(second), low);
    _mm_storel_pd(reinterpret_cast<double*>(third), high);
    _mm_storeh_pd(reinterpret_cast<double*>(fourth), high);
  }
  WINNOW_INLINE static Bytes FirstWords(Bytes first, Bytes second, Bytes third, Bytes fourth) {
    return _mm256_permute2x128_si256(_mm256_unpacklo_epi64(first, second),
                                     _mm256_unpacklo_epi64(third, fourth), 0x20);
  }
  // Drops the first of six words; the last two words are 0.
  WINNOW_INLINE static void DropFirstWord(Bytes (*words)[2]) {
    const __m256i with_fifth = _mm256_blend_epi32((*words)[0], (*words)[1], 0x03);
    (*words)[0] = _mm256_permute4x64_epi64(with_fifth, 0x39);
    (*words)[1] = _mm256_srli_si256((*words)[1], 8);
  }
};

// Products by a table for each nibble.
struct TableVectors : Avx2Vectors {
  struct Factors {
    Bytes low;
    Bytes high;

    WINNOW_INLINE explicit Factors(Bytes bytes) {
      const __m256i half = _mm256_set1_epi8(15);
      low = _mm256_and_si256(bytes, half);
      high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    }
  };

  struct Product {
    Bytes low;
    Bytes high;

    WINNOW_INLINE explicit Product(Bytes rows) {
      const __m256i sums =
          _mm256_xor_si256(rows, _mm256_shuffle_epi8(rows, Load(kSumTables.neighbours)));
      const __m256i tables =
          _mm256_xor_si256(_mm256_shuffle_epi8(sums, Load(kSumTables.low_bits)),
                           _mm256_shuffle_epi8(sums, Load(kSumTables.high_bits)));
      low = _mm256_permute2x128_si256(tables, tables, 0x00);
      high = _mm256_permute2x128_si256(tables, tables, 0x11);
    }
    WINNOW_INLINE Bytes Of(const Factors& factors) const {
      return _mm256_xor_si256(_mm256_shuffle_epi8(low, factors.low),
                              _mm256_shuffle_epi8(high, factors.high));
    }
  };
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_AVX2_VECTORS_H_
