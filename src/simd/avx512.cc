// Kernels for AVX-512: a Bloom block, or eight columns of a Ribbon, is one register.

#include <immintrin.h>

#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/bloom_lookups.h"
#include "src/simd/kernel_table.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_cells.h"
#include "src/simd/ribbon_lookups.h"
#include "src/simd/ribbon_query.h"
#include "src/simd/segment_lookups.h"

namespace winnow::simd {
namespace {

// Returns the bit's index in each of the 16 words.
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

// Values derived from a hash, broadcast to all lanes. They are computed in vectors, since most of
// the rest of a lookup uses the integer units.
struct HashLanes {
  __m512i coefficient;  // without its lowest bit
  __m512i fingerprint;
};

WINNOW_INLINE HashLanes LanesOf(const RibbonQuery& query, unsigned fingerprint_shift) {
  const __m512i hash = _mm512_set1_epi64(static_cast<long long>(query.hash));
  const auto times = [](__m512i numbers, uint64_t multiplier) {
    return _mm512_mullo_epi64(numbers, _mm512_set1_epi64(static_cast<long long>(multiplier)));
  };
  return {
      _mm512_srli_epi64(times(hash, kMultipliers[0]), 64 - formulas::kRibbonWidth),
      _mm512_srl_epi64(times(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 31)), kMultipliers[1]),
                       _mm_cvtsi32_si128(static_cast<int>(fingerprint_shift)))};
}

// Returns the 64 slots from the query's start on of up to eight columns, from kFirst on. `loaded`
// selects the columns to load.
template <unsigned kFirst>
WINNOW_INLINE __m512i WindowOf(const RibbonQuery& query, uint32_t loaded) {
  const auto lanes = static_cast<__mmask8>(loaded >> kFirst);
  return _mm512_shrdv_epi64(_mm512_maskz_loadu_epi64(lanes, query.low + 8 * kFirst),
                            _mm512_maskz_loadu_epi64(lanes, query.high + 8 * kFirst),
                            _mm512_set1_epi64(query.start));
}

// Returns one bit for each of up to eight columns, from kFirst on, whose parity differs from the
// fingerprint's bit. `loaded` selects the columns to load.
template <unsigned kFirst>
WINNOW_INLINE __mmask8 Differing(const RibbonQuery& query, const HashLanes& hash, uint32_t loaded) {
  const __m512i window = WindowOf<kFirst>(query, loaded);
  // window & (coefficient | 1)
  const __m512i masked =
      _mm512_ternarylogic_epi64(window, hash.coefficient, _mm512_load_si512(kOnes64), 0xe0);
  // masked ^ (fingerprint & bit) has odd parity if the column's parity differs. Lane j has bit j of
  // the fingerprint and no other bit.
  constexpr long long kBit = 1 << kFirst;
  const __m512i bits =
      _mm512_ternarylogic_epi64(masked, hash.fingerprint,
                                _mm512_setr_epi64(kBit, kBit * 2, kBit * 4, kBit * 8, kBit * 16,
                                                  kBit * 32, kBit * 64, kBit * 128),
                                0x78);
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), _mm512_load_si512(kOnes64));
}

// Returns the parities of up to eight columns from kFirst on, without the fingerprint.
template <unsigned kFirst>
WINNOW_INLINE __mmask8 ParitiesOfEight(const RibbonQuery& query, uint32_t loaded) {
  const __m512i masked =
      _mm512_and_si512(WindowOf<kFirst>(query, loaded),
                       _mm512_set1_epi64(static_cast<long long>(query.coefficient)));
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(masked), _mm512_load_si512(kOnes64));
}

WINNOW_INLINE uint32_t AllParities(const RibbonLayer& layer, const RibbonQuery& query) {
  const uint32_t loaded = layer.column_mask;
  const uint32_t parities = _cvtmask8_u32(ParitiesOfEight<0>(query, loaded));
  if (loaded <= 0xff) return parities;
  return parities | _cvtmask8_u32(ParitiesOfEight<8>(query, loaded)) << 8;
}

