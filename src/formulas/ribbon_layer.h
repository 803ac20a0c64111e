// Position of a hash's bits in a layer of a Ribbon filter, and bumping.

#ifndef WINNOW_SRC_FORMULAS_RIBBON_LAYER_H_
#define WINNOW_SRC_FORMULAS_RIBBON_LAYER_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/inline.h"

namespace winnow::formulas {

inline constexpr unsigned kRibbonMaxColumns = 16;    // a coefficient and a fingerprint take 64 bits
inline constexpr unsigned kRibbonBucketSlots = 128;  // start positions that share a threshold
inline constexpr unsigned kRibbonClass2Slots = 16;   // offsets below this are of class 2,
inline constexpr unsigned kRibbonClass1Slots = 36;   // below this of class 1, others of class 0
// Maximum offsets, exclusive, that a threshold bumps: those of the classes that it does not exceed.
constexpr uint8_t kRibbonBumpedBelow[] = {kRibbonBucketSlots, kRibbonClass1Slots,
                                          kRibbonClass2Slots, 0};
// Twice kRibbonBumpedBelow, in a byte: an even number is less than 256 if it is less than 255.
constexpr uint8_t kRibbonTwiceBumpedBelow[] = {255, 2 * kRibbonClass1Slots, 2 * kRibbonClass2Slots,
                                               0};

// ---- Start positions

WINNOW_FORMULA uint32_t StartPosition(uint64_t hash, uint32_t positions) noexcept {
  return static_cast<uint32_t>(Position(hash, positions));
}

// Returns the number of start positions of a Ribbon without bumping that has `blocks` blocks of 64
// slots: no row exceeds the blocks.
WINNOW_FORMULA uint32_t SmallStarts(uint32_t blocks) noexcept {
  return blocks * 64 - (kRibbonWidth - 1);
}

// ---- Thresholds, four to a byte

constexpr WINNOW_FORMULA uint32_t BumpClass(uint32_t start) noexcept {
  const uint32_t offset = start % kRibbonBucketSlots;
  return (offset < kRibbonClass1Slots ? 1u : 0u) + (offset < kRibbonClass2Slots ? 1u : 0u);
}

// Returns the index of the byte with the threshold of a start position's bucket.
WINNOW_FORMULA uint32_t ThresholdByte(uint32_t start) noexcept {
  return start / (4 * kRibbonBucketSlots);
}

WINNOW_FORMULA bool IsBumped(const unsigned char* thresholds, uint32_t start) noexcept {
  const uint32_t four = thresholds[ThresholdByte(start)];
  const uint32_t threshold = four >> (start / (kRibbonBucketSlots / 2) & 6) & 3;
  // The low byte of twice the start is twice the offset.
  static_assert(kRibbonBucketSlots == 128);
  return static_cast<uint8_t>(2 * start) < kRibbonTwiceBumpedBelow[threshold];
}

WINNOW_FORMULA unsigned ThresholdOf(const unsigned char* thresholds, uint64_t bucket) noexcept {
  return thresholds[bucket / 4] >> (2 * (bucket % 4)) & 3u;
}

// Sets a threshold that is 0.
WINNOW_FORMULA void SetThreshold(unsigned char* thresholds, uint32_t bucket,
                                 uint32_t threshold) noexcept {
  unsigned char& four = thresholds[bucket / 4];
  four = static_cast<unsigned char>(four | threshold << (2 * (bucket % 4)));
}

// ---- Words

// Blocks before `split` have `whole` columns, one word each; the others have `most`, which is
// `whole` or one more.
WINNOW_FORMULA uint64_t WideBlocksBefore(uint64_t block, uint64_t split) noexcept {
  return block > split ? block - split : 0;
}
WINNOW_FORMULA unsigned ColumnsOf(uint64_t block, unsigned whole, unsigned most,
                                  uint64_t split) noexcept {
  return block >= split ? most : whole;
}
WINNOW_FORMULA uint64_t WordsBefore(uint64_t block, unsigned whole, unsigned most,
                                    uint64_t wide_blocks_before) noexcept {
  return block * whole + wide_blocks_before * (most - whole);
}

// Branch-free versions for lookups, where `most` is whole + 1: the side of the split is
// unpredictable. `past_split` is the block less the split.
WINNOW_FORMULA uint32_t WideBlocksBefore(int32_t past_split) noexcept {
  const int32_t is_before = past_split >> 31;  // all ones or none
  return static_cast<uint32_t>(past_split & ~is_before);
}
WINNOW_FORMULA uint32_t ColumnsOf(int32_t past_split, uint32_t whole) noexcept {
  const int32_t is_before = past_split >> 31;
  return whole + static_cast<uint32_t>(is_before + 1);
}
WINNOW_FORMULA uint64_t WordsBefore(uint64_t block, uint64_t whole,
                                    uint64_t wide_blocks_before) noexcept {
  return block * whole + wide_blocks_before;
}

// Returns the block of a start position. `shard_shift` is 32 less the number of bits that select a
// sub-shard.
WINNOW_FORMULA uint64_t BlockOf(uint64_t hash, uint64_t start, unsigned shard_shift) noexcept {
  return (start >> 6) + ((hash >> 32) >> shard_shift);
}

// A coefficient, split into the block where it starts and the next one.
struct RibbonMasks {
  uint64_t low;
  uint64_t high;
};

WINNOW_FORMULA RibbonMasks MasksAt(uint64_t coefficient, uint32_t start) noexcept {
  const uint32_t shift = start & 63;
  return {coefficient << shift, (coefficient >> 1) >> (63 - shift)};
}

}  // namespace winnow::formulas

#endif  // WINNOW_SRC_FORMULAS_RIBBON_LAYER_H_
