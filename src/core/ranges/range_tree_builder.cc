#include "src/core/ranges/range_tree_builder.h"

#include <algorithm>

#include "src/core/ranges/range_bits.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

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

}  // namespace

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
  constexpr double kUsualBits = 24;  // other than those of edges and leaves
  double bits = shape_.leaf_bits + shape_.EdgeBits() + kUsualBits;
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
  tree_end_ = tree_.data();
  leaves_have_lengths_ = shape_.has_lengths && kFewBegin * keys_that_begin_the_next_ >= size_;
  if (shape_.has_lengths) Append(leaves_have_lengths_ ? 1 : 0, 1);
  AppendTree(end, CommonBits(separator_, next_separator));
  EndTree();
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

// The branch of the least depth is the root, and separates the keys before its index from the
// others.
void RangeTreeBuilder::AppendTree(size_t end, uint64_t depth) noexcept {
  // Children of each branch on either side; 0 for a leaf.
  std::array<uint8_t, kMostKeys + 1> left{};
  std::array<uint8_t, kMostKeys + 1> right{};
  std::array<uint8_t, kMostKeys + 1> rightmost;  // from the root on
  size_t count = 0;
  for (size_t i = 1; i < end; ++i) {
    while (count != 0 && depths_[rightmost[count - 1]] > depths_[i]) left[i] = rightmost[--count];
    if (count != 0) right[rightmost[count - 1]] = static_cast<uint8_t>(i);
    rightmost[count++] = static_cast<uint8_t>(i);
  }
  if (end == 1) return AppendLeaf(0, depth);

  // Pending sides of branches: depth, index of a key, and the branch or 0 for a leaf. Packed into
  // one word, since each is read right after it is written.
  const auto side_of = [](uint64_t branch, uint64_t key, uint64_t behind) {
    return behind << 16 | key << 8 | branch;
  };
  std::array<uint64_t, kMostKeys + 1> sides;
  size_t waiting = 0;
  sides[waiting++] = side_of(rightmost[0], 0, depth);
  while (waiting != 0) {
    const uint64_t side = sides[--waiting];
    const size_t branch = side & 0xff;
    if (branch == 0) {
      AppendLeaf(side >> 8 & 0xff, side >> 16);
      continue;
    }
    AppendBranch(branch, side >> 16);
    const uint64_t behind = uint64_t{depths_[branch]} + 1;
    sides[waiting++] = side_of(right[branch], branch, behind);
    sides[waiting++] = side_of(left[branch], branch - 1, behind);
  }
}

void RangeTreeBuilder::AppendLeaf(size_t number, uint64_t depth) noexcept {
  const std::string_view key = Key(number);
  Append(1, 1);
  if (!leaves_have_lengths_) {
    if (shape_.leaf_bits != 0) Append(FractionBits(key, depth, shape_.leaf_bits), shape_.leaf_bits);
    return;
  }
  const unsigned first = shape_.FirstBitsBesideLength();
  if (first != 0) Append(FractionBits(key, depth, first), first);
  const uint64_t at = depth + first;
  AppendHash(key, at, LeafHashEnd(at), shape_.HashBitsBesideLength());
  AppendNumber(key.size() - std::min<uint64_t>(key.size(), depth / 8),
               RangeTreeShape::kLengthOrder);
}

void RangeTreeBuilder::AppendBranch(size_t at, uint64_t depth) noexcept {
  const uint64_t edge = depths_[at] - depth;
  Append(0, 1);
  AppendNumber(edge, shape_.order);
  const std::string_view key = Key(at);
  const bool is_hashed = edge > shape_.EdgeBits();
  const auto known = is_hashed ? shape_.first_bits : static_cast<unsigned>(edge);
  if (known != 0) Append(FractionBits(key, depth, known), known);
  if (is_hashed) AppendHash(key, depth + known, depths_[at], shape_.hash_bits);
}

void RangeTreeBuilder::AppendHash(std::string_view key, uint64_t at, uint64_t end,
                                  unsigned hash_bits) noexcept {
  if (hash_bits == 0) return;
  const unsigned hashed = HashedBits(at, end);
  Append(StoredHash(FractionBits(key, at, hashed), hash_bits), hash_bits);
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

// Pads the tree to a whole byte.
void RangeTreeBuilder::EndTree() {
  if (pending_bits_ % 8 != 0) Append(0, 8 - pending_bits_ % 8);
  for (; pending_bits_ != 0; pending_bits_ -= 8) {
    *tree_end_++ = static_cast<unsigned char>(pending_ >> (pending_bits_ - 8));
  }
  trees_.append(reinterpret_cast<const char*>(tree_.data()),
                static_cast<size_t>(tree_end_ - tree_.data()));
}

}  // namespace winnow::core
