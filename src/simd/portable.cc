// The reference kernels, for any machine.

#include <cstring>

#include "src/simd/kernels.h"

namespace winnow::simd {
namespace {

uint32_t Load32(const unsigned char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

void Store32(unsigned char* bytes, uint32_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

uint64_t Load64(const unsigned char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

void Store64(unsigned char* bytes, uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(bytes, &value, sizeof value);
}

size_t BlockOffset(uint64_t hash, uint32_t num_blocks) {
  return static_cast<size_t>(((hash >> 32) * num_blocks) >> 32) * kBloomBlockBytes;
}

// The words that a hash uses: a pattern by bits 4 to 7, rotated left by bits 0 to 3.
uint32_t WordsOf(const uint16_t* patterns, uint32_t x) {
  const uint32_t pattern = patterns[(x >> 4) & (kBloomPatterns - 1)];
  const uint32_t twice = pattern << 16 | pattern;
  return (twice << (x & 15)) >> 16;
}

bool BloomProbe(const unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
                uint64_t hash) {
  const unsigned char* block = blocks + BlockOffset(hash, num_blocks);
  const auto x = static_cast<uint32_t>(hash);
  uint32_t words = WordsOf(patterns, x);
  uint32_t set = 1;
  // An absent key fails in the first three words nearly always: ask them without a branch between.
  for (int i = 0; i < 3 && words != 0; ++i, words &= words - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(words));
    set &= Load32(block + 4 * w) >> ((x * kBloomSalts[w]) >> 27);
  }
  if (set == 0) return false;
  for (; words != 0; words &= words - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(words));
    set &= Load32(block + 4 * w) >> ((x * kBloomSalts[w]) >> 27);
  }
  return set != 0;
}

void BloomAdd(unsigned char* blocks, uint32_t num_blocks, const uint16_t* patterns,
              const uint64_t* hashes, size_t n) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) {
      __builtin_prefetch(blocks + BlockOffset(hashes[i + kAhead], num_blocks), 1);
    }
    unsigned char* block = blocks + BlockOffset(hashes[i], num_blocks);
    const auto x = static_cast<uint32_t>(hashes[i]);
    for (uint32_t words = WordsOf(patterns, x); words != 0; words &= words - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(words));
      Store32(block + 4 * w, Load32(block + 4 * w) | 1u << ((x * kBloomSalts[w]) >> 27));
    }
  }
}

RibbonAnswer RibbonProbe(const unsigned char* words, const unsigned char* thresholds,
                         uint32_t starts, uint32_t split, uint32_t shape, uint64_t hash) {
  const auto start = static_cast<uint32_t>(((hash >> 32) * starts) >> 32);
  const uint32_t bucket = start / kRibbonBucketSlots;
  const uint32_t offset = start % kRibbonBucketSlots;
  const uint32_t threshold = (thresholds[bucket / 4] >> (2 * (bucket % 4))) & 3;
  const uint32_t bump_class =
      (offset < kRibbonClass1Slots ? 1u : 0u) + (offset < kRibbonClass2Slots ? 1u : 0u);
  if (bump_class >= threshold) return RibbonAnswer::kBumped;

  const uint32_t shard_bits = shape & 0xff;
  const uint32_t columns = (shape >> kShapeColumnsShift) & 0xff;
  const uint32_t fingerprint_bits = shape >> kShapeFingerprintShift;
  const uint64_t block = (start >> 6) + ((hash >> 1) >> (63 - shard_bits));
  const uint64_t wide_blocks = block > split ? block - split : 0;
  const uint32_t block_columns = columns + (block >= split ? 1 : 0);
  const unsigned char* low = words + 8 * (block * columns + wide_blocks);
  const unsigned char* high = low + 8 * block_columns;

  const uint64_t coefficient = ((hash * kCoefficientMultiplier) >> (64 - kRibbonWidth)) | 1;
  const uint32_t shift = start & 63;
  const uint64_t low_mask = coefficient << shift;
  const uint64_t high_mask = (coefficient >> 1) >> (63 - shift);
  const uint64_t fingerprint =
      ((hash ^ hash >> 31) * kFingerprintMultiplier) >> (64 - fingerprint_bits);
  // Leaving at the first column that differs mispredicts more than it saves.
  uint64_t differs = 0;
  for (uint32_t column = 0; column < block_columns; ++column) {
    const uint64_t bits =
        (Load64(low + 8 * column) & low_mask) ^ (Load64(high + 8 * column) & high_mask);
    differs |= (static_cast<uint64_t>(__builtin_parityll(bits)) ^ fingerprint >> column) & 1;
  }
  return differs != 0 ? RibbonAnswer::kAbsent : RibbonAnswer::kMatch;
}

// One sub-shard after the other, slot by slot from right to left: bit i of a column's window is the
// solution of the slot i places to the right.
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
          const uint64_t bit =
              static_cast<uint64_t>(__builtin_parityll(window[column] & others)) ^ row >> column;
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

}  // namespace

const Kernels kPortableKernels = {"portable", BloomProbe, BloomAdd, RibbonProbe, RibbonSolve};

}  // namespace winnow::simd
