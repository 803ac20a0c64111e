// Builder of the trees of range_trees.h from sorted keys, block by block, which keeps the keys of
// at most two blocks in memory.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/ranges/range_trees.h"

namespace winnow::core {

class RangeTreeBuilder {
 public:
  // range_bits as RangeFilterOptions defines it, in its range.
  explicit RangeTreeBuilder(double range_bits) noexcept;
  RangeTreeBuilder(const RangeTreeBuilder&) = delete;
  RangeTreeBuilder& operator=(const RangeTreeBuilder&) = delete;

  // Adds a key. Returns false if these keys can't have such a filter. Throws std::bad_alloc.
  bool Add(std::string_view key);

  // Completes the trees after the last key.
  void Finish();

  const RangeTreeShape& shape() const noexcept { return shape_; }
  uint64_t size() const noexcept { return size_; }
  const std::string& last_key() const noexcept { return last_key_; }

  // Returns an upper bound of the size in bytes of a filter of n such keys.
  size_t EstimateBytes(uint64_t n) const noexcept;

  // The parts of the filter, after Finish.
  uint64_t blocks() const noexcept { return entries_.size() / RangeTrees::kEntryBytes; }
  const std::string& entries() const noexcept { return entries_; }
  const std::string& separators() const noexcept { return separators_; }
  const std::string& trees() const noexcept { return trees_; }

 private:
  // Range of the keys per block; the last block may have fewer. A block ends where adjacent keys
  // have few bits in common, so that the separator is short.
  static constexpr size_t kLeastKeys = 256;
  static constexpr size_t kMostKeys = 512;
  // Leaves have lengths if at least one key in so many begins the next one, as folders do: then
  // scans of all keys that begin with a key are likely. Elsewhere bits of the key deny more.
  static constexpr uint64_t kFewBegin = 1024;

  std::string_view Key(size_t i) const noexcept {
    return std::string_view(bytes_).substr(begins_[i], begins_[i + 1] - begins_[i]);
  }
  size_t ChooseEnd() const noexcept;
  void EndBlock(size_t end, std::string_view next_separator);
  size_t ListNodes(size_t end, uint64_t depth) noexcept;
  void MeasureNodes(size_t count) noexcept;
  bool AreNames(size_t end) const noexcept;
  void AppendTree(size_t end, uint64_t depth);
  void AppendLeaf(std::string_view key, uint64_t depth) noexcept;
  void AppendEdge(std::string_view key, uint64_t at, uint64_t end) noexcept;
  void AppendBits(std::string_view key, uint64_t at, uint64_t end) noexcept;
  // Appends the low bits of whole bytes. Returns their end.
  uint64_t AppendLowBits(std::string_view key, uint64_t at, uint64_t end) noexcept;
  void AppendNumber(uint64_t number, unsigned order) noexcept;  // in Elias's gamma code
  void Append(uint64_t value, unsigned bits) noexcept;          // appends at most 32 bits

  // A node of the current tree, in the order of the bits: each branch before its left side, and
  // that before the right one.
  struct Node {
    uint32_t depth;      // number of bits before it
    uint16_t key;        // a key below it
    uint16_t branch;     // key that begins the right side; 0 for a leaf
    uint32_t size;       // its bits, with all below it
    uint32_t left_size;  // those of its left side
  };

  const RangeTreeShape shape_;
  const bool may_have_lengths_;
  // Number of a block's bits per key above which less is kept of long edges.
  const uint64_t most_bits_;
  uint64_t size_ = 0;
  uint64_t keys_that_begin_the_next_ = 0;
  SizedTreeHead head_;  // of the current tree
  std::string last_key_;
  // Keys that are in no block yet, and, except for the first one, the first bit in which each
  // differs from the previous key.
  size_t waiting_ = 0;
  std::string bytes_;
  std::array<uint32_t, kMostKeys + 2> begins_{};
  std::array<uint32_t, kMostKeys + 1> depths_{};

  std::string separator_;  // separator of their block
  std::string entries_;
  std::string separators_;
  std::string trees_;
  std::array<Node, 2 * kMostKeys> nodes_;  // nodes of the current tree
  unsigned char* tree_end_ = nullptr;
  uint64_t pending_ = 0;  // bits of the tree not yet written
  unsigned pending_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_
