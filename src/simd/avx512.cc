// Kernels for AVX-512: a block of the Bloom filter, or eight columns of a Ribbon, is one register.

#include <immintrin.h>

#include "src/simd/kernels.h"
#include "src/simd/probe.h"

namespace winnow::simd {
namespace {

// The place of one bit in each of the 16 words.
__m512i PlacesOf(uint32_t x) {
  const __m512i product =
      _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(x)), _mm512_loadu_si512(kBloomSalts));
  return _mm512_srli_epi32(product, 27);
}

__mmask16 LanesOf(const uint16_t* words, uint32_t x) {
  return static_cast<__mmask16>(WordsOf(words, x));
}

WINNOW_INLINE bool HasBits(const unsigned char* block, const uint16_t* words, uint32_t x) {
  const __m512i moved = _mm512_srlv_epi32(_mm512_loadu_si512(block), PlacesOf(x));
  return _mm512_mask_testn_epi32_mask(LanesOf(words, x), moved, _mm512_load_si512(kOnes32)) == 0;
}

void SetBits(unsigned char* bytes, const uint16_t* words, uint32_t x) {
  const __m512i block = _mm512_loadu_si512(bytes);
  const __m512i bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), PlacesOf(x));
  _mm512_storeu_si512(bytes, _mm512_mask_or_epi32(block, LanesOf(words, x), block, bits));
}

// One bit for each of up to eight columns, from `first` on, that has not the parity of the
// fingerprint's bit. lanes: the columns to load and those that count.
WINNOW_INLINE __mmask8 Differing(const RibbonQuery& query, unsigned first, uint32_t loaded,
                                 uint32_t counting) {
  const auto lanes = static_cast<__mmask8>(loaded >> first);
  const __m512i window = _mm512_shrdv_epi64(_mm512_maskz_loadu_epi64(lanes, query.low + 8 * first),
                                            _mm512_maskz_loadu_epi64(lanes, query.high + 8 * first),
                                            _mm512_set1_epi64(query.start));
  // Lane j has bit j of the fingerprint, and no other bit.
  const __m512i fingerprint =
      _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(query.fingerprint >> first)),
                       _mm512_setr_epi64(1, 2, 4, 8, 16, 32, 64, 128));
  // (window & coefficient) ^ fingerprint: of odd parity if the column's parity is another one.
  const __m512i bits = _mm512_ternarylogic_epi64(
      window, _mm512_set1_epi64(static_cast<long long>(query.coefficient)), fingerprint, 0x6a);
  return _mm512_mask_test_epi64_mask(static_cast<__mmask8>(counting >> first),
                                     _mm512_popcnt_epi64(bits), _mm512_load_si512(kOnes64));
}

template <bool kIsNarrow>
WINNOW_INLINE bool MatchColumns(const RibbonLayer& layer, const RibbonQuery& query) {
  const uint32_t counting = layer.lanes[query.columns - layer.columns];
  const __mmask8 differing = Differing(query, 0, layer.lanes[1], counting);
  if (kIsNarrow || layer.lanes[1] <= 0xff) return differing == 0;
  return (differing | Differing(query, 8, layer.lanes[1], counting)) == 0;
}

// Eight columns of one sub-shard's windows in a register; bit i of a window is the solution of the
// slot i places to the right. The chain of a slot is long (and, count, add, shift in): sub-shards
// take turns.
struct Solver {
  const uint64_t* rows;
  __m512i window;

  void Slot(uint64_t slot, __m512i fingerprint_shifts) {
    const __m512i row = _mm512_set1_epi64(static_cast<long long>(rows[slot]));
    const __m512i others = _mm512_srli_epi64(row, 64 - kRibbonWidth + 1);
    const __m512i fingerprint = _mm512_srlv_epi64(row, fingerprint_shifts);
    const __m512i count = _mm512_popcnt_epi64(_mm512_and_si512(window, others));
    // (count ^ fingerprint) & 1
    const __m512i bit = _mm512_ternarylogic_epi64(count, fingerprint, _mm512_set1_epi64(1), 0x28);
    window = _mm512_or_si512(_mm512_slli_epi64(window, 1), bit);
  }
};

template <unsigned kShards>
void SolveColumns(const uint64_t* const* rows, uint64_t shard_blocks, uint64_t first_block,
                  unsigned first_column, unsigned whole, unsigned most, uint64_t split,
                  unsigned char* words) {
  Solver solvers[kShards];
  for (unsigned shard = 0; shard < kShards; ++shard) {
    solvers[shard] = {rows[shard], _mm512_setzero_si512()};
  }
  const __m512i shifts =
      _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(first_column));
  for (uint64_t i = shard_blocks; i-- > 0;) {
    for (unsigned slot = 64; slot-- > 0;) {
      for (unsigned shard = 0; shard < kShards; ++shard) {
        solvers[shard].Slot(i * 64 + slot, shifts);
      }
    }
    for (unsigned shard = 0; shard < kShards; ++shard) {
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = block > split ? block - split : 0;
      const unsigned columns = block >= split ? most : whole;
      if (columns <= first_column) continue;
      const unsigned left = columns - first_column;
      const auto lanes = static_cast<__mmask8>(left >= 8 ? 0xff : (1u << left) - 1);
      unsigned char* out =
          words + 8 * (block * whole + wide_before * (most - whole) + first_column);
      _mm512_mask_storeu_epi64(out, lanes, solvers[shard].window);
    }
  }
}

void RibbonSolve(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                 uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                 unsigned char* words) {
  for (unsigned first_column = 0; first_column < most; first_column += 8) {
    if (shards == 4) {
      SolveColumns<4>(rows, shard_blocks, first_block, first_column, whole, most, split, words);
      continue;
    }
    for (unsigned shard = 0; shard < shards; ++shard) {
      SolveColumns<1>(rows + shard, shard_blocks, first_block + shard * shard_blocks, first_column,
                      whole, most, split, words);
    }
  }
}

}  // namespace

const Kernels kAvx512Kernels =
    Lookups<HasBits, SetBits, MatchColumns<false>, MatchColumns<true>>::Table("avx512",
                                                                              RibbonSolve);

}  // namespace winnow::simd
