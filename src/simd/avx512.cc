// Kernels for AVX-512: a block of the Bloom filter, or eight columns of a Ribbon, is one register.

#include <immintrin.h>

#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

size_t BlockOffset(uint64_t hash, uint32_t num_blocks) {
  return static_cast<size_t>(((hash >> 32) * num_blocks) >> 32) * kBloomBlockBytes;
}

// One bit in each of the 16 words.
__m512i BitsOf(uint32_t x) {
  const __m512i product =
      _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(x)), _mm512_loadu_si512(kBloomSalts));
  return _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_srli_epi32(product, 27));
}

__mmask16 WordsOf(const uint16_t* patterns, uint32_t x) {
  const uint32_t pattern = patterns[(x >> 4) & (kBloomPatterns - 1)];
  const uint32_t twice = pattern << 16 | pattern;
  return static_cast<__mmask16>((twice << (x & 15)) >> 16);
}

bool BloomProbe(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                uint64_t hash) {
  const __m512i block = _mm512_loadu_si512(blocks + BlockOffset(hash, num_blocks));
  const auto x = static_cast<uint32_t>(hash);
  return _mm512_mask_testn_epi32_mask(WordsOf(patterns, x), block, BitsOf(x)) == 0;
}

void BloomAdd(unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
              const uint64_t* hashes, size_t n) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) {
      // Both lines, for a block that straddles.
      const unsigned char* later = blocks + BlockOffset(hashes[i + kAhead], num_blocks);
      __builtin_prefetch(later, 1);
      __builtin_prefetch(later + kBloomBlockBytes - 1, 1);
    }
    unsigned char* address = blocks + BlockOffset(hashes[i], num_blocks);
    const __m512i block = _mm512_loadu_si512(address);
    const auto x = static_cast<uint32_t>(hashes[i]);
    _mm512_storeu_si512(address,
                        _mm512_mask_or_epi32(block, WordsOf(patterns, x), block, BitsOf(x)));
  }
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

RibbonAnswer RibbonProbe(const unsigned char* words, const unsigned char* thresholds,
                         uint32_t starts, uint32_t split, uint32_t shape, uint64_t hash) {
  const auto start = static_cast<uint32_t>(((hash >> 32) * starts) >> 32);
  const uint32_t bucket = start / kRibbonBucketSlots;
  const uint32_t offset = start % kRibbonBucketSlots;
  const uint32_t threshold = (thresholds[bucket / 4] >> (2 * (bucket % 4))) & 3;
  const uint32_t bump_class =
      (offset < kRibbonClass1Slots ? 1u : 0u) + (offset < kRibbonClass2Slots ? 1u : 0u);
  if (bump_class >= threshold) return RibbonAnswer::kBumped;

  const uint32_t shard_bits = shape & 0xff;
  const uint32_t columns = (shape >> kShapeColumnsShift) & 0xff;
  const uint32_t fingerprint_bits = shape >> kShapeFingerprintShift;
  const uint64_t block = (start >> 6) + ((hash >> 1) >> (63 - shard_bits));
  const uint64_t wide_blocks = block > split ? block - split : 0;
  const uint32_t block_columns = columns + (block >= split ? 1 : 0);
  const unsigned char* low = words + 8 * (block * columns + wide_blocks);
  const unsigned char* high = low + 8 * block_columns;

  const uint64_t coefficient = ((hash * kCoefficientMultiplier) >> (64 - kRibbonWidth)) | 1;
  const uint32_t shift = start & 63;
  const uint64_t low_mask = coefficient << shift;
  const uint64_t high_mask = (coefficient >> 1) >> (63 - shift);
  const auto fingerprint = static_cast<uint32_t>(((hash ^ hash >> 31) * kFingerprintMultiplier) >>
                                                 (64 - fingerprint_bits));
  const uint32_t first_columns = block_columns < 8 ? block_columns : 8;
  uint32_t parities = Parities(low, high, first_columns, low_mask, high_mask);
  if (block_columns > 8) {
    parities |= Parities(low + 64, high + 64, block_columns - 8, low_mask, high_mask) << 8;
  }
  return ((parities ^ fingerprint) & ((1u << block_columns) - 1)) == 0 ? RibbonAnswer::kMatch
                                                                       : RibbonAnswer::kAbsent;
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

const Kernels kAvx512Kernels = {"avx512", BloomProbe, BloomAdd, RibbonProbe, RibbonSolve};

}  // namespace winnow::simd
