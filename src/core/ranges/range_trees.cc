#include "src/core/ranges/range_trees.h"

#include <algorithm>
#include <array>

#include "src/core/ranges/range_bits.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle32;
using formulas::LoadLittle64;

// Order of the keys below a place in the tree relative to the range, as far as their bits are
// known.
enum class Lies : uint8_t {
  kOutside,
  kAtBegin,  // equal to the first bound so far
  kAtEnd,    // equal to the second bound so far, and greater than the first
  kInside,
};

// A range, and the first bit in which its bounds differ.
class Bounds {
 public:
  Bounds(std::string_view begin, std::string_view end) noexcept
      : begin_(begin), end_(end), parting_(CommonBits(begin, end)) {
    uint64_t common = std::min<uint64_t>(parting_ / 8, std::min(begin.size(), end.size()));
    // With the end of all keys that have a prefix, they have the byte before the last one's, too.
    if (end.size() == common + 1 && begin.size() > common &&
        static_cast<unsigned char>(end.back()) == static_cast<unsigned char>(begin[common]) + 1) {
      ++common;
    }
    least_length_ = common + (begin.size() > common ? 1 : 0);
    if (parting_ == 8 * std::max(begin.size(), end.size())) parting_ = UINT64_MAX;
  }

  // Returns the least length of a key in the range. All keys in it begin with the same bytes, and
  // have more if `begin` has.
  uint64_t least_length() const noexcept { return least_length_; }

  // Returns the order after `bits` known bits, at most 57, from bit `at` on.
  Lies After(Lies lies, uint64_t at, unsigned bits, uint64_t value) const noexcept {
    if (bits == 0) return lies;
    if (lies == Lies::kAtBegin) {
      const uint64_t differing = value ^ FractionBits(begin_, at, bits);
      if (differing == 0) return lies;
      const auto same = static_cast<unsigned>(__builtin_clzll(differing)) - (64 - bits);
      if (at + same != parting_) {
        const bool is_greater = (value >> (bits - 1 - same) & 1) != 0;
        return at + same > parting_ && is_greater ? Lies::kInside : Lies::kOutside;
      }
      at = parting_ + 1;
      bits -= same + 1;
      lies = Lies::kAtEnd;
      if (bits == 0) return lies;
      value &= (uint64_t{1} << bits) - 1;
    }
    const uint64_t bound = FractionBits(end_, at, bits);
    return value == bound ? lies : value < bound ? Lies::kInside : Lies::kOutside;
  }

  // Returns the order after the bits from `at` to before `end`, of which only a hash of some is
  // known; nothing if hash_bits is 0.
  Lies AfterHashed(Lies lies, uint64_t at, uint64_t end, uint64_t hash,
                   unsigned hash_bits) const noexcept {
    if (hash_bits == 0 || lies == Lies::kOutside || lies == Lies::kInside) return lies;
    const unsigned bits = HashedBits(at, end);
    if (lies == Lies::kAtEnd || at + bits > parting_)
      return Lies::kInside;  // the known bits do not decide
    if (StoredHash(FractionBits(begin_, at, bits), hash_bits) != hash) return Lies::kOutside;
    return end > parting_ ? Lies::kInside : lies;
  }

 private:
  const std::string_view begin_;
  const std::string_view end_;
  uint64_t parting_;
  uint64_t least_length_;
};

// Bits of a tree, the highest of each byte first.
class TreeBits {
 public:
  TreeBits(const unsigned char* bytes, uint64_t begin, uint64_t end) noexcept
      : bytes_(bytes), at_(8 * begin), end_(8 * end) {}

  bool IsBeyond() const noexcept { return at_ > end_; }

  // Takes at most 57 bits; zeros, and then IsBeyond(), if there are no more.
  uint64_t Take(unsigned bits) noexcept {
    const uint64_t value = bits == 0 ? 0 : Peek() >> (64 - bits);
    Skip(bits);
    return value;
  }

  // Takes a number in Elias's gamma code, with `order` separate low bits.
  uint64_t TakeNumber(unsigned order) noexcept {
    const uint64_t bits = Peek();
    const unsigned zeros = bits == 0 ? 64 : static_cast<unsigned>(__builtin_clzll(bits));
    if (zeros > RangeTreeShape::kMostDepthZeros) {
      at_ = end_ + 1;
      return 0;
    }
    const unsigned size = zeros + order + 1;
    Skip(zeros + size);
    return (bits << zeros >> (64 - size)) - (uint64_t{1} << order);
  }

  void Skip(unsigned bits) noexcept { at_ += bits; }

 private:
  uint64_t Peek() const noexcept {
    if (at_ > end_) return 0;
    return __builtin_bswap64(LoadLittle64(bytes_ + at_ / 8)) << at_ % 8;
  }

  const unsigned char* const bytes_;
  uint64_t at_;
  const uint64_t end_;
};

// The leaves of a tree, each with the length of its key or all without.
class Leaves {
 public:
  Leaves(const RangeTreeShape& shape, const Bounds& bounds, TreeBits* tree) noexcept
      : bounds_(bounds), first_bits_(shape.leaf_bits) {
    have_lengths_ = shape.has_lengths && tree->Take(1) != 0;
    if (!have_lengths_) return;
    first_bits_ = shape.FirstBitsBesideLength();
    hash_bits_ = shape.HashBitsBesideLength();
  }

  void Skip(TreeBits* tree) const noexcept {
    tree->Skip(first_bits_ + hash_bits_);
    if (have_lengths_) tree->TakeNumber(RangeTreeShape::kLengthOrder);
  }

