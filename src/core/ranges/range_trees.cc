#include "src/core/ranges/range_trees.h"

#include <algorithm>

#include "src/core/ranges/range_bits.h"
#include "src/core/ranges/range_bounds.h"
#include "src/core/ranges/range_tree_nodes.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle32;
using formulas::LoadLittle64;

// Returns the bits behind a node and all nodes below it. Has no jumps that depend on the kinds of
// nodes, which are hard to predict.
template <typename Nodes>
TreeBits BehindNode(const Nodes& nodes, TreeBits tree) noexcept {
  const unsigned length_order = kTreeLengthOrder;
  for (int64_t open = 1; open != 0 && !tree.IsBeyond();) {
    const uint64_t bits = tree.Peek();
    const bool is_leaf = bits >> 63 != 0;
    const unsigned before = is_leaf ? 1 + nodes.leaf_bits() : 1;
    const TreeNumber number(bits << before, is_leaf ? length_order : nodes.order());
    const unsigned number_bits = is_leaf && !nodes.has_lengths() ? 0 : number.bits();
    tree.Skip(before + number_bits + (is_leaf ? 0 : nodes.EdgeBits(number.value())));
    open += is_leaf ? -1 : 1;
  }
  return tree;
}

// Returns whether a key below the node may be in the range. The node, the next in `tree`, has
// `size` bits, or 0 if that is not known; its keys are at a bound in the bits before `depth`.
// Follows the bits of the bound; where keys at both bounds part, which they do once, follows both.
template <typename Nodes>
bool MayBeBelow(const Nodes& nodes, const RangeBounds& bounds, TreeBits tree, uint64_t size,
                uint64_t depth, Lies lies) noexcept {
  for (;;) {
    if (tree.IsBeyond()) return true;
    const uint64_t begin = tree.at();
    const uint64_t bits = tree.Peek();
    tree.Skip(1);
    if (bits >> 63 != 0) {
      TreeBits leaf = tree;
      return nodes.MayBeInside(lies, depth, &leaf) || leaf.IsBeyond();
    }
    const TreeNumber edge(bits << 1, nodes.order());
    if (edge.is_damaged()) return true;
    tree.Skip(edge.bits());
    const uint64_t branch = depth + edge.value();
    lies = nodes.AfterEdge(lies, depth, branch, tree);
    tree.Skip(nodes.EdgeBits(edge.value()));
    if (lies == Lies::kInside) return true;
    if (lies == Lies::kOutside) return tree.IsBeyond();
    depth = branch + 1;

    uint64_t left_size = 0;
    const bool is_sized = Nodes::IsSized(size);
    if (is_sized) {
      left_size = tree.Take(RangeTreeShape::SizeBits(size));
      if (tree.at() - begin + left_size >= size) return true;  // damaged
    }
    const bool goes_right = bounds.BoundBit(lies, branch);
    const bool parts = lies == Lies::kAtBegin && branch == bounds.parting();
    if (goes_right || parts) {
      // Between the bounds are keys on the left of the second one.
      if (goes_right && lies == Lies::kAtEnd) return true;
      TreeBits right = tree;
      if (is_sized) {
        right.Skip(left_size);
      } else {
        right = BehindNode(nodes, tree);
      }
      const uint64_t right_size = is_sized ? begin + size - right.at() : 0;
      if (!parts) {
        tree = right;
        size = right_size;
        continue;
      }
      if (MayBeBelow(nodes, bounds, right, right_size, depth, Lies::kAtEnd)) return true;
    } else if (lies == Lies::kAtBegin && branch >= bounds.shared_bits()) {
      return true;  // and on the right of the first one
    }
    size = left_size;
  }
}

template <typename Nodes>
bool MayBeInTree(const Nodes& nodes, const RangeBounds& bounds, TreeBits tree,
                 uint64_t depth) noexcept {
  return MayBeBelow(nodes, bounds, tree, nodes.RootSize(tree), depth, Lies::kAtBegin);
}

}  // namespace

std::string_view RangeTrees::Separator(uint32_t block) const noexcept {
  if (block == 0) return separators.substr(0, 0);
  const uint32_t begin = LoadLittle32(entries + (block - 1) * kEntryBytes);
  const uint32_t end = LoadLittle32(entries + block * kEntryBytes);
  if (begin > end || end > separators.size()) return separators.substr(0, 0);
  return separators.substr(begin, end - begin);
}

// Returns the last block whose separator is not greater than the bound. Skips the bytes that the
// separators of both ends of the search have in common with the bound (Manber and Myers 1993).
uint32_t RangeTrees::BlockOf(std::string_view bound) const noexcept {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(separators.data());
  uint32_t block = 0;
  uint32_t end = blocks;
  uint32_t common_of_block = 0;
  uint32_t common_of_end = 0;
  while (end - block > 1) {
    const uint32_t middle = block + (end - block) / 2;
    const uint32_t from = LoadLittle32(entries + (middle - 1) * kEntryBytes);
    const uint32_t to = LoadLittle32(entries + middle * kEntryBytes);
    if (from > to || to > separators.size()) return block;
    uint32_t at = std::min({common_of_block, common_of_end, to - from});
    uint64_t word;
    uint64_t of_bound;
    for (;; at += 8) {
      const uint32_t left = to - from - at;
      word = __builtin_bswap64(LoadLittle64(bytes + from + at));
      if (left < 8) word &= ~(~uint64_t{0} >> 8 * left);
      of_bound = FractionWord(bound, at);
      if (word != of_bound || left <= 8) break;
    }
    const uint64_t differing = word ^ of_bound;
    const uint32_t common =
        differing == 0 ? to - from : at + static_cast<uint32_t>(__builtin_clzll(differing)) / 8;
    if (word > of_bound) {
      end = middle;
      common_of_end = common;
    } else {
      block = middle;
      common_of_block = common;
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
  __builtin_prefetch(trees.data() + tree_begin);
  const std::string_view next = block + 1 == blocks ? last_key : Separator(block + 1);
  const uint64_t depth = CommonBits(Separator(block), next);
  const RangeBounds bounds(begin, end);
  TreeBits tree(reinterpret_cast<const unsigned char*>(trees.data()), tree_begin, tree_end);
  if (form == Form::kSized) {
    const SizedNodes nodes(shape, bounds, &tree);
    return MayBeInTree(nodes, bounds, tree, depth);
  }
  const HashedNodes nodes(shape, form == Form::kHashedWithLengths, bounds, &tree);
  return MayBeInTree(nodes, bounds, tree, depth);
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
