#include "src/core/ranges/range_tree_builder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/core/ranges/range_bits.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

// Least range_bits with which leaves may have lengths: shorter ones have no bits to give for them.
constexpr long kLeastWithLengths = 11;

// Bits of a block per key, beyond twice range_bits, above which less is kept of long edges.
constexpr uint64_t kMoreBits = 6;

// Returns the shape of trees for this range_bits, which takes as many bits per key as the trees of
// Winnow 1.x did.
RangeTreeShape ShapeOf(double range_bits) noexcept {
  const long bits = std::lround(range_bits);
  const long more = std::max(bits - 7, 0L);
  RangeTreeShape shape;
  shape.leaf_bits = static_cast<uint8_t>(std::max(bits - 6, 1L));
  shape.order = 1;
  shape.first_bits = static_cast<uint8_t>(more / 2 + 1);
  shape.more_bits = more < 5 ? 1 : more < 10 ? 2 : more < 20 ? 3 : 4;
  return shape;
}

// Returns a key's first `bits` bits, padded with zeros to whole bytes.
std::string FirstBits(std::string_view key, uint64_t bits) {
  std::string first(key.substr(0, (bits + 7) / 8));
  if (bits % 8 != 0) first.back() = static_cast<char>(first.back() & (0xff00 >> bits % 8));
  return first;
}

void Append32(uint64_t value, std::string* bytes) {
  unsigned char raw[4];
  formulas::StoreLittle32(raw, static_cast<uint32_t>(value));
  bytes->append(reinterpret_cast<const char*>(raw), sizeof raw);
}

// Returns the bytes of a key from that of bit `depth` on.
uint64_t RestOf(std::string_view key, uint64_t depth) noexcept {
  return key.size() - std::min<uint64_t>(key.size(), depth / 8);
}

// Returns the number of bits that AppendNumber appends.
uint64_t NumberBits(uint64_t number, unsigned order) noexcept {
  const uint64_t coded = number + (uint64_t{1} << order);
  return 2 * (64 - static_cast<unsigned>(__builtin_clzll(coded))) - 1 - order;
}

}  // namespace

RangeTreeBuilder::RangeTreeBuilder(double range_bits) noexcept
    : shape_(ShapeOf(range_bits)),
      may_have_lengths_(std::lround(range_bits) >= kLeastWithLengths),
      most_bits_(2 * static_cast<uint64_t>(std::lround(range_bits)) + kMoreBits) {}

bool RangeTreeBuilder::Add(std::string_view key) {
  if (key.size() > kMaxTreeKeyBytes) return false;
  if (size_ != 0) {
    const std::string_view before = Key(waiting_ - 1);
    const uint64_t depth = CommonBits(before, key);
    if (depth == 8 * std::max(before.size(), key.size())) {
      // The keys are equal as fractions.
      if (key.size() < before.size()) return false;
      if (key.size() == before.size()) return true;
      bytes_.append(key.size() - before.size(), '\0');
      begins_[waiting_] = static_cast<uint32_t>(bytes_.size());
      ++size_;
      return true;
    }
    if (FractionBit(key, depth) == 0) return false;
    if (depth >= 8 * before.size()) ++keys_that_begin_the_next_;
    depths_[waiting_] = static_cast<uint32_t>(depth);
  }
  bytes_ += key;
  ++size_;
  begins_[++waiting_] = static_cast<uint32_t>(bytes_.size());
  if (waiting_ > kMostKeys) {
    const size_t end = ChooseEnd();
    EndBlock(end, FirstBits(Key(end), depths_[end] + 1));
  }
  return true;
}

void RangeTreeBuilder::Finish() {
  last_key_ = Key(waiting_ - 1);
  EndBlock(waiting_, last_key_);
  trees_.append(RangeTrees::kPadding, '\0');
}

// Estimates by the existing blocks; without one, assumes long edges.
size_t RangeTreeBuilder::EstimateBytes(uint64_t n) const noexcept {
  constexpr double kReserve = 1.25;
  constexpr uint64_t kUsualEdge = 8 * 12;
  constexpr double kUsualBits = 24;  // other than those of edges and leaves
  double bits = shape_.leaf_bits +
                static_cast<double>(SizedTreeHead().EdgeBits(shape_, kUsualEdge)) + kUsualBits;
  const uint64_t in_blocks = size_ - waiting_;
  if (in_blocks != 0) {
    const auto bytes = static_cast<double>(entries_.size() + separators_.size() + trees_.size());
    bits = 8 * bytes / static_cast<double>(in_blocks) * kReserve;
  }
  constexpr size_t kFrontBytes = 64;
  return kFrontBytes + 2 * (waiting_ == 0 ? 0 : Key(waiting_ - 1).size()) +
         static_cast<size_t>(static_cast<double>(n) * bits / 8);
}

