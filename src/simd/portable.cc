// The reference kernels, for any machine.

#include "src/simd/kernels.h"
#include "src/simd/probe.h"
#include "src/simd/segments.h"

namespace winnow::simd {
namespace {

uint64_t Parity(uint64_t bits) { return static_cast<uint64_t>(__builtin_parityll(bits)); }

// Whether the hash's bit in the lowest of these words is set: in bit 0.
uint32_t AskWord(const unsigned char* block, uint32_t words, uint32_t x) {
  const auto w = static_cast<unsigned>(__builtin_ctz(words));
  return Load32(block + 4 * w) >> ((x * kBloomSalts[w]) >> 27);
}

bool HasBits(const unsigned char* block, const uint16_t* patterns, uint32_t x) {
  uint32_t words = WordsOf(patterns, x);
  uint32_t set = 1;
  // An absent key fails in the first three words nearly always: ask them without a branch between.
  for (int i = 0; i < 3 && words != 0; ++i, words &= words - 1) set &= AskWord(block, words, x);
  if (set == 0) return false;
  for (; words != 0; words &= words - 1) set &= AskWord(block, words, x);
  return set != 0;
}

void SetBits(unsigned char* block, const uint16_t* patterns, uint32_t x) {
  for (uint32_t words = WordsOf(patterns, x); words != 0; words &= words - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(words));
    Store32(block + 4 * w, Load32(block + 4 * w) | 1u << ((x * kBloomSalts[w]) >> 27));
  }
}

bool Match(const RibbonBlock& block, const RibbonMasks& masks) {
  return MatchColumns(block, masks, Parity);
}

void RibbonSolve(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                 uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                 unsigned char* words) {
  SolveEach(rows, shards, shard_blocks, first_block, whole, most, split, words, Parity);
}

// A hash's bits in a block of many, as the block's bytes: compared without a branch, in as large
// pieces as the compiler likes.
struct BlockMask {
  unsigned char bytes[kBloomBlockBytes];
};

BlockMask MaskOf(const uint16_t* patterns, uint32_t x) {
  BlockMask mask = {};
  SetBits(mask.bytes, patterns, x);
  return mask;
}

bool Holds(const unsigned char* block, const BlockMask& mask) {
  uint64_t missing = 0;
  for (unsigned i = 0; i < kBloomBlockBytes; i += 8) {
    missing |= ~Load64(block + i) & Load64(mask.bytes + i);
  }
  return missing == 0;
}

}  // namespace

const Kernels kPortableKernels =
    SegmentLookups<BlockMask, MaskOf, TestEach<BlockMask, Holds>, PlacesOf, TestEachRibbon<Match>,
                   PlacesOf>::AddTo(Lookups<HasBits, SetBits, Match>::Table("portable",
                                                                            RibbonSolve));

}  // namespace winnow::simd