  // Takes a leaf. Returns whether its key may be in the range.
  bool MayBeInside(Lies lies, uint64_t depth, TreeBits* tree) const noexcept {
    lies = bounds_.After(lies, depth, first_bits_, tree->Take(first_bits_));
    if (!have_lengths_) return lies != Lies::kOutside;
    const uint64_t at = depth + first_bits_;
    lies = bounds_.AfterHashed(lies, at, LeafHashEnd(at), tree->Take(hash_bits_), hash_bits_);
    const uint64_t rest = tree->TakeNumber(RangeTreeShape::kLengthOrder);
    return lies != Lies::kOutside && depth / 8 + rest >= bounds_.least_length();
  }

 private:
  const Bounds& bounds_;
  bool have_lengths_;
  unsigned first_bits_;
  unsigned hash_bits_ = 0;
};

// One side of a branch, not yet read.
struct Branch {
  uint64_t depth;
  Lies lies;
};

// Maximum number of pending branches in trees that a builder writes.
constexpr size_t kMostWaiting = 128;

// Returns whether the tree may have a key in the range, which agrees with all keys of the tree in
// the bits before `depth`. Reads branches in key order, and skips those outside of the range.
bool MayContainInTree(TreeBits bits, const RangeTreeShape& shape, uint64_t depth,
                      const Bounds& bounds) noexcept {
  const Leaves leaves(shape, bounds, &bits);
  std::array<Branch, kMostWaiting> waiting;
  size_t count = 0;
  size_t useful = 0;  // number of those waiting that are not outside
  Lies lies = Lies::kAtBegin;
  for (;;) {
    if (bits.IsBeyond()) return true;
    if (bits.Take(1) != 0) {
      if (lies == Lies::kOutside) {
        leaves.Skip(&bits);
      } else if (leaves.MayBeInside(lies, depth, &bits)) {
        return true;
      }
      if (useful == 0) return bits.IsBeyond();
      depth = waiting[--count].depth;
      lies = waiting[count].lies;
      useful -= lies == Lies::kOutside ? 0 : 1;
      continue;
    }
    const uint64_t edge = bits.TakeNumber(shape.order);
    const uint64_t branch = depth + edge;
    const bool is_hashed = edge > shape.EdgeBits();
    if (lies == Lies::kOutside) {
      bits.Skip(is_hashed ? shape.EdgeBits() : static_cast<unsigned>(edge));
    } else {
      const unsigned known = is_hashed ? shape.first_bits : static_cast<unsigned>(edge);
      lies = bounds.After(lies, depth, known, bits.Take(known));
      if (is_hashed) {
        lies = bounds.AfterHashed(lies, depth + known, branch, bits.Take(shape.hash_bits),
                                  shape.hash_bits);
      }
      if (lies == Lies::kInside) return true;
      if (lies == Lies::kOutside && useful == 0) return bits.IsBeyond();
    }
    const Lies right = lies == Lies::kOutside ? lies : bounds.After(lies, branch, 1, 1);
    if (lies != Lies::kOutside) lies = bounds.After(lies, branch, 1, 0);
    if (lies == Lies::kInside || right == Lies::kInside) return true;
    if (count == kMostWaiting) return true;
    waiting[count++] = {branch + 1, right};
    useful += right == Lies::kOutside ? 0 : 1;
    depth = branch + 1;
  }
}

}  // namespace

std::string_view RangeTrees::Separator(uint32_t block) const noexcept {
  if (block == 0) return {};
  const uint32_t begin = LoadLittle32(entries + (block - 1) * kEntryBytes);
  const uint32_t end = LoadLittle32(entries + block * kEntryBytes);
  if (begin > end || end > separators.size()) return {};
  return separators.substr(begin, end - begin);
}

// Returns the last block whose separator is not greater than the bound.
uint32_t RangeTrees::BlockOf(std::string_view bound) const noexcept {
  uint32_t block = 0;
  uint32_t end = blocks;
  while (end - block > 1) {
    const uint32_t middle = block + (end - block) / 2;
    if (Separator(middle) <= bound) {
      block = middle;
    } else {
      end = middle;
    }
  }
  return block;
}

bool RangeTrees::MayContain(uint32_t block, std::string_view begin,
                            std::string_view end) const noexcept {
  const uint32_t tree_begin =
      block == 0 ? 0 : LoadLittle32(entries + (block - 1) * kEntryBytes + 4);
  const uint32_t tree_end = LoadLittle32(entries + block * kEntryBytes + 4);
  if (tree_begin >= tree_end || tree_end > trees.size() - kPadding) return true;
  const std::string_view next = block + 1 == blocks ? last_key : Separator(block + 1);
  return MayContainInTree(
      TreeBits(reinterpret_cast<const unsigned char*>(trees.data()), tree_begin, tree_end), shape,
      CommonBits(Separator(block), next), Bounds(begin, end));
}

bool RangeTrees::MayContain(std::string_view begin, std::string_view end) const noexcept {
  const uint32_t first = BlockOf(begin);
  const uint32_t left = blocks - first;
  if (left > 2 && Separator(first + 2) <= end) return true;  // a whole block is in the range
  const std::string_view separator = left > 1 ? Separator(first + 1) : std::string_view();
  if (left == 1 || separator > end) return MayContain(first, begin, end);
  return MayContain(first, begin, separator) || MayContain(first + 1, separator, end);
}

bool RangeTrees::MayHaveKey(std::string_view key) const noexcept {
  if (key >= last_key) return key == last_key;
  if (key.size() > kMaxTreeKeyBytes) return false;
  char next[kMaxTreeKeyBytes + 1];  // the smallest key that is greater
  std::copy(key.begin(), key.end(), next);
  next[key.size()] = 0;
  return MayContain(key, {next, key.size() + 1});
}

}  // namespace winnow::core
