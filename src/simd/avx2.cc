// Kernels for AVX2: a block of the Bloom filter is two registers.

#include <immintrin.h>

#include "src/simd/kernels.h"
#include "src/simd/probe.h"
#include "src/simd/segments.h"

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

bool HasBits(const unsigned char* bytes, const uint16_t* patterns, uint32_t x) {
  const auto* block = reinterpret_cast<const __m256i*>(bytes);
  const uint32_t words = WordsOf(patterns, x);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(_mm256_loadu_si256(block), HalfMask(x, words, 0)),
                      _mm256_andnot_si256(_mm256_loadu_si256(block + 1), HalfMask(x, words, 8)));
  return _mm256_testz_si256(missing, missing) != 0;
}

void SetBits(unsigned char* bytes, const uint16_t* patterns, uint32_t x) {
  auto* block = reinterpret_cast<__m256i*>(bytes);
  const uint32_t words = WordsOf(patterns, x);
  _mm256_storeu_si256(block, _mm256_or_si256(_mm256_loadu_si256(block), HalfMask(x, words, 0)));
  _mm256_storeu_si256(block + 1,
                      _mm256_or_si256(_mm256_loadu_si256(block + 1), HalfMask(x, words, 8)));
}

// There is no population count for vectors: column by column, with the machine's own.
uint64_t Parity(uint64_t bits) { return static_cast<uint64_t>(_mm_popcnt_u64(bits)); }

bool Match(const RibbonBlock& block, const RibbonMasks& masks) {
  return MatchColumns(block, masks, Parity);
}

void RibbonSolve(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                 uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                 unsigned char* words) {
  SolveEach(rows, shards, shard_blocks, first_block, whole, most, split, words, Parity);
}

// A hash's bits in a block of many.
struct BlockMask {
  __m256i low;
  __m256i high;
};

BlockMask MaskOf(const uint16_t* patterns, uint32_t x) {
  const uint32_t words = WordsOf(patterns, x);
  return {HalfMask(x, words, 0), HalfMask(x, words, 8)};
}

bool Holds(const unsigned char* bytes, const BlockMask& mask) {
  const auto* block = reinterpret_cast<const __m256i*>(bytes);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(_mm256_loadu_si256(block), mask.low),
                      _mm256_andnot_si256(_mm256_loadu_si256(block + 1), mask.high));
  return _mm256_testz_si256(missing, missing) != 0;
}

}  // namespace

const Kernels kAvx2Kernels =
    SegmentLookups<BlockMask, MaskOf, TestEach<BlockMask, Holds>, PlacesOf, TestEachRibbon<Match>,
                   PlacesOf>::AddTo(Lookups<HasBits, SetBits, Match>::Table("avx2", RibbonSolve));

}  // namespace winnow::simd