size_t RangeTreeBuilder::ChooseEnd() const noexcept {
  return static_cast<size_t>(
      std::min_element(depths_.begin() + kLeastKeys, depths_.begin() + kMostKeys + 1) -
      depths_.begin());
}

// Ends the block of the first `end` keys.
void RangeTreeBuilder::EndBlock(size_t end, std::string_view next_separator) {
  separators_ += separator_;
  AppendTree(end, CommonBits(separator_, next_separator));
  Append32(separators_.size(), &entries_);
  Append32(trees_.size(), &entries_);
  separator_ = next_separator;
  const uint32_t begin = begins_[end];
  bytes_.erase(0, begin);
  for (size_t i = end; i <= waiting_; ++i) begins_[i - end] = begins_[i] - begin;
  std::copy(depths_.begin() + static_cast<std::ptrdiff_t>(end),
            depths_.begin() + static_cast<std::ptrdiff_t>(waiting_), depths_.begin());
  waiting_ -= end;
}

// Lists the nodes of the first `end` keys. The branch of the least depth is the root, and separates
// the keys before its index from the others. Returns the number of nodes.
size_t RangeTreeBuilder::ListNodes(size_t end, uint64_t depth) noexcept {
  // Children of each branch on either side; 0 for a leaf.
  std::array<uint16_t, kMostKeys + 1> left{};
  std::array<uint16_t, kMostKeys + 1> right{};
  std::array<uint16_t, kMostKeys + 1> rightmost;  // from the root on
  rightmost[0] = 0;
  size_t count = 0;
  for (size_t i = 1; i < end; ++i) {
    while (count != 0 && depths_[rightmost[count - 1]] > depths_[i]) left[i] = rightmost[--count];
    if (count != 0) right[rightmost[count - 1]] = static_cast<uint16_t>(i);
    rightmost[count++] = static_cast<uint16_t>(i);
  }

  // Sides of branches that are not yet listed.
  std::array<Node, kMostKeys + 1> sides;
  size_t waiting = 0;
  size_t listed = 0;
  sides[waiting++] = {static_cast<uint32_t>(depth), 0, rightmost[0], 0, 0};
  while (waiting != 0) {
    const Node node = nodes_[listed++] = sides[--waiting];
    if (node.branch == 0) continue;
    const uint32_t behind = depths_[node.branch] + 1;
    sides[waiting++] = {behind, node.branch, right[node.branch], 0, 0};
    sides[waiting++] = {behind, static_cast<uint16_t>(node.branch - 1), left[node.branch], 0, 0};
  }
  return listed;
}

// Sets the sizes of the first `count` nodes, from the last one on.
void RangeTreeBuilder::MeasureNodes(size_t count) noexcept {
  std::array<uint32_t, kMostKeys + 1> measured;  // last, the sides of the next branch
  size_t waiting = 0;
  for (size_t i = count; i-- != 0;) {
    Node& node = nodes_[i];
    uint64_t size = 1;
    if (node.branch == 0) {
      size += head_.LeafBits(shape_);
      if (head_.has_lengths) {
        size += NumberBits(RestOf(Key(node.key), node.depth), kTreeLengthOrder);
      }
    } else {
      const uint64_t edge = depths_[node.branch] - node.depth;
      node.left_size = measured[--waiting];
      size += NumberBits(edge, shape_.order) + head_.EdgeBits(shape_, edge) + node.left_size +
              measured[--waiting];
      if (RangeTreeShape::IsSized(size)) {
        // The size of the left side is part of the node, and may make its own size a bit longer.
        unsigned bits = RangeTreeShape::SizeBits(size);
        if (RangeTreeShape::SizeBits(size + bits) > bits) ++bits;
        size += bits;
      }
    }
    node.size = measured[waiting++] = static_cast<uint32_t>(size);
  }
}

