// Kernels for AVX2: a block of the Bloom filter is two registers.

#include <immintrin.h>

#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

// The bits of a hash in the half of a block that begins with word `first`.
__m256i HalfMask(uint32_t x, uint32_t words, unsigned first) {
  const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kBloomSalts + first));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x)), salts);
  const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
  const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i chosen =
      _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(words >> first)), lanes);
  return _mm256_and_si256(bits, _mm256_cmpeq_epi32(chosen, lanes));
}

uint32_t WordsOf(const uint16_t* patterns, uint32_t x) {
  const uint32_t pattern = patterns[(x >> 4) & (kBloomPatterns - 1)];
  const uint32_t twice = pattern << 16 | pattern;
  return ((twice << (x & 15)) >> 16) & 0xffff;
}

size_t BlockOffset(uint64_t hash, uint32_t num_blocks) {
  return static_cast<size_t>(((hash >> 32) * num_blocks) >> 32) * kBloomBlockBytes;
}

bool BloomProbe(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                uint64_t hash) {
  const auto* block = reinterpret_cast<const __m256i*>(blocks + BlockOffset(hash, num_blocks));
  const auto x = static_cast<uint32_t>(hash);
  const uint32_t words = WordsOf(patterns, x);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(_mm256_loadu_si256(block), HalfMask(x, words, 0)),
                      _mm256_andnot_si256(_mm256_loadu_si256(block + 1), HalfMask(x, words, 8)));
  return _mm256_testz_si256(missing, missing) != 0;
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
    auto* block = reinterpret_cast<__m256i*>(blocks + BlockOffset(hashes[i], num_blocks));
    const auto x = static_cast<uint32_t>(hashes[i]);
    const uint32_t words = WordsOf(patterns, x);
    _mm256_storeu_si256(block, _mm256_or_si256(_mm256_loadu_si256(block), HalfMask(x, words, 0)));
    _mm256_storeu_si256(block + 1,
                        _mm256_or_si256(_mm256_loadu_si256(block + 1), HalfMask(x, words, 8)));
  }
}

// Column by column, with the machine's own population count: without one for vectors that is the
// fastest there is.
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
  const uint64_t fingerprint =
      ((hash ^ hash >> 31) * kFingerprintMultiplier) >> (64 - fingerprint_bits);
  uint64_t differs = 0;
  for (uint32_t column = 0; column < block_columns; ++column) {
    uint64_t low_word;
    uint64_t high_word;
    __builtin_memcpy(&low_word, low + 8 * column, sizeof low_word);
    __builtin_memcpy(&high_word, high + 8 * column, sizeof high_word);
    const uint64_t bits = (low_word & low_mask) ^ (high_word & high_mask);
    differs |= static_cast<uint64_t>(_mm_popcnt_u64(bits)) ^ (fingerprint >> column);
  }
  return (differs & 1) != 0 ? RibbonAnswer::kAbsent : RibbonAnswer::kMatch;
}

// One sub-shard after the other, slot by slot from right to left: bit i of a column's window is the
// solution of the slot i places to the right.
void RibbonSolve(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                 uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                 unsigned char* words) {
  for (unsigned shard = 0; shard < shards; ++shard) {
    uint64_t window[kRibbonMaxColumns] = {};
    for (uint64_t i = shard_blocks; i-- > 0;) {
      for (unsigned slot = 64; slot-- > 0;) {
        const uint64_t row = rows[shard][i * 64 + slot];
        const uint64_t others = row >> (64 - kRibbonWidth + 1);
        for (unsigned column = 0; column < most; ++column) {
          const uint64_t bit =
              static_cast<uint64_t>(_mm_popcnt_u64(window[column] & others)) ^ row >> column;
          window[column] = window[column] << 1 | (bit & 1);
        }
      }
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = block > split ? block - split : 0;
      const unsigned columns = block >= split ? most : whole;
      unsigned char* out = words + 8 * (block * whole + wide_before * (most - whole));
      for (unsigned column = 0; column < columns; ++column) {
        __builtin_memcpy(out + 8 * column, &window[column], sizeof window[column]);
      }
    }
  }
}

}  // namespace

const Kernels kAvx2Kernels = {"avx2", BloomProbe, BloomAdd, RibbonProbe, RibbonSolve};

}  // namespace winnow::simd
