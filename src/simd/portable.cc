// Reference kernels, for any machine.

#include "src/formulas/bytes.h"
#include "src/simd/bloom_lookups.h"
#include "src/simd/kernel_table.h"
#include "src/simd/kernels.h"
#include "src/simd/ribbon_cells.h"
#include "src/simd/ribbon_lookups.h"
#include "src/simd/ribbon_query.h"
#include "src/simd/segment_lookups.h"

namespace winnow::simd {
namespace {

uint64_t Parity(uint64_t bits) { return static_cast<uint64_t>(__builtin_parityll(bits)); }

// Returns, in bit 0, whether the hash's bit in the lowest of these words is set.
uint32_t AskWord(const unsigned char* block, uint32_t words, uint32_t x) {
  const auto w = static_cast<unsigned>(__builtin_ctz(words));
  return formulas::LoadLittle32(block + 4 * w) >> ((x * kBloomSalts[w]) >> 27);
}

WINNOW_INLINE bool HasBits(const unsigned char* block, const uint16_t* word_sets, uint32_t x) {
  uint32_t words = WordsOf(word_sets, x);
  uint32_t set = 1;
  // Absent keys nearly always fail in the first three words, which are therefore tested without
  // branches.
  for (int i = 0; i < 3 && words != 0; ++i, words &= words - 1) set &= AskWord(block, words, x);
  if (set == 0) return false;
  for (; words != 0; words &= words - 1) set &= AskWord(block, words, x);
  return set != 0;
}

void SetBits(unsigned char* block, const uint16_t* word_sets, uint32_t x) {
  for (uint32_t words = WordsOf(word_sets, x); words != 0; words &= words - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(words));
    formulas::StoreLittle32(
        block + 4 * w, formulas::LoadLittle32(block + 4 * w) | 1u << ((x * kBloomSalts[w]) >> 27));
  }
}

// Two columns. All common machines add, shift and mask 16 bytes in one instruction; elsewhere, the
// compiler splits the vector into two numbers.
using ColumnPair = uint64_t __attribute__((vector_size(16)));

template <unsigned kColumns>
ColumnPair MaskedPair(const RibbonQuery& query, const RibbonMasks& masks, unsigned column) {
  if (column >= kColumns) return ColumnPair{};
  const size_t bytes = column + 1 < kColumns ? 16 : 8;
  ColumnPair low = {};
  ColumnPair high = {};
  std::memcpy(&low, query.low + 8 * column, bytes);
  std::memcpy(&high, query.high + 8 * column, bytes);
  return (low & masks.low) ^ (high & masks.high);
}

// Halves the numbers whose parities are computed: in each kBits * 2 bits of the result, the low
// half has the parity of `first`, the high half that of `second`.
template <unsigned kBits>
ColumnPair Fold(ColumnPair first, ColumnPair second, uint64_t low_halves) {
  return ((first ^ first >> kBits) & low_halves) | ((second ^ second << kBits) & ~low_halves);
}

// Returns the parities of kColumns columns, at most 8; bit j is that of column j.
template <unsigned kColumns>
uint64_t ParitiesOf(const RibbonQuery& query, const RibbonMasks& masks) {
  const ColumnPair halves[] = {Fold<32>(MaskedPair<kColumns>(query, masks, 0),
                                        MaskedPair<kColumns>(query, masks, 2), 0xffffffff),
                               Fold<32>(MaskedPair<kColumns>(query, masks, 4),
                                        MaskedPair<kColumns>(query, masks, 6), 0xffffffff)};
  ColumnPair bits = Fold<16>(halves[0], halves[1], 0x0000ffff0000ffff);
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  bits ^= bits >> 2;
  bits ^= bits >> 1;
  bits &= 0x0001000100010001;
  // Lowest bit of each 16: columns 0, 4, 2, 6 and 1, 5, 3, 7.
  const uint64_t pairs = bits[0] | bits[1] << 1;
  return (pairs | pairs >> 30 | pairs >> 12 | pairs >> 42) & 0xff;
}

WINNOW_INLINE uint64_t ParitiesOfUpTo8(unsigned columns, const RibbonQuery& query,
                                       const RibbonMasks& masks) {
  switch (columns) {
    case 1:
      return ParitiesOf<1>(query, masks);
    case 2:
      return ParitiesOf<2>(query, masks);
    case 3:
      return ParitiesOf<3>(query, masks);
    case 4:
      return ParitiesOf<4>(query, masks);
    case 5:
      return ParitiesOf<5>(query, masks);
    case 6:
      return ParitiesOf<6>(query, masks);
    case 7:
      return ParitiesOf<7>(query, masks);
    default:
      return ParitiesOf<8>(query, masks);
  }
}

// Computes all columns that a block may have, even if this one has fewer: a variable loop count
// mispredicts, which costs more than the last column.
WINNOW_INLINE uint32_t AllParities(const RibbonLayer& layer, const RibbonQuery& query) {
  RibbonMasks masks = MasksOf(query);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  // Parities don't depend on byte order.
  masks = {__builtin_bswap64(masks.low), __builtin_bswap64(masks.high)};
#endif
  const unsigned columns = 64u - layer.fingerprint_shift;
  if (columns <= 8) return static_cast<uint32_t>(ParitiesOfUpTo8(columns, query, masks));
  RibbonQuery rest = query;
  rest.low += 64;
  rest.high += 64;
  return static_cast<uint32_t>(ParitiesOf<8>(query, masks) |
                               ParitiesOfUpTo8(columns - 8, rest, masks) << 8);
}

// Back substitution, one sub-shard after the other, slot by slot from right to left: bit i of a
// column's window is the solution of the slot i places to the right.
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
          const uint64_t bit = Parity(window[column] & others) ^ row >> column;
          window[column] = window[column] << 1 | (bit & 1);
        }
      }
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = formulas::WideBlocksBefore(block, split);
      const unsigned columns = formulas::ColumnsOf(block, whole, most, split);
      unsigned char* out = words + 8 * formulas::WordsBefore(block, whole, most, wide_before);
      for (unsigned column = 0; column < columns; ++column) {
        formulas::StoreLittle64(out + 8 * column, window[column]);
      }
    }
  }
}

// Bits of a hash in a block, as bytes: compared with many blocks without a branch, in pieces that
// the compiler chooses.
struct BlockMask {
  unsigned char bytes[kBloomBlockBytes];
};

BlockMask MaskOf(const uint16_t* words, uint32_t x) {
  BlockMask mask = {};
  SetBits(mask.bytes, words, x);
  return mask;
}

bool Holds(const unsigned char* block, const BlockMask& mask) {
  uint64_t missing = 0;
  for (unsigned i = 0; i < kBloomBlockBytes; i += 8) {
    missing |= ~formulas::LoadLittle64(block + i) & formulas::LoadLittle64(mask.bytes + i);
  }
  return missing == 0;
}

}  // namespace

const Kernels kPortableKernels =
    SegmentLookups<BlockMask, MaskOf, Holds, TestEach<BlockMask, Holds>, PlacesOf,
                   TestEachRibbon<MatchParities<AllParities>>, PlacesOf>::
        AddTo(TableOf<BloomLookups<HasBits, SetBits>, RibbonLookups<AllParities>>(
            "portable", RibbonCells, RibbonSolve));

}  // namespace winnow::simd
