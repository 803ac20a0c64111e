// Placing of positions in range filters. FORMAT.md describes it.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_HASH_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_HASH_H_

#include <cstdint>

namespace winnow::core {

inline constexpr uint64_t kRangeMultiplier = 0x9e3779b97f4a7c15;

inline uint64_t MixRange(uint64_t x) noexcept {
  constexpr uint64_t kMultiplier = 0xd6e8feb86659fd93;
  x = (x ^ (x >> 32)) * kMultiplier;
  x = (x ^ (x >> 32)) * kMultiplier;
  return x ^ (x >> 32);
}

// Returns the hash of a key's word. The hash of several words is the exclusive or of their hashes,
// in any order (Zobrist 1970).
inline uint64_t HashRangeWord(unsigned index, uint64_t word) noexcept {
  return MixRange(word + (index + 1) * kRangeMultiplier);
}

// Maps positions to places, which are less than `bound`.
struct RangePlacing {
  uint64_t bound = 1;
  unsigned block_bits = 0;  // log2 of the number of positions per block, which is at most `bound`
  bool is_exact = false;    // positions are stored unchanged

  // Returns the place of the first position in the block that contains `position`. `hash` is the
  // hash of the key bytes that precede the position.
  uint64_t Base(uint64_t hash, uint64_t position) const noexcept {
    __extension__ using Wide = unsigned __int128;
    const uint64_t mixed = MixRange(hash + (position >> block_bits) * kRangeMultiplier);
    return static_cast<uint64_t>((Wide{mixed} * bound) >> 64);
  }

  uint64_t InBlock(uint64_t base, uint64_t position) const noexcept {
    const uint64_t sum = base + (position & ((uint64_t{1} << block_bits) - 1));
    return sum >= bound ? sum - bound : sum;
  }
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_HASH_H_
