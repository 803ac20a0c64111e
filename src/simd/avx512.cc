// Kernels for AVX-512: a block of the Bloom filter, or eight columns of a Ribbon, is one register.

#include <immintrin.h>

#include "src/simd/kernels.h"
#include "src/simd/probe.h"
#include "src/simd/segments.h"

namespace winnow::simd {
namespace {

// One bit in each of the 16 words.
__m512i BitsOf(uint32_t x) {
  const __m512i product =
      _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(x)), _mm512_loadu_si512(kBloomSalts));
  return _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_srli_epi32(product, 27));
}

__mmask16 LanesOf(const uint16_t* patterns, uint32_t x) {
  return static_cast<__mmask16>(WordsOf(patterns, x));
}

bool HasBits(const unsigned char* block, const uint16_t* patterns, uint32_t x) {
  return _mm512_mask_testn_epi32_mask(LanesOf(patterns, x), _mm512_loadu_si512(block), BitsOf(x)) ==
         0;
}

void SetBits(unsigned char* bytes, const uint16_t* patterns, uint32_t x) {
  const __m512i block = _mm512_loadu_si512(bytes);
  _mm512_storeu_si512(bytes, _mm512_mask_or_epi32(block, LanesOf(patterns, x), block, BitsOf(x)));
}

// The parities of up to eight columns: bit j is that of column j.
uint32_t Parities(const unsigned char* low, const unsigned char* high, uint32_t columns,
                  uint64_t low_mask, uint64_t high_mask) {
  const auto lanes = static_cast<__mmask8>((1u << columns) - 1);
  const __m512i low_bits = _mm512_and_si512(_mm512_maskz_loadu_epi64(lanes, low),
                                            _mm512_set1_epi64(static_cast<long long>(low_mask)));
  // low ^ (high & mask)
  const __m512i bits =
      _mm512_ternarylogic_epi64(low_bits, _mm512_maskz_loadu_epi64(lanes, high),
                                _mm512_set1_epi64(static_cast<long long>(high_mask)), 0x78);
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), _mm512_set1_epi64(1));
}

bool Match(const RibbonBlock& block, const RibbonMasks& masks) {
  const unsigned char* high = block.low + 8 * block.columns;
  const uint32_t first_columns = block.columns < 8 ? block.columns : 8;
  uint32_t parities = Parities(block.low, high, first_columns, masks.low, masks.high);
  if (block.columns > 8) {
    parities |= Parities(block.low + 64, high + 64, block.columns - 8, masks.low, masks.high) << 8;
  }
  const auto fingerprint = static_cast<uint32_t>(masks.fingerprint);
  return ((parities ^ fingerprint) & ((1u << block.columns) - 1)) == 0;
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

// A hash's bits in a block of many.
struct BlockMask {
  __m512i bits;
  __mmask16 lanes;
};

BlockMask MaskOf(const uint16_t* patterns, uint32_t x) { return {BitsOf(x), LanesOf(patterns, x)}; }

// The lanes of a block that lack the hash's bit.
__mmask16 MissingLanes(const unsigned char* block, const BlockMask& mask) {
  return _mm512_mask_testn_epi32_mask(mask.lanes, mask.bits, _mm512_loadu_si512(block));
}

// Those of four blocks, each in 16 bits.
long long MissingLanesOfFour(const unsigned char* const* places, const BlockMask& mask) {
  const __mmask32 low =
      _mm512_kunpackw(MissingLanes(places[1], mask), MissingLanes(places[0], mask));
  const __mmask32 high =
      _mm512_kunpackw(MissingLanes(places[3], mask), MissingLanes(places[2], mask));
  return static_cast<long long>(_cvtmask64_u64(_mm512_kunpackd(high, low)));
}

bool Holds(const unsigned char* block, const BlockMask& mask) {
  return MissingLanes(block, mask) == 0;
}

// Eight places at a time take half as many instructions as one by one, so that the processor gets
// further ahead while it waits for memory.
inline __attribute__((always_inline)) uint64_t TestEights(const unsigned char* const* places,
                                                          size_t n, const BlockMask& mask) {
  uint64_t answers = 0;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i missing = _mm_set_epi64x(MissingLanesOfFour(places + i + 4, mask),
                                           MissingLanesOfFour(places + i, mask));
    answers |= uint64_t{_mm_testn_epi16_mask(missing, missing)} << i;
  }
  if (i == n) return answers;
  return answers | TestEach<BlockMask, Holds>(places + i, n - i, mask) << i;
}

// PlacesOf, eight at a time.
inline __attribute__((always_inline)) void PlacesOfEights(const BloomSegments& segments, size_t n,
                                                          uint64_t hash,
                                                          const unsigned char** places) {
  const __m512i high_half = _mm512_set1_epi64(static_cast<long long>(hash >> 32));
  for (size_t i = 0; i < n; i += 8) {
    const auto lanes = static_cast<__mmask8>(n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
    const __m512i count =
        _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, segments.num_blocks + i));
    const __m512i block = _mm512_srli_epi64(_mm512_mul_epu32(high_half, count), 32);
    const __m512i place = _mm512_add_epi64(_mm512_maskz_loadu_epi64(lanes, segments.blocks + i),
                                           _mm512_slli_epi64(block, 6));
    _mm512_storeu_si512(places + i, place);
  }
}

}  // namespace

const Kernels kAvx512Kernels =
    SegmentLookups<BlockMask, MaskOf, TestEights, PlacesOfEights, Match>::AddTo(
        Lookups<HasBits, SetBits, Match>::Table("avx512", RibbonSolve));

}  // namespace winnow::simd
