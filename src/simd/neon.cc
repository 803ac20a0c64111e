// Kernels for NEON on 64-bit ARM: a Bloom block is four registers, and two columns of a Ribbon are
// one.

#include <arm_neon.h>

#include "src/formulas/bytes.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/bloom_lookups.h"
#include "src/simd/kernel_table.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_buckets.h"
#include "src/simd/ribbon_cells.h"
#include "src/simd/ribbon_lookups.h"
#include "src/simd/ribbon_neon_vectors.h"
#include "src/simd/ribbon_query.h"
#include "src/simd/ribbon_solve.h"
#include "src/simd/ribbon_solve_sums.h"
#include "src/simd/ribbon_steps.h"
#include "src/simd/segment_lookups.h"

namespace winnow::simd {
namespace {

// Loads by bytes, which need no alignment.
uint32x4_t LoadWords(const unsigned char* bytes) { return vreinterpretq_u32_u8(vld1q_u8(bytes)); }

// Returns the bits of a hash in the quarter of a block that begins with word `first`.
uint32x4_t QuarterMask(uint32_t x, uint32_t words, unsigned first) {
  static constexpr uint32_t kLanes[] = {1, 2, 4, 8};
  const uint32x4_t product = vmulq_n_u32(vld1q_u32(kBloomSalts + first), x);
  const int32x4_t shifts = vreinterpretq_s32_u32(vshrq_n_u32(product, 27));
  const uint32x4_t chosen = vtstq_u32(vdupq_n_u32(words >> first), vld1q_u32(kLanes));
  return vandq_u32(vshlq_u32(vdupq_n_u32(1), shifts), chosen);
}

uint32x4_t MissingBits(const unsigned char* block, uint32_t x, uint32_t words, unsigned first) {
  return vbicq_u32(QuarterMask(x, words, first), LoadWords(block + 4 * first));
}

WINNOW_INLINE bool HasBits(const unsigned char* block, const uint16_t* word_sets, uint32_t x) {
  const uint32_t words = WordsOf(word_sets, x);
  const uint32x4_t low =
      vorrq_u32(MissingBits(block, x, words, 0), MissingBits(block, x, words, 4));
  const uint32x4_t high =
      vorrq_u32(MissingBits(block, x, words, 8), MissingBits(block, x, words, 12));
  return vmaxvq_u32(vorrq_u32(low, high)) == 0;
}

void SetBits(unsigned char* block, const uint16_t* word_sets, uint32_t x) {
  const uint32_t words = WordsOf(word_sets, x);
  for (unsigned first = 0; first < 16; first += 4) {
    unsigned char* quarter = block + 4 * first;
    const uint32x4_t bits = vorrq_u32(LoadWords(quarter), QuarterMask(x, words, first));
    vst1q_u8(quarter, vreinterpretq_u8_u32(bits));
  }
}

// Loads two columns, or the last one, without reading past it.
uint64x2_t LoadColumns(const unsigned char* bytes, bool both) {
  return both ? vreinterpretq_u64_u8(vld1q_u8(bytes))
              : vcombine_u64(vdup_n_u64(formulas::LoadLittle64(bytes)), vdup_n_u64(0));
}

// Returns the number of bits set in each byte of columns `column` and `column` + 1, masked by the
// coefficient; 0 for columns that do not exist.
uint8x16_t CountPair(const unsigned char* low, const unsigned char* high, unsigned column,
                     unsigned columns, const RibbonMasks& masks) {
  if (column >= columns) return vdupq_n_u8(0);
  const bool both = column + 1 < columns;
  const uint64x2_t bits =
      veorq_u64(vandq_u64(LoadColumns(low + 8 * column, both), vdupq_n_u64(masks.low)),
                vandq_u64(LoadColumns(high + 8 * column, both), vdupq_n_u64(masks.high)));
  return vcntq_u8(vreinterpretq_u8_u64(bits));
}

// Returns the parities of up to eight columns; bit j is that of column j. Adjacent counts are added
// until there is one per column.
WINNOW_INLINE uint32_t Parities(const unsigned char* low, const unsigned char* high,
                                unsigned columns, const RibbonMasks& masks) {
  static constexpr int8_t kPlaces[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint8x16_t first =
      vpaddq_u8(CountPair(low, high, 0, columns, masks), CountPair(low, high, 2, columns, masks));
  const uint8x16_t last =
      vpaddq_u8(CountPair(low, high, 4, columns, masks), CountPair(low, high, 6, columns, masks));
  const uint8x16_t fourths = vpaddq_u8(first, last);
  const uint8x8_t counts = vget_low_u8(vpaddq_u8(fourths, fourths));
  return vaddv_u8(vshl_u8(vand_u8(counts, vdup_n_u8(1)), vld1_s8(kPlaces)));
}

WINNOW_INLINE uint32_t AllParities(const RibbonLayer& layer, const RibbonQuery& query) {
  return ParitiesInEights<Parities>(layer, query);
}

// Returns the high halves of four numbers.
WINNOW_INLINE uint32x4_t HighHalves(uint64x2_t low, uint64x2_t high) {
  return vcombine_u32(vshrn_n_u64(low, 32), vshrn_n_u64(high, 32));
}

void FourCells(const RibbonGrid& grid, const uint64_t* hashes, uint16_t* cells) noexcept {
  const auto left = [](unsigned bits) { return vdupq_n_s32(static_cast<int32_t>(bits)); };
  const auto right = [](unsigned bits) { return vdupq_n_s32(-static_cast<int32_t>(bits)); };
  const uint32x4_t starts = vdupq_n_u32(grid.shard_starts);
  const uint32x4_t hash = HighHalves(vld1q_u64(hashes), vld1q_u64(hashes + 2));
  const uint32x4_t shard = vshlq_u32(hash, right(32 - grid.shard_bits));
  const uint32x4_t below_shard = vshlq_u32(hash, left(grid.shard_bits));
  const uint32x4_t in_shard = HighHalves(vmull_u32(vget_low_u32(below_shard), vget_low_u32(starts)),
                                         vmull_high_u32(below_shard, starts));
  const uint32x4_t cell =
      vmlaq_n_u32(vshlq_u32(in_shard, right(grid.cell_bits)), shard, grid.shard_cells);
  vst1_u16(cells, vmovn_u32(vsubq_u32(cell, vdupq_n_u32(grid.first_cell))));
}

template <unsigned kPlanes>
using Steps = StepsInMemory<NeonVectors, kPlanes>;
constexpr RibbonElimination kElimination = {MakeKeys, Eliminate<Steps>};

template <unsigned kShards>
using Solver = SummingSolver<NeonVectors, kShards>;

// Bits of a hash in a block, for comparison with many blocks.
struct BlockMask {
  uint32x4_t quarters[4];
};

BlockMask MaskOf(const uint16_t* word_sets, uint32_t x) {
  const uint32_t words = WordsOf(word_sets, x);
  return {{QuarterMask(x, words, 0), QuarterMask(x, words, 4), QuarterMask(x, words, 8),
           QuarterMask(x, words, 12)}};
}

bool Holds(const unsigned char* block, const BlockMask& mask) {
  const auto missing = [&](unsigned quarter) {
    return vbicq_u32(mask.quarters[quarter], LoadWords(block + 16 * quarter));
  };
  const uint32x4_t low = vorrq_u32(missing(0), missing(1));
  const uint32x4_t high = vorrq_u32(missing(2), missing(3));
  return vmaxvq_u32(vorrq_u32(low, high)) == 0;
}

}  // namespace

const Kernels kNeonKernels = SegmentLookups<BlockMask, MaskOf, Holds, TestEach<BlockMask, Holds>,
                                            PlacesOf, TestEachRibbon<MatchParities<AllParities>>,
                                            PlacesOf>::AddTo(TableOf<BloomLookups<HasBits, SetBits>,
                                                                     RibbonLookups<AllParities>>(
    "neon", CellsBy<4, FourCells>, SolveInEights<Solver>, &kElimination));

}  // namespace winnow::simd
