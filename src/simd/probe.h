// What the kernels' files share. Everything here has internal linkage: each file compiles a copy of
// its own, for its own instruction set, and the linker never puts one in another's place.

#ifndef WINNOW_SRC_SIMD_PROBE_H_
#define WINNOW_SRC_SIMD_PROBE_H_

#include <xxhash.h>

#include <cstddef>
#include <cstdint>

#include "src/formulas/bloom_layer.h"
#include "src/formulas/bytes.h"
#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

// For all that a lookup is made of: a call costs more than most of it.
#define WINNOW_INLINE inline __attribute__((always_inline, unused))

// ---- Bloom

using formulas::BlockOffset;

// The words that a hash uses, as 16 bits.
WINNOW_INLINE uint32_t WordsOf(const uint16_t* words, uint32_t x) {
  return words[x & (kBloomWordSets - 1)];
}

// Below this a filter is in the cache anyway, and asking for it ahead is a waste.
constexpr size_t kPrefetchFromBytes = size_t{1} << 20;

// Into the second-level cache: there is room for twice as many misses on the way there than on the
// way to the first one.
WINNOW_INLINE void PrefetchLine(const unsigned char* bytes) {
  constexpr int kForReading = 0;
  constexpr int kSecondLevel = 2;
  __builtin_prefetch(bytes, kForReading, kSecondLevel);
}

// A block that straddles needs both lines.
WINNOW_INLINE void PrefetchBlock(const unsigned char* block) {
  PrefetchLine(block);
  PrefetchLine(block + kBloomBlockBytes - 1);
}

// ---- Ribbon

// What is asked of a layer for a hash.
struct RibbonQuery {
  const unsigned char* low;   // the columns of the first block
  const unsigned char* high;  // and those of the next one
  uint64_t coefficient;
  uint64_t fingerprint;
  uint32_t start;
  uint32_t columns;  // that count: those of the first block
};

WINNOW_INLINE uint32_t StartOf(const RibbonLayer& layer, uint64_t hash) {
  return formulas::StartPosition(hash, layer.starts);
}

WINNOW_INLINE bool IsBumped(const RibbonLayer& layer, uint32_t start) {
  return formulas::IsBumped(layer.thresholds, start);
}

// What is asked in the block whose `columns` columns begin at `low`.
WINNOW_INLINE RibbonQuery QueryAt(const unsigned char* low, uint32_t columns, uint32_t start,
                                  uint32_t fingerprint_shift, uint64_t hash) {
  return {low,
          low + 8 * columns,
          formulas::Coefficient(hash),
          formulas::FingerprintSource(hash) >> fingerprint_shift,
          start,
          columns};
}

WINNOW_INLINE RibbonQuery QueryOf(const RibbonLayer& layer, uint32_t start, uint64_t hash) {
  const uint64_t block = formulas::BlockOf(hash, start, layer.shard_shift);
  const auto past_split = static_cast<int64_t>(block - layer.split);
  const uint64_t wide_before = formulas::WideBlocksBefore(past_split);
  const uint32_t columns = formulas::ColumnsOf(past_split, layer.columns);
  const unsigned char* low =
      layer.words + 8 * formulas::WordsBefore(block, layer.columns, wide_before);
  return QueryAt(low, columns, start, layer.fingerprint_shift, hash);
}

// Whether the columns that count have the parities of the fingerprint. `parities` may have more
// bits than there are columns.
WINNOW_INLINE bool IsFingerprint(const RibbonQuery& query, uint64_t parities) {
  return ((parities ^ query.fingerprint) & ((uint64_t{1} << query.columns) - 1)) == 0;
}

using formulas::RibbonMasks;

WINNOW_INLINE RibbonMasks MasksOf(const RibbonQuery& query) {
  return formulas::MasksAt(query.coefficient, query.start);
}

// Compares all columns that a block may have, eight at a time: kParities gives those of up to eight
// columns, of which bit j is that of column j.
template <uint32_t (*kParities)(const unsigned char* low, const unsigned char* high,
                                unsigned columns, const RibbonMasks& masks)>
WINNOW_INLINE bool MatchInEights(const RibbonLayer& layer, const RibbonQuery& query) {
  const RibbonMasks masks = MasksOf(query);
  const unsigned columns = 64u - layer.fingerprint_shift;
  if (columns <= 8) return IsFingerprint(query, kParities(query.low, query.high, columns, masks));
  return IsFingerprint(query, kParities(query.low, query.high, 8, masks) |
                                  kParities(query.low + 64, query.high + 64, columns - 8, masks)
                                      << 8);
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
      const uint64_t wide_before = formulas::WideBlocksBefore(block, split);
      const unsigned columns = formulas::ColumnsOf(block, whole, most, split);
      unsigned char* out = words + 8 * formulas::WordsBefore(block, whole, most, wide_before);
      for (unsigned column = 0; column < columns; ++column) {
        formulas::StoreLittle64(out + 8 * column, window[column]);
      }
    }
  }
}

// ---- The table

