// The reference kernels, for any machine.

#include "src/simd/kernels.h"
#include "src/simd/probe.h"

namespace winnow::simd {
namespace {

uint64_t Parity(uint64_t bits) { return static_cast<uint64_t>(__builtin_parityll(bits)); }

// Whether the hash's bit in the lowest of these words is set: in bit 0.
uint32_t AskWord(const unsigned char* block, uint32_t words, uint32_t x) {
  const auto w = static_cast<unsigned>(__builtin_ctz(words));
  return Load32(block + 4 * w) >> ((x * kBloomSalts[w]) >> 27);
}

bool BloomProbe(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                uint64_t hash) {
  const unsigned char* block = blocks + BlockOffset(hash, num_blocks);
  const auto x = static_cast<uint32_t>(hash);
  uint32_t words = WordsOf(patterns, x);
  uint32_t set = 1;
  // An absent key fails in the first three words nearly always: ask them without a branch between.
  for (int i = 0; i < 3 && words != 0; ++i, words &= words - 1) set &= AskWord(block, words, x);
  if (set == 0) return false;
  for (; words != 0; words &= words - 1) set &= AskWord(block, words, x);
  return set != 0;
}

void BloomProbeMany(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                    const uint64_t* hashes, size_t n, bool* results) {
  ProbeBlocks(blocks, num_blocks, hashes, n, results,
              [=](uint64_t hash) { return BloomProbe(blocks, num_blocks, patterns, hash); });
}

void BloomAdd(unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
              const uint64_t* hashes, size_t n) {
  AddEach(blocks, num_blocks, hashes, n, [=](unsigned char* block, uint64_t hash) {
    const auto x = static_cast<uint32_t>(hash);
    for (uint32_t words = WordsOf(patterns, x); words != 0; words &= words - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(words));
      Store32(block + 4 * w, Load32(block + 4 * w) | 1u << ((x * kBloomSalts[w]) >> 27));
    }
  });
}

bool Match(const RibbonBlock& block, const RibbonMasks& masks) {
  return MatchColumns(block, masks, Parity);
}

RibbonAnswer RibbonProbe(const unsigned char* words, const unsigned char* thresholds,
                         uint32_t starts, uint32_t split, uint32_t shape, uint64_t hash) {
  return ProbeLayer({words, thresholds, starts, split, shape}, hash, Match);
}

void RibbonProbeMany(const unsigned char* words, const unsigned char* thresholds, uint32_t starts,
                     uint32_t split, uint32_t shape, const uint64_t* hashes, size_t n,
                     RibbonAnswer* answers) {
  ProbeLayerForEach({words, thresholds, starts, split, shape}, hashes, n, answers, Match);
}

void RibbonSolve(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                 uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                 unsigned char* words) {
  SolveEach(rows, shards, shard_blocks, first_block, whole, most, split, words, Parity);
}

}  // namespace

const Kernels kPortableKernels = {"portable",  BloomProbe,      BloomProbeMany, BloomAdd,
                                  RibbonProbe, RibbonProbeMany, RibbonSolve};

}  // namespace winnow::simd