template <bool kIsNarrow>
WINNOW_INLINE bool MatchColumns(const RibbonLayer& layer, const RibbonQuery& query) {
  const HashLanes hash = LanesOf(query, layer.fingerprint_shift);
  const uint32_t loaded = layer.column_mask;
  uint32_t differing = _cvtmask8_u32(Differing<0>(query, hash, loaded));
  if (!kIsNarrow && loaded > 0xff) {
    differing |= _cvtmask8_u32(Differing<8>(query, hash, loaded)) << 8;
  }
  return _bzhi_u32(differing, query.columns) == 0;
}

// Bits of a hash in a block, for comparison with many blocks.
struct BlockMask {
  __m512i bits;
  __mmask16 lanes;
};

BlockMask MaskOf(const uint16_t* words, uint32_t x) {
  return {_mm512_sllv_epi32(_mm512_load_si512(kOnes32), PlacesOf(x)), LanesOf(words, x)};
}

// Returns the lanes of a block that lack the hash's bit.
__mmask16 MissingLanes(const unsigned char* block, const BlockMask& mask) {
  return _mm512_mask_testn_epi32_mask(mask.lanes, mask.bits, _mm512_loadu_si512(block));
}

// Returns the missing lanes of four blocks, 16 bits each.
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

// Tests eight places at a time, which takes half as many instructions as one by one, so that
// out-of-order execution covers more places while waiting for memory.
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

// Returns a mask of the next lanes of n, at most eight.
__mmask8 LanesFor(size_t n) { return static_cast<__mmask8>(n >= 8 ? 0xff : (1u << n) - 1); }

// Loads eight 32-bit numbers into 64-bit lanes.
__m512i LoadWide(__mmask8 lanes, const uint32_t* numbers) {
  return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, numbers));
}

// PlacesOf, eight at a time.
inline __attribute__((always_inline)) void PlacesOfEights(const BloomSegments& segments, size_t n,
                                                          uint64_t hash,
                                                          const unsigned char** places) {
  const __m512i high_half = _mm512_set1_epi64(static_cast<long long>(hash >> 32));
  for (size_t i = 0; i < n; i += 8) {
    const __mmask8 lanes = LanesFor(n - i);
    const __m512i count = LoadWide(lanes, segments.num_blocks + i);
    const __m512i block = _mm512_srli_epi64(_mm512_mul_epu32(high_half, count), 32);
    const __m512i place = _mm512_add_epi64(_mm512_maskz_loadu_epi64(lanes, segments.blocks + i),
                                           _mm512_slli_epi64(block, 6));
    _mm512_storeu_si512(places + i, place);
  }
}

// PlacesOf for Ribbons, eight at a time: QueryOf in lanes.
void RibbonPlacesOfEights(const RibbonSegments& all_segments, size_t n, uint64_t hash,
                          const RibbonPlaces& all_places) {
  // Local copies, which the stores can't change.
  const RibbonSegments segments = all_segments;
  const RibbonPlaces places = all_places;
  const __m512i high_half = _mm512_set1_epi64(static_cast<long long>(hash >> 32));
  const __m512i byte = _mm512_set1_epi64(0xff);
  for (size_t i = 0; i < n; i += 8) {
    const __mmask8 lanes = LanesFor(n - i);
    const __m512i starts = LoadWide(lanes, segments.starts + i);
    const __m512i shape = LoadWide(lanes, segments.shape + i);
    const __m512i start = _mm512_srli_epi64(_mm512_mul_epu32(high_half, starts), 32);
    const __m512i shard = _mm512_srlv_epi64(high_half, _mm512_and_si512(shape, byte));
    const __m512i columns = _mm512_and_si512(_mm512_srli_epi64(shape, kShapeColumns), byte);
    const __m512i block = _mm512_add_epi64(_mm512_srli_epi64(start, 6), shard);
    const __m512i past_split = _mm512_sub_epi64(block, LoadWide(lanes, segments.split + i));
    const __m512i wide_before = _mm512_max_epi64(past_split, _mm512_setzero_si512());
    const __m512i word = _mm512_add_epi64(_mm512_mul_epu32(block, columns), wide_before);
    const __m512i words = _mm512_maskz_loadu_epi64(lanes, segments.words + i);
    // Stores are 64 bytes wide, since a load can't be forwarded from a masked store.
    _mm512_storeu_si512(places.words + i, _mm512_add_epi64(words, _mm512_slli_epi64(word, 3)));
    _mm512_storeu_si512(places.thresholds + i,
                        _mm512_maskz_loadu_epi64(lanes, segments.thresholds + i));
    const __mmask8 is_wide = _mm512_cmpge_epi64_mask(past_split, _mm512_setzero_si512());
    const __m512i block_columns =
        _mm512_mask_add_epi64(columns, is_wide, columns, _mm512_set1_epi64(1));
    const auto store_narrow = [i](uint32_t* numbers, __m512i wide) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers + i), _mm512_cvtepi64_epi32(wide));
    };
    store_narrow(places.start, start);
    store_narrow(places.columns, block_columns);
    store_narrow(places.shape, shape);
  }
}

