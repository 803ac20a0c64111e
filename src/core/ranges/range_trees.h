// The range filter of keys of any length: the keys in blocks, of which each is a binary tree of
// their bits, as of Morrison (1968), that keeps a few bits of long edges. FORMAT.md has the bytes.

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
  // Most values, so that what is kept of an edge, and a depth, is read with one load.
  static constexpr unsigned kMostKept = 28;
  static constexpr unsigned kMostOrder = 8;
  static constexpr unsigned kMostDepthZeros = 22;

  uint8_t leaf_bits = 0;   // behind the last branch of a key
  uint8_t order = 0;       // of the code of depths
  uint8_t first_bits = 0;  // of an edge that is longer than both
  uint8_t hash_bits = 0;   // of the hash of the next ones

  unsigned EdgeBits() const noexcept { return first_bits + hash_bits; }
  bool IsValid() const noexcept {
    return leaf_bits <= kMostKept && order <= kMostOrder && first_bits <= kMostKept &&
           hash_bits >= 1 && hash_bits <= kMostKept;
  }
};

// How many bits of a long edge are hashed, at most: so that a bound tells them even if it ends
// before the edge does.
inline constexpr unsigned kHashedEdgeBits = 24;

// Returns the hash that is stored for these bits.
inline uint64_t StoredHash(uint64_t edge_bits, const RangeTreeShape& shape) noexcept {
  return MixRange(edge_bits + kRangeMultiplier) >> (64 - shape.hash_bits);
}

// Reads nothing outside its bytes, whatever they are.
struct RangeTrees {
  static constexpr size_t kEntryBytes = 8;  // for each block: where separator and tree end
  static constexpr size_t kPadding = 8;     // behind the trees, so that each load is inside

  RangeTreeShape shape;
  std::string_view last_key;
  std::string_view separators;
  std::string_view trees;  // with the padding
  const unsigned char* entries = nullptr;
  uint32_t blocks = 0;

  // Returns whether a key may be in [begin, end), where begin is less than end, and that is at most
  // the last key.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;

 private:
  std::string_view Separator(uint32_t block) const noexcept;
  uint32_t BlockOf(std::string_view bound) const noexcept;
  bool MayContain(uint32_t block, std::string_view begin, std::string_view end) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
