// Lookups in a Bloom filter, single and batched, and insertion of keys.

#ifndef WINNOW_SRC_SIMD_BLOOM_LOOKUPS_H_
#define WINNOW_SRC_SIMD_BLOOM_LOOKUPS_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/bloom_layer.h"
#include "src/simd/inline.h"
#include "src/simd/kernels.h"
#include "src/simd/prefetch.h"

namespace winnow::simd {
namespace {

using formulas::BlockOffset;

// Returns the words that a hash uses, as a 16-bit set.
WINNOW_INLINE uint32_t WordsOf(const uint16_t* words, uint32_t x) {
  return words[x & (kBloomWordSets - 1)];
}

// Prefetches both cache lines of a block that straddles two.
WINNOW_INLINE void PrefetchBlock(const unsigned char* block) {
  PrefetchLine(block);
  PrefetchLine(block + kBloomBlockBytes - 1);
}

// Lookups, parameterized by functions of the instruction set:
//   kHasBits   returns whether a block has all bits of a hash
//   kSetBits   sets the bits of a hash in a block
template <bool (*kHasBits)(const unsigned char* block, const uint16_t* words, uint32_t x),
          void (*kSetBits)(unsigned char* block, const uint16_t* words, uint32_t x)>
struct BloomLookups {
  WINNOW_INLINE static bool Ask(const BloomLayer& layer, uint64_t hash) {
    return kHasBits(layer.blocks + BlockOffset(hash, layer.num_blocks), layer.words,
                    static_cast<uint32_t>(hash));
  }

  static bool Probe(const Layer& layer, uint64_t hash) noexcept {
    return Ask(static_cast<const BloomLayer&>(layer), hash);
  }

  static void ProbeMany(const BloomLayer& layer, const uint64_t* hashes, size_t n, bool asks_ahead,
                        bool* results) {
    constexpr size_t kAhead = 32;
    if (!asks_ahead) {
      for (size_t i = 0; i < n; ++i) results[i] = Ask(layer, hashes[i]);
      return;
    }
    for (size_t i = 0; i < n && i < kAhead; ++i) {
      PrefetchBlock(layer.blocks + BlockOffset(hashes[i], layer.num_blocks));
    }
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        PrefetchBlock(layer.blocks + BlockOffset(hashes[i + kAhead], layer.num_blocks));
      }
      results[i] = Ask(layer, hashes[i]);
    }
  }

  static void Add(unsigned char* blocks, uint64_t num_blocks, const uint16_t* words,
                  const uint64_t* hashes, size_t n) {
    const auto block_of = [=](uint64_t hash) { return blocks + BlockOffset(hash, num_blocks); };
    constexpr size_t kAhead = 16;
    const size_t prefetched =
        num_blocks * kBloomBlockBytes < kOwnCacheBytes || n < kAhead ? 0 : n - kAhead;
    const bool straddles = reinterpret_cast<uintptr_t>(blocks) % kBloomBlockBytes != 0;
    for (size_t i = 0; i < prefetched; ++i) {
      const unsigned char* later = block_of(hashes[i + kAhead]);
      __builtin_prefetch(later, 1);
      if (straddles) __builtin_prefetch(later + kBloomBlockBytes - 1, 1);
      kSetBits(block_of(hashes[i]), words, static_cast<uint32_t>(hashes[i]));
    }
    for (size_t i = prefetched; i < n; ++i) {
      kSetBits(block_of(hashes[i]), words, static_cast<uint32_t>(hashes[i]));
    }
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_BLOOM_LOOKUPS_H_