// Returns a mask as a number in a general register: g++ 12 may spill an eight-bit mask, used as a
// number, as one byte and reload four.
WINNOW_INLINE unsigned ToNumber(__mmask8 mask) {
  unsigned number = mask;
  asm("" : "+r"(number));
  return number;
}

// IsBumped for n places, at most eight.
WINNOW_INLINE unsigned BumpedLanes(const unsigned char* const* thresholds, const uint32_t* starts,
                                   size_t n, __m512i wide_starts) {
  uint64_t bytes = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; ++i) {
    bytes |= uint64_t{thresholds[i][formulas::ThresholdByte(starts[i])]} << (8 * i);
  }
  const __m512i shifts = _mm512_and_si512(_mm512_srli_epi64(wide_starts, 6), _mm512_set1_epi64(6));
  const __m512i fours = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
  const __m512i threshold =
      _mm512_and_si512(_mm512_srlv_epi64(fours, shifts), _mm512_set1_epi64(3));
  const __m512i bumped_below =
      _mm512_setr_epi64(kRibbonBumpedBelow[0], kRibbonBumpedBelow[1], kRibbonBumpedBelow[2],
                        kRibbonBumpedBelow[3], 0, 0, 0, 0);
  const __m512i offset = _mm512_and_si512(wide_starts, _mm512_set1_epi64(kRibbonBucketSlots - 1));
  return ToNumber(_mm512_mask_cmplt_epu64_mask(LanesFor(n), offset,
                                               _mm512_permutexvar_epi64(threshold, bumped_below)));
}

// Coefficients and columns that are compared at eight places.
struct EightQueries {
  alignas(64) uint64_t low[8];           // the coefficient's part in the first block
  alignas(64) uint64_t high[8];          // the coefficient's part in the next block
  alignas(64) uint64_t column_masks[8];  // one bit per relevant column
};

// Returns the parities of up to eight columns from kFirst on, at n places, at most eight. Byte i is
// that of place i.
template <unsigned kFirst>
WINNOW_INLINE uint64_t ParitiesAt(const unsigned char* const* words, const uint32_t* columns,
                                  size_t n, const EightQueries& queries) {
  uint64_t bytes = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; ++i) {
    const unsigned char* const low = words[i] + 8 * kFirst;
    const auto lanes = static_cast<__mmask8>(queries.column_masks[i] >> kFirst);
    const __m512i low_bits =
        _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(queries.low[i])),
                         _mm512_maskz_loadu_epi64(lanes, low));
    // low ^ (high & mask)
    const __m512i bits =
        _mm512_ternarylogic_epi64(low_bits, _mm512_maskz_loadu_epi64(lanes, low + 8 * columns[i]),
                                  _mm512_set1_epi64(static_cast<long long>(queries.high[i])), 0x78);
    const __mmask8 parities =
        _mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), _mm512_load_si512(kOnes64));
    bytes |= uint64_t{parities} << (8 * i);
  }
  return bytes;
}

// Returns the places whose parities equal the low bytes of the fingerprints.
WINNOW_INLINE unsigned EqualLanes(uint64_t parities, __m512i fingerprints) {
  // Compares the low eight of 16 bytes.
  return ToNumber(static_cast<__mmask8>(_mm_cmpeq_epi8_mask(
      _mm_cvtsi64_si128(static_cast<long long>(parities)), _mm512_cvtepi64_epi8(fingerprints))));
}