// All lookups, made of what differs between instruction sets:
//   kHasBits   whether a Bloom block has all bits of a hash
//   kSetBits   sets them
//   kMatch     whether a Ribbon's columns have the parities of the query's fingerprint
//   kMatchNarrow   the same where there are at most 8 columns
template <bool (*kHasBits)(const unsigned char* block, const uint16_t* words, uint32_t x),
          void (*kSetBits)(unsigned char* block, const uint16_t* words, uint32_t x),
          bool (*kMatch)(const RibbonLayer& layer, const RibbonQuery& query),
          bool (*kMatchNarrow)(const RibbonLayer& layer, const RibbonQuery& query) = kMatch>
struct Lookups {
  static uint64_t HashBytes(const void* bytes, size_t size) noexcept {
    return XXH3_64bits(bytes, size);
  }

  WINNOW_INLINE static bool AskBloom(const BloomLayer& layer, uint64_t hash) {
    return kHasBits(layer.blocks + BlockOffset(hash, layer.num_blocks), layer.words,
                    static_cast<uint32_t>(hash));
  }

  static bool BloomProbe(const void* layer, uint64_t hash) noexcept {
    return AskBloom(*static_cast<const BloomLayer*>(layer), hash);
  }

  static void BloomProbeMany(const BloomLayer& layer, const uint64_t* hashes, size_t n,
                             bool* results) {
    constexpr size_t kAhead = 32;
    if (layer.num_blocks * kBloomBlockBytes < kPrefetchFromBytes) {
      for (size_t i = 0; i < n; ++i) results[i] = AskBloom(layer, hashes[i]);
      return;
    }
    for (size_t i = 0; i < n && i < kAhead; ++i) {
      PrefetchBlock(layer.blocks + BlockOffset(hashes[i], layer.num_blocks));
    }
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        PrefetchBlock(layer.blocks + BlockOffset(hashes[i + kAhead], layer.num_blocks));
      }
      results[i] = AskBloom(layer, hashes[i]);
    }
  }

  static void BloomAdd(unsigned char* blocks, uint64_t num_blocks, const uint16_t* words,
                       const uint64_t* hashes, size_t n) {
    const auto block_of = [=](uint64_t hash) { return blocks + BlockOffset(hash, num_blocks); };
    constexpr size_t kAhead = 16;
    const size_t prefetched =
        num_blocks * kBloomBlockBytes < kPrefetchFromBytes || n < kAhead ? 0 : n - kAhead;
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

  template <bool (*kMatchColumns)(const RibbonLayer&, const RibbonQuery&)>
  static bool RibbonProbe(const void* ribbon, uint64_t hash) noexcept {
    const auto& layer = *static_cast<const RibbonLayer*>(ribbon);
    const uint32_t start = StartOf(layer, hash);
    if (__builtin_expect(IsBumped(layer, start), 0)) return layer.if_bumped(&layer, hash);
    return kMatchColumns(layer, QueryOf(layer, start, hash));
  }

  static void RibbonProbeMany(const RibbonLayer& layer, const uint64_t* hashes, size_t n,
                              bool* results) {
    if (static_cast<size_t>(layer.thresholds - layer.words) < kPrefetchFromBytes) {
      for (size_t i = 0; i < n; ++i) results[i] = RibbonProbe<kMatch>(&layer, hashes[i]);
      return;
    }
    constexpr size_t kAhead = 32;
    for (size_t i = 0; i < n && i < kAhead; ++i) PrefetchRibbon(layer, hashes[i]);
    for (size_t begin = 0; begin < n; begin += kAhead) {
      // Another layer's misses would hold up those after it: bumped hashes come last.
      unsigned char bumped[kAhead];
      unsigned num_bumped = 0;
      for (size_t i = begin; i < n && i < begin + kAhead; ++i) {
        if (i + kAhead < n) PrefetchRibbon(layer, hashes[i + kAhead]);
        const uint32_t start = StartOf(layer, hashes[i]);
        bumped[num_bumped] = static_cast<unsigned char>(i - begin);
        num_bumped += IsBumped(layer, start) ? 1 : 0;
        results[i] = kMatch(layer, QueryOf(layer, start, hashes[i]));
      }
      for (unsigned i = 0; i < num_bumped; ++i) {
        results[begin + bumped[i]] = layer.if_bumped(&layer, hashes[begin + bumped[i]]);
      }
    }
  }

  WINNOW_INLINE static void PrefetchRibbon(const RibbonLayer& layer, uint64_t hash) {
    const uint32_t start = StartOf(layer, hash);
    const RibbonQuery query = QueryOf(layer, start, hash);
    PrefetchLine(query.low);
    PrefetchLine(query.low + 8 * query.columns);
    PrefetchLine(query.low + 16 * query.columns - 1);
    if (layer.columns > 8) {
      PrefetchLine(query.low + 4 * query.columns);
      PrefetchLine(query.low + 12 * query.columns);
    }
    PrefetchLine(layer.thresholds + formulas::ThresholdByte(start));
  }

  static constexpr Kernels Table(const char* name, decltype(Kernels::ribbon_solve) ribbon_solve,
                                 const RibbonElimination* elimination = nullptr) {
    return {name,
            HashBytes,
            BloomProbe,
            BloomProbeMany,
            BloomAdd,
            RibbonProbe<kMatch>,
            RibbonProbe<kMatchNarrow>,
            RibbonProbeMany,
            ribbon_solve,
            elimination};
  }
};

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_PROBE_H_
