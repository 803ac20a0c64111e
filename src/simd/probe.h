// What the kernels' files share. Everything here has internal linkage: each file compiles a copy of
// its own, for its own instruction set, and the linker never puts one in another's place.

#ifndef WINNOW_SRC_SIMD_PROBE_H_
#define WINNOW_SRC_SIMD_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

#define WINNOW_INLINE inline __attribute__((always_inline, unused))

WINNOW_INLINE uint32_t Load32(const unsigned char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

WINNOW_INLINE void Store32(unsigned char* bytes, uint32_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

WINNOW_INLINE uint64_t Load64(const unsigned char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

WINNOW_INLINE void Store64(unsigned char* bytes, uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

// ---- Bloom

WINNOW_INLINE size_t BlockOffset(uint64_t hash, uint32_t num_blocks) {
  return static_cast<size_t>(((hash >> 32) * num_blocks) >> 32) * kBloomBlockBytes;
}

// The words that a hash uses: a pattern by bits 4 to 7, rotated left by bits 0 to 3.
WINNOW_INLINE uint32_t WordsOf(const uint16_t* patterns, uint32_t x) {
  const uint32_t pattern = patterns[(x >> 4) & (kBloomPatterns - 1)];
  const uint32_t twice = pattern << 16 | pattern;
  return ((twice << (x & 15)) >> 16) & 0xffff;
}

// Below this a filter is in the cache anyway, and asking for it ahead is a waste.
constexpr size_t kPrefetchFromBytes = size_t{1} << 20;

// A block that straddles needs both lines.
WINNOW_INLINE void PrefetchBlock(const unsigned char* block) {
  __builtin_prefetch(block);
  __builtin_prefetch(block + kBloomBlockBytes - 1);
}

// ---- Ribbon

struct RibbonLayer {
  const unsigned char* words;
  const unsigned char* thresholds;
  uint32_t starts;
  uint32_t split;
  uint32_t shape;
};

// Where a hash's block begins, and its columns.
struct RibbonBlock {
  const unsigned char* low;  // the next block begins 8 * columns bytes behind it
  uint32_t start;
  uint32_t columns;
};

WINNOW_INLINE RibbonBlock FindBlock(const RibbonLayer& layer, uint64_t hash) {
  const auto start = static_cast<uint32_t>(((hash >> 32) * layer.starts) >> 32);
  const uint32_t shard_bits = layer.shape & 0xff;
  const uint32_t columns = (layer.shape >> kShapeColumnsShift) & 0xff;
  const uint64_t block = (start >> 6) + ((hash >> 1) >> (63 - shard_bits));
  // Arithmetic instead of comparing: which side of the split it is can't be predicted.
  const auto past_split = static_cast<int64_t>(block - layer.split);
  const int64_t is_before = past_split >> 63;  // all ones or none
  const auto wide_before = static_cast<uint64_t>(past_split & ~is_before);
  return {layer.words + 8 * (block * columns + wide_before), start,
          columns + static_cast<uint32_t>(is_before + 1)};
}

WINNOW_INLINE bool IsBumped(const unsigned char* thresholds, uint32_t start) {
  const uint32_t bucket = start / kRibbonBucketSlots;
  const uint32_t offset = start % kRibbonBucketSlots;
  const uint32_t threshold = (thresholds[bucket / 4] >> (2 * (bucket % 4))) & 3;
  const uint32_t bump_class =
      (offset < kRibbonClass1Slots ? 1u : 0u) + (offset < kRibbonClass2Slots ? 1u : 0u);
  return bump_class >= threshold;
}

// The coefficient over two blocks, and the fingerprint.
struct RibbonMasks {
  uint64_t low;
  uint64_t high;
  uint64_t fingerprint;
};

WINNOW_INLINE RibbonMasks MasksOf(uint32_t shape, uint32_t start, uint64_t hash) {
  const uint64_t coefficient = ((hash * kCoefficientMultiplier) >> (64 - kRibbonWidth)) | 1;
  const uint32_t shift = start & 63;
  const uint32_t fingerprint_bits = shape >> kShapeFingerprintShift;
  return {coefficient << shift, (coefficient >> 1) >> (63 - shift),
          ((hash ^ hash >> 31) * kFingerprintMultiplier) >> (64 - fingerprint_bits)};
}

// Column by column; `parity` gives a number whose lowest bit is the parity of its argument. Leaving
// at the first column that differs mispredicts more than it saves.
template <typename Parity>
WINNOW_INLINE bool MatchColumns(const RibbonBlock& block, const RibbonMasks& masks, Parity parity) {
  const unsigned char* high = block.low + 8 * block.columns;
  uint64_t differs = 0;
  for (uint32_t column = 0; column < block.columns; ++column) {
    const uint64_t bits =
        (Load64(block.low + 8 * column) & masks.low) ^ (Load64(high + 8 * column) & masks.high);
    differs |= parity(bits) ^ masks.fingerprint >> column;
  }
  return (differs & 1) == 0;
}

// Back substitution of one sub-shard after the other, slot by slot from right to left: bit i of a
// column's window is the solution of the slot i places to the right.
template <typename Parity>
WINNOW_INLINE void SolveEach(const uint64_t* const* rows, unsigned shards, uint64_t shard_blocks,
                             uint64_t first_block, unsigned whole, unsigned most, uint64_t split,
                             unsigned char* words, Parity parity) {
  for (unsigned shard = 0; shard < shards; ++shard) {
    uint64_t window[kRibbonMaxColumns] = {};
    for (uint64_t i = shard_blocks; i-- > 0;) {
      for (unsigned slot = 64; slot-- > 0;) {
        const uint64_t row = rows[shard][i * 64 + slot];
        const uint64_t others = row >> (64 - kRibbonWidth + 1);
        for (unsigned column = 0; column < most; ++column) {
          const uint64_t bit = parity(window[column] & others) ^ row >> column;
          window[column] = window[column] << 1 | (bit & 1);
        }
      }
      const uint64_t block = first_block + shard * shard_blocks + i;
      const uint64_t wide_before = block > split ? block - split : 0;
      const unsigned columns = block >= split ? most : whole;
      unsigned char* out = words + 8 * (block * whole + wide_before * (most - whole));
      for (unsigned column = 0; column < columns; ++column) {
        Store64(out + 8 * column, window[column]);
      }
    }
  }
}

// ---- The table

// All lookups, made of what differs between instruction sets:
//   kHasBits   whether a Bloom block has all bits of a hash
//   kSetBits   sets them
//   kMatch     compares the columns of a Ribbon with the fingerprint
template <bool (*kHasBits)(const unsigned char* block, const uint16_t* patterns, uint32_t x),
          void (*kSetBits)(unsigned char* block, const uint16_t* patterns, uint32_t x),
          bool (*kMatch)(const RibbonBlock& block, const RibbonMasks& masks)>
struct Lookups {
  static bool BloomProbe(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                         uint64_t hash) {
    return kHasBits(blocks + BlockOffset(hash, num_blocks), patterns, static_cast<uint32_t>(hash));
  }

  static void BloomProbeMany(const unsigned char* blocks, uint32_t num_blocks,
                             const uint16_t* patterns, const uint64_t* hashes, size_t n,
                             bool* results) {
    constexpr size_t kAhead = 32;
    if (size_t{num_blocks} * kBloomBlockBytes < kPrefetchFromBytes) {
      for (size_t i = 0; i < n; ++i) {
        results[i] = BloomProbe(blocks, num_blocks, patterns, hashes[i]);
      }
      return;
    }
    for (size_t i = 0; i < n && i < kAhead; ++i) {
      PrefetchBlock(blocks + BlockOffset(hashes[i], num_blocks));
    }
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) PrefetchBlock(blocks + BlockOffset(hashes[i + kAhead], num_blocks));
      results[i] = BloomProbe(blocks, num_blocks, patterns, hashes[i]);
    }
  }

  static void BloomAdd(unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                       const uint64_t* hashes, size_t n) {
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        const unsigned char* later = blocks + BlockOffset(hashes[i + kAhead], num_blocks);
        __builtin_prefetch(later, 1);
        __builtin_prefetch(later + kBloomBlockBytes - 1, 1);
      }
      kSetBits(blocks + BlockOffset(hashes[i], num_blocks), patterns,
               static_cast<uint32_t>(hashes[i]));
    }
  }

  static RibbonAnswer RibbonProbe(const unsigned char* words, const unsigned char* thresholds,
                                  uint32_t starts, uint32_t split, uint32_t shape, uint64_t hash) {
    const RibbonLayer layer{words, thresholds, starts, split, shape};
    const RibbonBlock block = FindBlock(layer, hash);
    if (IsBumped(thresholds, block.start)) return RibbonAnswer::kBumped;
    return kMatch(block, MasksOf(shape, block.start, hash)) ? RibbonAnswer::kMatch
                                                            : RibbonAnswer::kAbsent;
  }

  static void RibbonProbeMany(const unsigned char* words, const unsigned char* thresholds,
                              uint32_t starts, uint32_t split, uint32_t shape,
                              const uint64_t* hashes, size_t n, RibbonAnswer* answers) {
    const RibbonLayer layer{words, thresholds, starts, split, shape};
    // The words are followed by the thresholds.
    if (static_cast<size_t>(thresholds - words) >= kPrefetchFromBytes) {
      for (size_t i = 0; i < n; ++i) {
        const RibbonBlock block = FindBlock(layer, hashes[i]);
        __builtin_prefetch(block.low);
        __builtin_prefetch(block.low + 16 * block.columns - 1);
        __builtin_prefetch(thresholds + block.start / kRibbonBucketSlots / 4);
      }
    }
    for (size_t i = 0; i < n; ++i) {
      answers[i] = RibbonProbe(words, thresholds, starts, split, shape, hashes[i]);
    }
  }

  static constexpr Kernels Table(const char* name, decltype(Kernels::ribbon_solve) ribbon_solve) {
    return {name, BloomProbe, BloomProbeMany, BloomAdd, RibbonProbe, RibbonProbeMany, ribbon_solve};
  }
};

#undef WINNOW_INLINE

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_PROBE_H_
