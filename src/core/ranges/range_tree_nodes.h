// Nodes of range trees, as their bits: what a branch keeps of the bits that its keys have in
// common, and a leaf of those behind the last branch. FORMAT.md describes the bits.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREE_NODES_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREE_NODES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/ranges/range_bits.h"
#include "src/core/ranges/range_bounds.h"
#include "src/core/ranges/range_hash.h"
#include "src/formulas/bytes.h"

namespace winnow::core {

// Maximum number of zeros before a number, with which one load reads it.
inline constexpr unsigned kMostTreeZeros = 22;
inline constexpr unsigned kMostTreeOrder = 8;
inline constexpr unsigned kMostTreeKept = 28;
inline constexpr unsigned kMostLowBits = 8;
// Order of the code of a leaf's length.
inline constexpr unsigned kTreeLengthOrder = 2;

// A number at the beginning of `bits`, in Elias's gamma code with `order` separate low bits.
class TreeNumber {
 public:
  TreeNumber(uint64_t bits, unsigned order) noexcept
      : zeros_(static_cast<unsigned>(__builtin_clzll(bits | 1))), size_(zeros_ + order + 1) {
    value_ = is_damaged() ? 0 : (bits << zeros_ >> (64 - size_)) - (uint64_t{1} << order);
  }

  bool is_damaged() const noexcept { return zeros_ > kMostTreeZeros; }
  unsigned bits() const noexcept { return zeros_ + size_; }
  uint64_t value() const noexcept { return value_; }

 private:
  unsigned zeros_;
  unsigned size_;
  uint64_t value_;
};

// Bits of a tree, the highest of each byte first. The bytes have 8 more behind their end.
class TreeBits {
 public:
  TreeBits(const unsigned char* bytes, uint64_t begin, uint64_t end) noexcept
      : bytes_(bytes), at_(8 * begin), end_(8 * end) {}

  bool IsBeyond() const noexcept { return at_ > end_; }
  uint64_t at() const noexcept { return at_; }
  uint64_t left() const noexcept { return IsBeyond() ? 0 : end_ - at_; }

  // Takes at most 57 bits; zeros, and then IsBeyond(), if there are no more.
  uint64_t Take(unsigned bits) noexcept {
    const uint64_t value = bits == 0 ? 0 : Peek() >> (64 - bits);
    Skip(bits);
    return value;
  }

  // Takes a number in Elias's gamma code, with `order` separate low bits.
  uint64_t TakeNumber(unsigned order) noexcept {
    const TreeNumber number(Peek(), order);
    Skip(number.is_damaged() ? left() + 1 : number.bits());
    return number.value();
  }

  void Skip(uint64_t bits) noexcept { at_ += bits; }

  // Returns the next 57 bits at least, the highest first; zeros if IsBeyond().
  uint64_t Peek() const noexcept {
    if (at_ > end_) return 0;
    return __builtin_bswap64(formulas::LoadLittle64(bytes_ + at_ / 8)) << at_ % 8;
  }

 private:
  const unsigned char* bytes_;
  uint64_t at_;
  uint64_t end_;
};

// Returns the number of bits that a leaf with a length has for its key.
inline unsigned BitsBesideLength(unsigned leaf_bits) noexcept {
  constexpr unsigned kBitsOfLength = 5;
  return leaf_bits - std::min(leaf_bits, kBitsOfLength);
}

// Shape of trees: what all trees of a filter keep of the keys' bits. Sized trees and those that
// Winnow 1.x wrote, hashed ones, have the same fields but for the last.
struct RangeTreeShape {
  // Size in bits from which on a branch has the size of its left side.
  static constexpr uint64_t kLeastSized = 512;

  uint8_t leaf_bits = 0;   // bits of a leaf without a length
  uint8_t order = 0;       // order of the code of edges
  uint8_t first_bits = 0;  // first bits of an edge, kept as they are
  uint8_t more_bits = 0;   // low bits kept of each byte behind these; hashed: bits of their hash

  bool IsValid(unsigned most_more_bits) const noexcept {
    return leaf_bits <= kMostTreeKept && order <= kMostTreeOrder && first_bits <= kMostTreeKept &&
           more_bits >= 1 && more_bits <= most_more_bits;
  }
  // Returns whether all bits of an edge are kept: no byte is behind its first bits.
  bool KeepsAll(uint64_t edge) const noexcept { return edge < first_bits + uint64_t{8}; }
  // Returns whether a branch of this size has the size of its left side.
  static bool IsSized(uint64_t size) noexcept { return size >= kLeastSized; }
  // Returns the number of bits that this takes.
  static unsigned SizeBits(uint64_t size) noexcept {
    return 64 - static_cast<unsigned>(__builtin_clzll(size | 1));
  }
};

// Head of a sized tree, which says what this tree keeps. It is behind the number of padding bits.
struct SizedTreeHead {
  static constexpr unsigned kPaddingBits = 3;
  static constexpr unsigned kBits = 5;  // behind the padding's
  static constexpr unsigned kMostReductions = 7;

