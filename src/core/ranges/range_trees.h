// Range filter of keys of any length: blocks of keys, each of which is a PATRICIA trie (Morrison
// 1968) that keeps a few bits of long edges. FORMAT.md describes the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/ranges/range_hash.h"

namespace winnow::core {

inline constexpr size_t kMaxTreeKeyBytes = 4096;

// Shape of trees: what they keep of the keys' bits.
struct RangeTreeShape {
  // Maximum values, with which the bits of an edge, and a depth, can be read by one load.
  static constexpr unsigned kMostKept = 28;
  static constexpr unsigned kMostOrder = 8;
  static constexpr unsigned kMostDepthZeros = 22;

  uint8_t leaf_bits = 0;   // bits behind the last branch of a key
  uint8_t order = 0;       // order of the code of depths
  uint8_t first_bits = 0;  // first bits of an edge that is longer than EdgeBits()
  uint8_t hash_bits = 0;   // bits of the hash of the next bits

  unsigned EdgeBits() const noexcept { return first_bits + hash_bits; }
  bool IsValid() const noexcept {
    return leaf_bits <= kMostKept && order <= kMostOrder && first_bits <= kMostKept &&
           hash_bits >= 1 && hash_bits <= kMostKept;
  }
};

// Maximum number of bits of a long edge that are hashed: few enough that a bound mostly has them,
// even if it ends before the edge does.
inline constexpr unsigned kHashedEdgeBits = 24;

// Returns the hash that is stored for these bits.
inline uint64_t StoredHash(uint64_t edge_bits, const RangeTreeShape& shape) noexcept {
  return MixRange(edge_bits + kRangeMultiplier) >> (64 - shape.hash_bits);
}

// Reader of the trees. Reads nothing outside its bytes, even if these are damaged.
struct RangeTrees {
  static constexpr size_t kEntryBytes = 8;  // per block: ends of its separator and its tree
  static constexpr size_t kPadding = 8;     // after the trees, so that loads stay within the bytes

  RangeTreeShape shape;
  std::string_view last_key;
  std::string_view separators;
  std::string_view trees;  // includes the padding
  const unsigned char* entries = nullptr;
  uint32_t blocks = 0;

  // Returns whether a key may be in [begin, end). begin must be less than end, and end at most the
  // last key.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;
  bool MayHaveKey(std::string_view key) const noexcept;

 private:
  std::string_view Separator(uint32_t block) const noexcept;
  uint32_t BlockOf(std::string_view bound) const noexcept;
  bool MayContain(uint32_t block, std::string_view begin, std::string_view end) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