// Returns whether the first `end` keys are mostly text: adjacent ones seldom part in a byte above
// 127. The low bits of text differ more than its first bits.
bool RangeTreeBuilder::AreNames(size_t end) const noexcept {
  size_t high = 0;
  for (size_t i = 1; i < end; ++i) high += FractionBit(Key(i), depths_[i] / 8 * 8);
  return 8 * high <= end;
}

void RangeTreeBuilder::AppendTree(size_t end, uint64_t depth) {
  head_.has_lengths = may_have_lengths_ && kFewBegin * keys_that_begin_the_next_ >= size_;
  head_.has_names = AreNames(end);
  head_.reductions = 0;
  const size_t count = ListNodes(end, depth);
  MeasureNodes(count);
  while (nodes_[0].size > most_bits_ * end && head_.reductions < SizedTreeHead::kMostReductions) {
    ++head_.reductions;
    MeasureNodes(count);
  }

  const size_t begin = trees_.size();
  const size_t bits = SizedTreeHead::kPaddingBits + SizedTreeHead::kBits + nodes_[0].size;
  trees_.resize(begin + (bits + 31) / 32 * 4);
  tree_end_ = reinterpret_cast<unsigned char*>(&trees_[begin]);
  Append((8 - bits % 8) % 8, SizedTreeHead::kPaddingBits);
  Append(head_.Packed(), SizedTreeHead::kBits);
  for (size_t i = 0; i < count; ++i) {
    const Node& node = nodes_[i];
    if (node.branch == 0) {
      AppendLeaf(Key(node.key), node.depth);
      continue;
    }
    Append(0, 1);
    AppendNumber(depths_[node.branch] - node.depth, shape_.order);
    AppendEdge(Key(node.key), node.depth, depths_[node.branch]);
    if (RangeTreeShape::IsSized(node.size)) {
      Append(node.left_size, RangeTreeShape::SizeBits(node.size));
    }
  }
  if (pending_bits_ != 0) Append(0, 32 - pending_bits_);
  trees_.resize(begin + (bits + 7) / 8);
}

void RangeTreeBuilder::AppendLeaf(std::string_view key, uint64_t depth) noexcept {
  Append(1, 1);
  const unsigned bits = head_.LeafBits(shape_);
  if (head_.has_names) {
    AppendLowBits(key, depth, depth + uint64_t{8} * (bits / shape_.more_bits));
  } else {
    AppendBits(key, depth, depth + bits);
  }
  if (head_.has_lengths) AppendNumber(RestOf(key, depth), kTreeLengthOrder);
}

// Appends what is kept of an edge.
void RangeTreeBuilder::AppendEdge(std::string_view key, uint64_t at, uint64_t end) noexcept {
  if (shape_.KeepsAll(end - at)) return AppendBits(key, at, end);
  const uint64_t first_end = at + shape_.first_bits;
  AppendBits(key, at, first_end);
  end = std::min(end, first_end + 8 * head_.MostBytes());
  AppendBits(key, AppendLowBits(key, first_end, end), end);
}

void RangeTreeBuilder::AppendBits(std::string_view key, uint64_t at, uint64_t end) noexcept {
  const auto bits = static_cast<unsigned>(end - at);
  if (bits != 0) Append(FractionBits(key, at, bits), bits);
}

uint64_t RangeTreeBuilder::AppendLowBits(std::string_view key, uint64_t at, uint64_t end) noexcept {
  for (; at + 8 <= end; at += 8) Append(LowBits(key, at, shape_.more_bits), shape_.more_bits);
  return at;
}

void RangeTreeBuilder::AppendNumber(uint64_t number, unsigned order) noexcept {
  const uint64_t coded = number + (uint64_t{1} << order);
  const auto size = 64 - static_cast<unsigned>(__builtin_clzll(coded));
  Append(0, size - 1 - order);
  Append(coded, size);
}

void RangeTreeBuilder::Append(uint64_t value, unsigned bits) noexcept {
  pending_ = pending_ << bits | value;
  pending_bits_ += bits;
  if (pending_bits_ < 32) return;
  pending_bits_ -= 32;
  const auto word = static_cast<uint32_t>(pending_ >> pending_bits_);
  formulas::StoreLittle32(tree_end_, __builtin_bswap32(word));
  tree_end_ += 4;
}

}  // namespace winnow::core
