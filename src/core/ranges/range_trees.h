// Range filter of keys of any length: blocks of keys, each of which is a PATRICIA trie (Morrison
// 1968) that keeps a few bits of long edges, and the lengths of keys. FORMAT.md describes the
// bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_

#include <algorithm>
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

  // Order of the code of a leaf's length, and how many bits less such a leaf has for it.
  static constexpr unsigned kLengthOrder = 2;
  static constexpr unsigned kBitsOfLength = 5;

  uint8_t leaf_bits = 0;     // bits behind the last branch of a key
  uint8_t order = 0;         // order of the code of depths
  uint8_t first_bits = 0;    // first bits of an edge that is longer than EdgeBits()
  uint8_t hash_bits = 0;     // bits of the hash of the next bits
  bool has_lengths = false;  // each tree says whether its leaves have lengths

  unsigned EdgeBits() const noexcept { return first_bits + hash_bits; }
  // A leaf with a length keeps a third of its bits of the key, and a hash in the others.
  unsigned FirstBitsBesideLength() const noexcept { return BitsBesideLength() / 3; }
  unsigned HashBitsBesideLength() const noexcept {
    return BitsBesideLength() - FirstBitsBesideLength();
  }
  bool IsValid() const noexcept {
    return leaf_bits <= kMostKept && order <= kMostOrder && first_bits <= kMostKept &&
           hash_bits >= 1 && hash_bits <= kMostKept;
  }

 private:
  unsigned BitsBesideLength() const noexcept {
    return leaf_bits - std::min<unsigned>(leaf_bits, kBitsOfLength);
  }
};

// Maximum number of bits of a long edge that are hashed: few enough that a bound mostly has them,
// even if it ends before the edge does.
inline constexpr unsigned kHashedEdgeBits = 24;

// Returns the end of the bits from `at` on that a leaf with a length hashes: those up to the end of
// the next byte.
inline uint64_t LeafHashEnd(uint64_t at) noexcept { return (at / 8 + 2) * 8; }

// Returns how many of the bits from `at` to before `end` are hashed.
inline unsigned HashedBits(uint64_t at, uint64_t end) noexcept {
  return static_cast<unsigned>(std::min<uint64_t>(end - at, kHashedEdgeBits));
}

// Returns the hash of `hash_bits` bits, at least 1, that is stored for a key's bits.
inline uint64_t StoredHash(uint64_t bits, unsigned hash_bits) noexcept {
  return MixRange(bits + kRangeMultiplier) >> (64 - hash_bits);
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