  bool has_lengths = false;  // leaves have lengths of keys
  bool has_names = false;    // leaves have low bits of bytes, and not their first bits
  unsigned reductions = 0;   // 0 to kMostReductions: less is kept of long edges

  static SizedTreeHead Of(uint64_t bits) noexcept {
    return {(bits & 16) != 0, (bits & 8) != 0, static_cast<unsigned>(bits & 7)};
  }
  uint64_t Packed() const noexcept {
    return (has_lengths ? 16u : 0u) | (has_names ? 8u : 0u) | reductions;
  }
  // Returns how many bytes of an edge, behind its first bits, have kept bits.
  uint64_t MostBytes() const noexcept { return uint64_t{32} >> reductions; }
  // Returns the number of bits kept of an edge.
  uint64_t EdgeBits(const RangeTreeShape& shape, uint64_t edge) const noexcept {
    if (shape.KeepsAll(edge)) return edge;
    const uint64_t behind = std::min(edge - shape.first_bits, 8 * MostBytes());
    return shape.first_bits + behind / 8 * shape.more_bits + behind % 8;
  }
  unsigned LeafBits(const RangeTreeShape& shape) const noexcept {
    const unsigned bits = has_lengths ? BitsBesideLength(shape.leaf_bits) : shape.leaf_bits;
    return has_names ? bits - bits % shape.more_bits : bits;
  }
};

// Returns the low `bits` bits of a key's byte from bit `at` on. A byte that begins in the middle of
// one of the key's has the next one's first bits as its highest ones.
inline unsigned LowBits(std::string_view key, uint64_t at, unsigned bits) noexcept {
  const uint64_t eight = FractionBits(key, at, 8);
  const uint64_t byte = eight >> at % 8 | eight << (8 - at % 8);
  return static_cast<unsigned>(byte & ((1u << bits) - 1));
}

// Nodes of sized trees: the first bits of each edge, and the low bits of each byte behind them, so
// that names that differ in one letter mostly differ in what is kept.
class SizedNodes {
 public:
  SizedNodes(const RangeTreeShape& shape, const RangeBounds& bounds, TreeBits* tree) noexcept
      : bounds_(bounds),
        shape_(shape),
        padding_(tree->Take(SizedTreeHead::kPaddingBits)),
        head_(SizedTreeHead::Of(tree->Take(SizedTreeHead::kBits))),
        leaf_bits_(head_.LeafBits(shape_)) {}

  unsigned order() const noexcept { return shape_.order; }
  // Returns the size in bits of the root, which is the next to be read.
  uint64_t RootSize(const TreeBits& tree) const noexcept {
    return tree.left() - std::min(tree.left(), padding_);
  }
  static bool IsSized(uint64_t size) noexcept { return RangeTreeShape::IsSized(size); }

  // Returns the order behind an edge, of which the next bits are kept.
  Lies AfterEdge(Lies lies, uint64_t depth, uint64_t branch, TreeBits tree) const noexcept {
    const bool keeps_all = shape_.KeepsAll(branch - depth);
    const auto first =
        keeps_all ? static_cast<unsigned>(branch - depth) : unsigned{shape_.first_bits};
    lies = bounds_.After(lies, depth, first, tree.Take(first));
    if (keeps_all || lies == Lies::kOutside || lies == Lies::kInside) return lies;
    const uint64_t at = depth + first;
    return AfterBytes(lies, at, std::min(branch, at + 8 * head_.MostBytes()), branch, tree);
  }

  // Takes a leaf. Returns whether its key may be in the range.
  bool MayBeInside(Lies lies, uint64_t depth, TreeBits* tree) const noexcept {
    if (!head_.has_names) {
      lies = bounds_.After(lies, depth, leaf_bits_, tree->Take(leaf_bits_));
    } else {
      const uint64_t end = depth + uint64_t{8} * (leaf_bits_ / shape_.more_bits);
      lies = AfterBytes(lies, depth, end, end, *tree);
      tree->Skip(leaf_bits_);
    }
    if (!head_.has_lengths) return lies != Lies::kOutside;
    const uint64_t rest = tree->TakeNumber(kTreeLengthOrder);
    return lies != Lies::kOutside && depth / 8 + rest >= bounds_.least_length();
  }

  bool has_lengths() const noexcept { return head_.has_lengths; }
  unsigned leaf_bits() const noexcept { return leaf_bits_; }
  uint64_t EdgeBits(uint64_t edge) const noexcept { return head_.EdgeBits(shape_, edge); }

