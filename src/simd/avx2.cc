// Kernels for AVX2: a Bloom block is two registers. The kernels for GFNI differ only in the
// construction of Ribbon filters.

#include <immintrin.h>

#include "src/simd/bloom_lookups.h"
#include "src/simd/kernel_table.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_avx2_keys.h"
#include "src/simd/ribbon_avx2_vectors.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_cells.h"
#include "src/simd/ribbon_lookups.h"
#include "src/simd/ribbon_query.h"
#include "src/simd/ribbon_solve.h"
#include "src/simd/ribbon_solve_sums.h"
#include "src/simd/ribbon_steps.h"
#include "src/simd/segment_lookups.h"

namespace winnow::simd {
namespace {

// Returns the bits of a hash in the half of a block that begins with word `first`.
__m256i HalfMask(uint32_t x, uint32_t words, unsigned first) {
  const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kBloomSalts + first));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x)), salts);
  const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
  const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i chosen =
      _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(words >> first)), lanes);
  return _mm256_and_si256(bits, _mm256_cmpeq_epi32(chosen, lanes));
}

// Bits of a hash in a block.
struct BlockMask {
  __m256i low;
  __m256i high;
};

WINNOW_INLINE BlockMask MaskOf(const uint16_t* word_sets, uint32_t x) {
  const uint32_t words = WordsOf(word_sets, x);
  return {HalfMask(x, words, 0), HalfMask(x, words, 8)};
}

WINNOW_INLINE bool Holds(const unsigned char* bytes, const BlockMask& mask) {
  const auto* block = reinterpret_cast<const __m256i*>(bytes);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(_mm256_loadu_si256(block), mask.low),
                      _mm256_andnot_si256(_mm256_loadu_si256(block + 1), mask.high));
  return _mm256_testz_si256(missing, missing) != 0;
}

WINNOW_INLINE bool HasBits(const unsigned char* block, const uint16_t* word_sets, uint32_t x) {
  return Holds(block, MaskOf(word_sets, x));
}

void SetBits(unsigned char* bytes, const uint16_t* word_sets, uint32_t x) {
  auto* block = reinterpret_cast<__m256i*>(bytes);
  const uint32_t words = WordsOf(word_sets, x);
  _mm256_storeu_si256(block, _mm256_or_si256(_mm256_loadu_si256(block), HalfMask(x, words, 0)));
  _mm256_storeu_si256(block + 1,
                      _mm256_or_si256(_mm256_loadu_si256(block + 1), HalfMask(x, words, 8)));
}

// Returns four columns, masked by the coefficient. `lanes` selects existing columns.
__m256i MaskedColumns(const unsigned char* low, const unsigned char* high, __m256i lanes,
                      const RibbonMasks& masks) {
  const auto masked = [lanes](const unsigned char* columns, uint64_t mask) {
    return _mm256_and_si256(
        _mm256_maskload_epi64(reinterpret_cast<const long long*>(columns), lanes),
        _mm256_set1_epi64x(static_cast<long long>(mask)));
  };
  return _mm256_xor_si256(masked(low, masks.low), masked(high, masks.high));
}

// Returns the parities of up to eight columns; bit j is that of column j. AVX2 has no vector
// population count: two vectors are folded into one of 32-bit numbers with the same parities, and
// so on.
WINNOW_INLINE uint32_t Parities(const unsigned char* low, const unsigned char* high,
                                unsigned columns, const RibbonMasks& masks) {
  alignas(32) static constexpr int64_t kLanes[] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                   0,  0,  0,  0,  0,  0,  0,  0};
  const auto* lanes = reinterpret_cast<const __m256i*>(kLanes + 8 - columns);
  const __m256i first = MaskedColumns(low, high, _mm256_loadu_si256(lanes), masks);
  const __m256i last = MaskedColumns(low + 32, high + 32, _mm256_loadu_si256(lanes + 1), masks);
  __m256i bits = _mm256_blend_epi32(_mm256_xor_si256(first, _mm256_srli_epi64(first, 32)),
                                    _mm256_xor_si256(last, _mm256_slli_epi64(last, 32)), 0xaa);
  bits = _mm256_xor_si256(bits, _mm256_srli_epi32(bits, 16));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi32(bits, 8));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi32(bits, 4));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi32(bits, 2));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi32(bits, 1));
  bits = _mm256_permutevar8x32_epi32(bits, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  return static_cast<uint32_t>(
      _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(bits, 31))));
}

WINNOW_INLINE uint32_t AllParities(const RibbonLayer& layer, const RibbonQuery& query) {
  return ParitiesInEights<Parities>(layer, query);
}

// Returns the cells of four hashes, in 64-bit lanes.
WINNOW_INLINE __m256i FourCells(const RibbonGrid& grid, const uint64_t* hashes) {
  const auto by = [](unsigned bits) { return _mm_cvtsi32_si128(static_cast<int>(bits)); };
  const __m256i hash = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes));
  const __m256i shard = _mm256_srl_epi64(hash, by(64 - grid.shard_bits));
  // The product uses only the low half of each lane.
  const __m256i below_shard = _mm256_sll_epi64(_mm256_srli_epi64(hash, 32), by(grid.shard_bits));
  const __m256i in_shard = _mm256_mul_epu32(below_shard, _mm256_set1_epi64x(grid.shard_starts));
  const __m256i before = _mm256_mul_epu32(shard, _mm256_set1_epi64x(grid.shard_cells));
  const __m256i cell =
      _mm256_add_epi64(before, _mm256_srl_epi64(in_shard, by(32 + grid.cell_bits)));
  return _mm256_and_si256(_mm256_sub_epi64(cell, _mm256_set1_epi64x(grid.first_cell)),
                          _mm256_set1_epi64x(0xffff));
}

void SixteenCells(const RibbonGrid& grid, const uint64_t* hashes, uint16_t* cells) noexcept {
  const auto eight = [&](size_t first) {
    const __m256i low = FourCells(grid, hashes + first);
    const __m256i high = FourCells(grid, hashes + first + 4);
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88));
  };
  // Pairs of lanes are in the order 0 2 4 6 1 3 5 7.
  const __m256i pairs = _mm256_packus_epi32(eight(0), eight(8));
  _mm256_storeu_si256(
      reinterpret_cast<__m256i*>(cells),
      _mm256_permutevar8x32_epi32(pairs, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

constexpr auto kCells = CellsBy<16, SixteenCells>;

template <unsigned kPlanes>
using Steps = StepsInMemory<TableVectors, kPlanes>;
constexpr RibbonElimination kElimination = {MakeKeysByFours, Eliminate<Steps>};

template <unsigned kShards>
using Solver = SummingSolver<TableVectors, kShards>;

using Bloom = BloomLookups<HasBits, SetBits>;
using Ribbon = RibbonLookups<AllParities>;
using Lookups = SegmentLookups<BlockMask, MaskOf, Holds, TestEach<BlockMask, Holds>, PlacesOf,
                               TestEachRibbon<MatchParities<AllParities>>, PlacesOf>;

}  // namespace

const Kernels kAvx2Kernels =
    Lookups::AddTo(TableOf<Bloom, Ribbon>("avx2", kCells, SolveInEights<Solver>, &kElimination));

const Kernels kGfniKernels =
    Lookups::AddTo(TableOf<Bloom, Ribbon>("gfni", kCells, SolveWithGfni, &kGfniElimination));

}  // namespace winnow::simd