// ribbon_test for n places, at most eight.
WINNOW_INLINE unsigned TestRibbons(const RibbonPlaces& places, size_t first, size_t n,
                                   uint64_t coefficient, uint64_t fingerprint_source,
                                   unsigned* bumped) {
  const unsigned char* const* const words = places.words + first;
  const uint32_t* const columns = places.columns + first;
  const __mmask8 places_mask = LanesFor(n);
  const __m512i start = LoadWide(places_mask, places.start + first);
  *bumped = BumpedLanes(places.thresholds + first, places.start + first, n, start);

  EightQueries queries;
  const __m512i one = _mm512_load_si512(kOnes64);
  const __m512i shift = _mm512_and_si512(start, _mm512_set1_epi64(63));
  const __m512i whole = _mm512_set1_epi64(static_cast<long long>(coefficient));
  _mm512_store_si512(queries.low, _mm512_sllv_epi64(whole, shift));
  _mm512_store_si512(queries.high,
                     _mm512_srlv_epi64(_mm512_srli_epi64(whole, 1),
                                       _mm512_sub_epi64(_mm512_set1_epi64(63), shift)));
  const __m512i column_masks =
      _mm512_sub_epi64(_mm512_sllv_epi64(one, LoadWide(places_mask, columns)), one);
  _mm512_store_si512(queries.column_masks, column_masks);
  const __m512i fingerprint_shift =
      _mm512_srli_epi64(LoadWide(places_mask, places.shape + first), kShapeFingerprint);
  const __m512i fingerprints = _mm512_and_si512(
      _mm512_srlv_epi64(_mm512_set1_epi64(static_cast<long long>(fingerprint_source)),
                        fingerprint_shift),
      column_masks);
  unsigned matches = EqualLanes(ParitiesAt<0>(words, columns, n, queries), fingerprints);
  if (_mm512_cmpgt_epu64_mask(column_masks, _mm512_set1_epi64(0xff)) != 0) {
    matches &=
        EqualLanes(ParitiesAt<8>(words, columns, n, queries), _mm512_srli_epi64(fingerprints, 8));
  }
  return matches & ToNumber(places_mask);
}

// ribbon_test, eight places at a time: all but the columns themselves are in lanes.
uint64_t RibbonTestEights(const RibbonPlaces& places, size_t n, uint64_t hash, uint64_t* bumped) {
  const uint64_t coefficient = formulas::Coefficient(hash);
  const uint64_t fingerprint_source = formulas::FingerprintSource(hash);
  uint64_t matches = 0;
  uint64_t gone = 0;
  for (size_t i = 0; i < n; i += 8) {
    unsigned bumped_here = 0;
    const unsigned matching =
        n - i >= 8 ? TestRibbons(places, i, 8, coefficient, fingerprint_source, &bumped_here)
                   : TestRibbons(places, i, n - i, coefficient, fingerprint_source, &bumped_here);
    matches |= uint64_t{matching} << i;
    gone |= uint64_t{bumped_here} << i;
  }
  *bumped = gone;
  return matches & ~gone;
}

void EightCells(const RibbonGrid& grid, const uint64_t* hashes, uint16_t* cells) noexcept {
  const auto by = [](unsigned bits) { return _mm_cvtsi32_si128(static_cast<int>(bits)); };
  const __m512i hash = _mm512_loadu_si512(hashes);
  const __m512i shard = _mm512_srl_epi64(hash, by(64 - grid.shard_bits));
  // The product uses only the low half of each lane.
  const __m512i below_shard = _mm512_sll_epi64(_mm512_srli_epi64(hash, 32), by(grid.shard_bits));
  const __m512i in_shard = _mm512_mul_epu32(below_shard, _mm512_set1_epi64(grid.shard_starts));
  const __m512i before = _mm512_mul_epu32(shard, _mm512_set1_epi64(grid.shard_cells));
  const __m512i cell =
      _mm512_add_epi64(before, _mm512_srl_epi64(in_shard, by(32 + grid.cell_bits)));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(cells),
      _mm512_cvtepi64_epi16(_mm512_sub_epi64(cell, _mm512_set1_epi64(grid.first_cell))));
}

}  // namespace

const Kernels kAvx512Kernels = SegmentLookups<BlockMask, MaskOf, Holds, TestEights, PlacesOfEights,
                                              RibbonTestEights, RibbonPlacesOfEights>::
    AddTo(TableOf<BloomLookups<HasBits, SetBits>,
                  RibbonLookups<AllParities, MatchColumns<false>, MatchColumns<true>>>(
        "avx512", CellsBy<8, EightCells>, SolveWithAvx512, &kAvx512Elimination));

}  // namespace winnow::simd