 private:
  // Returns the order after the bits from `at` to before `end`, of keys that have this order before
  // them. `tree` begins with what is kept of those before `kept`.
  Lies AfterBytes(Lies lies, uint64_t at, uint64_t kept, uint64_t end,
                  TreeBits tree) const noexcept {
    const uint64_t shared = bounds_.shared_bits();
    const unsigned bits = shape_.more_bits;
    for (const uint64_t first = at; at + 8 <= kept; at += 8) {
      const auto low = static_cast<unsigned>(tree.Take(bits));
      const auto here = 8 - static_cast<unsigned>(at % 8);
      if (here <= bits && (at == first || at <= shared)) {
        // All bits up to the end of this byte are known.
        const Lies after = bounds_.After(lies, at, here, low & (0xffu >> at % 8));
        if (after != lies) return after == Lies::kOutside ? after : Lies::kInside;
      }
      if (at >= shared) return Lies::kInside;  // or unknown: low bits have no order
      unsigned differing = LowBits(bounds_.begin(), at, bits) ^ low;
      // Perhaps only bits up to the end of this byte are shared.
      if (at + 8 > shared) differing &= at / 8 < shared / 8 ? 0xffu >> at % 8 : 0;
      if (differing != 0) return Lies::kOutside;
    }
    if (at < kept) {
      const auto rest = static_cast<unsigned>(kept - at);
      const Lies after = bounds_.After(lies, at, rest, tree.Take(rest));
      if (after == Lies::kOutside && at <= shared) return after;
    }
    return end <= shared ? lies : Lies::kInside;
  }

  const RangeBounds& bounds_;
  const RangeTreeShape shape_;
  const uint64_t padding_;
  const SizedTreeHead head_;
  const unsigned leaf_bits_;
};

// Nodes of the trees that Winnow 1.x wrote, where no branch has a size: the first bits of each
// edge, and a hash of some behind them.
class HashedNodes {
 public:
  HashedNodes(const RangeTreeShape& shape, bool may_have_lengths, const RangeBounds& bounds,
              TreeBits* tree) noexcept
      : bounds_(bounds), shape_(shape), leaf_first_bits_(shape.leaf_bits) {
    have_lengths_ = may_have_lengths && tree->Take(1) != 0;
    if (!have_lengths_) return;
    const unsigned bits = BitsBesideLength(shape_.leaf_bits);
    leaf_first_bits_ = bits / 3;
    leaf_hash_bits_ = bits - leaf_first_bits_;
  }

  unsigned order() const noexcept { return shape_.order; }
  static uint64_t RootSize(const TreeBits& /*tree*/) noexcept { return 0; }
  static bool IsSized(uint64_t /*size*/) noexcept { return false; }

  Lies AfterEdge(Lies lies, uint64_t depth, uint64_t branch, TreeBits tree) const noexcept {
    const bool is_hashed = branch - depth > MostEdgeBits();
    const auto first =
        is_hashed ? unsigned{shape_.first_bits} : static_cast<unsigned>(branch - depth);
    lies = bounds_.After(lies, depth, first, tree.Take(first));
    if (!is_hashed) return lies;
    return AfterHash(lies, depth + first, branch, shape_.more_bits, &tree);
  }

  bool MayBeInside(Lies lies, uint64_t depth, TreeBits* tree) const noexcept {
    lies = bounds_.After(lies, depth, leaf_first_bits_, tree->Take(leaf_first_bits_));
    if (!have_lengths_) return lies != Lies::kOutside;
    const uint64_t at = depth + leaf_first_bits_;
    // The hash is of the bits up to the end of the next byte.
    lies = AfterHash(lies, at, (at / 8 + 2) * 8, leaf_hash_bits_, tree);
    const uint64_t rest = tree->TakeNumber(kTreeLengthOrder);
    return lies != Lies::kOutside && depth / 8 + rest >= bounds_.least_length();
  }

  bool has_lengths() const noexcept { return have_lengths_; }
  unsigned leaf_bits() const noexcept { return leaf_first_bits_ + leaf_hash_bits_; }
  uint64_t EdgeBits(uint64_t edge) const noexcept {
    return std::min<uint64_t>(edge, MostEdgeBits());
  }

 private:
  unsigned MostEdgeBits() const noexcept { return unsigned{shape_.first_bits} + shape_.more_bits; }

  // Takes the hash of the bits from `at` to before `end`, of at most the first kMostHashed.
  Lies AfterHash(Lies lies, uint64_t at, uint64_t end, unsigned hash_bits,
                 TreeBits* tree) const noexcept {
    constexpr uint64_t kMostHashed = 24;
    const uint64_t hash = tree->Take(hash_bits);
    if (hash_bits == 0 || lies == Lies::kOutside || lies == Lies::kInside) return lies;
    const auto bits = static_cast<unsigned>(std::min(end - at, kMostHashed));
    if (lies == Lies::kAtEnd || at + bits > bounds_.shared_bits()) {
      return Lies::kInside;  // the known bits do not decide
    }
    const uint64_t expected =
        MixRange(FractionBits(bounds_.begin(), at, bits) + kRangeMultiplier) >> (64 - hash_bits);
    if (expected != hash) return Lies::kOutside;
    return end > bounds_.shared_bits() ? Lies::kInside : lies;
  }

  const RangeBounds& bounds_;
  const RangeTreeShape shape_;
  bool have_lengths_;
  unsigned leaf_first_bits_;
  unsigned leaf_hash_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREE_NODES_H_
