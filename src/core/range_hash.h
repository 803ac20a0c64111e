// What range filters hash: places of bytes, and blocks of positions. FORMAT.md has the meaning.

#ifndef WINNOW_SRC_CORE_RANGE_HASH_H_
#define WINNOW_SRC_CORE_RANGE_HASH_H_

#include <cstdint>

namespace winnow::core {

inline constexpr uint64_t kRangeMultiplier = 0x9e3779b97f4a7c15;

inline uint64_t MixRange(uint64_t x) noexcept {
  constexpr uint64_t kMultiplier = 0xd6e8feb86659fd93;
  x = (x ^ (x >> 32)) * kMultiplier;
  x = (x ^ (x >> 32)) * kMultiplier;
  return x ^ (x >> 32);
}

// Of a byte at a place of the key. The exclusive or of some of them is the hash of these bytes:
// tabulation hashing (Zobrist, 1970), in which bytes can come in any order.
inline uint64_t HashByteAt(unsigned place, unsigned byte) noexcept {
  return MixRange((place * 256 + byte + 1) * kRangeMultiplier);
}

// Where positions go: numbers below `bound`.
struct RangePlacing {
  uint64_t bound = 1;
  unsigned block_bits = 0;  // a block has so many positions, at most `bound`
  bool is_exact = false;    // positions stay as they are

  // Of the first position in the block of `position`.
  uint64_t Base(uint64_t high_hash, uint64_t position) const noexcept {
    if (is_exact) return 0;
    __extension__ using Wide = unsigned __int128;
    const uint64_t hash = MixRange(high_hash + (position >> block_bits) * kRangeMultiplier);
    return static_cast<uint64_t>((Wide{hash} * bound) >> 64);
  }

  uint64_t OffsetInBlock(uint64_t position) const noexcept {
    return is_exact ? position : position & ((uint64_t{1} << block_bits) - 1);
  }

  // Base and offset together, which are each below the bound, or at most it.
  uint64_t Wrap(uint64_t sum) const noexcept { return sum >= bound ? sum - bound : sum; }

  uint64_t Place(uint64_t high_hash, uint64_t position) const noexcept {
    return Wrap(Base(high_hash, position) + OffsetInBlock(position));
  }
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGE_HASH_H_
